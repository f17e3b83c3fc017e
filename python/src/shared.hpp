#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "convert.hpp"

namespace bitbayes::python {

/// A model or a network that threads of Python share: many read at once, one changes it. The lock is
/// taken without the interpreter's, so that neither waits for the other.
template <class T>
struct Shared {
    explicit Shared(T from) : value(std::move(from)) {}

    template <class Call>
    auto reading(const Call& call) const {
        const py::gil_scoped_release release;
        const std::shared_lock lock(mutex);
        return std::invoke(call, std::as_const(value));
    }

    template <class Call>
    auto changing(const Call& call) {
        const py::gil_scoped_release release;
        const std::unique_lock lock(mutex);
        return call(value);
    }

    std::vector<std::string> class_names() const {
        return reading([](const T& from) { return from.class_names(); });
    }

    T value;
    mutable std::shared_mutex mutex;
};

using SharedModel = Shared<Model>;
using SharedNetwork = Shared<PackedNetwork>;

/// What models and networks have in common: files, bytes, pickle, and their columns and classes.
template <class T>
void bind_common(py::class_<Shared<T>>& type) {
    const auto to_bytes = [](const Shared<T>& self) {
        return py::bytes(self.reading(&T::to_bytes));
    };
    const auto from_bytes = [](const py::bytes& data) {
        const std::string_view bytes = data;
        const py::gil_scoped_release release;
        return std::make_unique<Shared<T>>(T::from_bytes(bytes));
    };
    const auto load = [](const std::string& path) {
        const py::gil_scoped_release release;
        return std::make_unique<Shared<T>>(T::load(path));
    };
    const auto save = [](const Shared<T>& self, const std::string& path, bool overwrite) {
        self.reading([&](const T& from) { from.save(path, overwrite); });
    };
    type.def_static("load", load, py::arg("path"))
        .def("save", save, py::arg("path"), py::arg("overwrite") = false)
        .def("to_bytes", to_bytes)
        .def_static("from_bytes", from_bytes, py::arg("data"))
        .def(py::pickle(to_bytes, from_bytes))
        .def_property_readonly("features",
                               [](const Shared<T>& self) { return self.reading(&T::features); })
        .def_property_readonly("class_names", &Shared<T>::class_names)
        .def_property_readonly("column_names", [](const Shared<T>& self) {
            return self.reading([](const T& from) { return from.reading().known.names; });
        });
}

}  // namespace bitbayes::python

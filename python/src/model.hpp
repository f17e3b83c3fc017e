#pragma once

#include <functional>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <utility>
#include <vector>

#include "convert.hpp"

namespace bitbayes::python {

/// A model that threads of Python share: many read at once, one changes it. The lock is taken without
/// the interpreter's, so that neither waits for the other.
struct SharedModel {
    explicit SharedModel(Model from) : model(std::move(from)) {}

    template <class Call>
    auto reading(const Call& call) const {
        const py::gil_scoped_release release;
        const std::shared_lock lock(mutex);
        return std::invoke(call, std::as_const(model));
    }

    template <class Call>
    auto changing(const Call& call) {
        const py::gil_scoped_release release;
        const std::unique_lock lock(mutex);
        return call(model);
    }

    std::vector<std::string> class_names() const {
        return reading([](const Model& from) { return from.class_names(); });
    }

    Model model;
    mutable std::shared_mutex mutex;
};

}  // namespace bitbayes::python

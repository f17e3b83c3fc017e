// Tables that the library's readers return.
#include <map>

#include "convert.hpp"

namespace bitbayes::python {
namespace {

const char* kind_of(const Dataset& data) {
    switch (data.kind) {
        case DataKind::kImages:
            return "images";
        case DataKind::kSparse:
            return "sparse";
        case DataKind::kTeacher:
            return "teacher";
        case DataKind::kTable:
            break;
    }
    return "table";
}

template <class T>
py::array_t<T> list_of(const std::vector<T>& values, const py::object& self) {
    return view_of(values.data(), {static_cast<py::ssize_t>(values.size())}, self);
}

py::object values_of(const py::object& self) {
    const auto& data = self.cast<const Dataset&>();
    const auto rows = static_cast<py::ssize_t>(data.rows);
    const auto columns = static_cast<py::ssize_t>(data.features);
    return std::visit(
        [&]<class T>(const T& values) -> py::object {
            if constexpr (std::is_same_v<T, SparseRows>) {
                const auto csr = py::module_::import("scipy.sparse").attr("csr_matrix");
                const py::tuple parts =
                    py::make_tuple(list_of(values.value, self), list_of(values.column, self),
                                   list_of(values.row_start, self));
                return csr(parts, py::arg("shape") = py::make_tuple(rows, columns));
            } else {
                return view_of(values.data(), {rows, columns}, self);
            }
        },
        data.values);
}

ReadOptions reading_of(const py::kwargs& given) {
    ReadOptions options;
    const std::map<std::string, std::string ReadOptions::*> words = {
        {"format", &ReadOptions::format},
        {"label", &ReadOptions::label},
        {"id", &ReadOptions::id},
        {"group", &ReadOptions::group},
        {"row_weight", &ReadOptions::row_weight},
        {"header", &ReadOptions::header}};
    const std::map<std::string, std::vector<std::string> ReadOptions::*> lists = {
        {"ignore", &ReadOptions::ignore}, {"categorical", &ReadOptions::categorical}};
    for (const auto& [key, value] : given) {
        const auto name = key.cast<std::string>();
        if (value.is_none()) continue;
        if (const auto word = words.find(name); word != words.end()) {
            options.*word->second = py::cast<std::string>(py::str(value));
        } else if (const auto list = lists.find(name); list != lists.end()) {
            for (const py::handle& each : value) {
                (options.*list->second).push_back(py::cast<std::string>(py::str(each)));
            }
        } else if (name == "max_memory") {
            options.max_memory = value.cast<std::size_t>();
        } else {
            throw py::type_error("read() has no option '" + name + "'");
        }
    }
    return options;
}

}  // namespace

void bind_data(py::module_& module) {
    py::class_<Dataset>(module, "Dataset", "Rows of a file.")
        .def_readonly("name", &Dataset::name)
        .def_property_readonly("kind", &kind_of)
        .def_readonly("class_names", &Dataset::class_names)
        .def_readonly("column_names", &Dataset::column_names)
        .def_readonly("categories", &Dataset::categories)
        .def_readonly("ids", &Dataset::ids)
        .def_readonly("notes", &Dataset::notes)
        .def_property_readonly("image_shape",
                               [](const Dataset& data) -> py::object {
                                   if (data.image == ImageSize{}) return py::none();
                                   return py::make_tuple(data.image.height, data.image.width);
                               })
        .def_property_readonly("X", &values_of)
        .def_property_readonly("labels",
                               [](const py::object& self) {
                                   return list_of(self.cast<const Dataset&>().labels, self);
                               })
        .def_property_readonly("weights",
                               [](const py::object& self) {
                                   return list_of(self.cast<const Dataset&>().weights, self);
                               })
        .def_property_readonly("groups",
                               [](const py::object& self) {
                                   return list_of(self.cast<const Dataset&>().groups, self);
                               })
        .def("__len__", [](const Dataset& data) { return data.rows; });
    module.def(
        "read",
        [](const std::string& data, const py::kwargs& given) {
            const ReadOptions options = reading_of(given);
            LoadedData loaded = [&] {
                const py::gil_scoped_release release;
                return load_data(data, options);
            }();
            py::object test = py::none();
            if (loaded.has_test()) test = py::cast(std::move(loaded.test));
            return py::make_tuple(std::move(loaded.train), test);
        },
        py::arg("data"), "The training rows of a file or name, and the test rows if it has them.");
}

}  // namespace bitbayes::python

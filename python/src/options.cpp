// The table of training options for Python.
#include "options/options.hpp"

#include <fmt/format.h>

#include <type_traits>

#include "bitbayes/types/error.hpp"
#include "convert.hpp"

namespace bitbayes::python {
namespace {

/// A value as options::set() reads it.
std::string text_of(const TrainOption& option, const py::handle& value) {
    if (py::isinstance<py::bool_>(value)) return value.cast<bool>() ? "true" : "false";
    if (value.is_none()) {
        const std::string unset = options::text(TrainOptions{}, option);
        return unset.empty() ? "" : std::string(option.unset);
    }
    if (py::isinstance<py::str>(value)) return value.cast<std::string>();
    if (!py::isinstance<py::sequence>(value) && !py::hasattr(value, "__len__")) {
        return py::cast<std::string>(py::str(value));
    }
    const bool evidence = std::holds_alternative<Evidence TrainOptions::*>(option.member);
    std::string list;
    for (const py::handle& each : value) {
        if (!list.empty()) list += evidence ? ":" : ",";
        list += py::cast<std::string>(py::str(each));
    }
    if (list.empty() && std::holds_alternative<TreeLayers TrainOptions::*>(option.member)) {
        return "single";
    }
    return list;
}

/// The value of an option; "auto" or "inf" where it is left open and that is how it is written.
struct PythonValue {
    const TrainOption& option;

    py::object operator()(Algorithm value) const { return py::str(options::name_of(value)); }
    py::object operator()(const TreeLayers& value) const {
        return value.automatic ? py::object(py::str("auto")) : py::cast(value.fan_ins);
    }
    py::object operator()(const Evidence& value) const {
        if (value.automatic) return py::str("auto");
        if (value.first == value.last) return py::float_(value.first);
        return py::make_tuple(value.first, value.last);
    }
    py::object operator()(const std::string& value) const {
        return value.empty() ? py::object(py::none()) : py::str(value);
    }
    template <class T>
    py::object operator()(const std::optional<T>& value) const {
        if (value) return py::cast(*value);
        return option.unset.empty() ? py::object(py::none()) : py::str(std::string(option.unset));
    }
    template <class T>
    py::object operator()(const std::vector<T>& value) const {
        return value.empty() ? py::object(py::none()) : py::cast(value);
    }
    template <class T>
    requires std::is_arithmetic_v<T> py::object operator()(T value) const {
        return py::cast(value);
    }
};

py::object value_of(const TrainOptions& options, const TrainOption& option) {
    return std::visit([&](auto member) { return PythonValue{option}(options.*member); },
                      option.member);
}

const TrainOption& find(const std::string& name) {
    for (const TrainOption& option : kTrainOptions) {
        if (option.name == name) return option;
    }
    throw py::type_error("there is no option '" + name + "'");
}

}  // namespace

TrainOptions options_of(const py::dict& given) {
    TrainOptions result;
    for (const auto& [name, value] : given) {
        if (!py::isinstance<py::str>(name)) throw py::type_error("names of options are str");
        const TrainOption& option = find(name.cast<std::string>());
        options::set(result, option, text_of(option, value), fmt::format("`{}`", option.name));
    }
    return result;
}

py::dict dict_of(const TrainOptions& options) {
    py::dict result;
    for (const TrainOption& option : kTrainOptions) {
        result[py::str(std::string(option.name))] = value_of(options, option);
    }
    return result;
}

void bind_options(py::module_& module) {
    const py::object named = py::module_::import("collections").attr("namedtuple");
    const py::object type =
        named("Option", "name default values group help", py::arg("module") = "bitbayes._core");
    module.attr("Option") = type;
    module.def(
        "options",
        [type] {
            py::list list;
            for (const TrainOption& option : kTrainOptions) {
                list.append(type(std::string(option.name), value_of(TrainOptions{}, option),
                                 std::string(option.values), std::string(option.group),
                                 std::string(option.help)));
            }
            return list;
        },
        "The table of training options.");
}

}  // namespace bitbayes::python

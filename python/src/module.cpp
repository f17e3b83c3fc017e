#include <string>
#include <string_view>

#include "bitbayes/types/error.hpp"
#include "bitbayes/types/version.hpp"
#include "convert.hpp"

namespace bitbayes::python {
namespace {

/// Messages call options by the names of the library; the command line's `force` is `overwrite` here.
std::string message(const Error& error) {
    constexpr std::string_view kForce = "`force`";
    std::string text = error.what();
    const std::size_t at = text.find(kForce);
    if (at != text.npos) text.replace(at, kForce.size(), "`overwrite`");
    return text;
}

/// Options, data and models that make no sense are ValueErrors, files OSErrors.
void raise(const Error& error) {
    static const py::handle type =
        py::object(py::module_::import("bitbayes._core").attr("BitBayesError")).release();
    const py::handle kinds[] = {PyExc_RuntimeError, PyExc_OSError, type};
    const ErrorCode code = error.code();
    const bool value =
        code == ErrorCode::kUsage || code == ErrorCode::kData || code == ErrorCode::kModel;
    const py::object raised = kinds[value                    ? 2
                                    : code == ErrorCode::kIo ? 1
                                                             : 0](py::str(message(error)));
    py::setattr(raised, "exit_code", py::int_(static_cast<int>(code)));
    PyErr_SetObject(py::type::of(raised).ptr(), raised.ptr());
}

}  // namespace

PYBIND11_MODULE(_core, module) {
    module.doc() = "The C++ library; bitbayes is its Python.";
    module.attr("__version__") = version();
    py::exception<Error>(module, "BitBayesError", PyExc_ValueError);
    py::register_exception_translator([](std::exception_ptr thrown) {
        try {
            if (thrown) std::rethrow_exception(thrown);
        } catch (const Error& error) {
            raise(error);
        }
    });
    bind_options(module);
    bind_data(module);
    bind_model(module);
    bind_training(module);
    bind_packed(module);
}

}  // namespace bitbayes::python

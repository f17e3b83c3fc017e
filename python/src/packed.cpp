// Clipped networks and their exports.
#include <fmt/format.h>

#include "shared.hpp"

namespace bitbayes::python {
namespace {

using Exporter = std::vector<std::string> (*)(const PackedNetwork&, const std::string&,
                                              const ExportOptions&, std::optional<Rows>);

std::vector<std::string> write(Exporter exporter, const SharedNetwork& self,
                               const std::string& folder, const ExportOptions& options,
                               const py::object& examples) {
    std::optional<Input> input;
    if (!examples.is_none()) input.emplace(examples);
    return self.reading([&](const PackedNetwork& network) {
        return exporter(network, folder, options,
                        input ? std::optional<Rows>(input->rows()) : std::nullopt);
    });
}

}  // namespace

void bind_packed(py::module_& module) {
    const py::arg rows("rows");
    const auto labels = py::arg("labels") = py::none();
    const auto class_names = py::arg("class_names") = py::none();
    const auto threads = py::arg("threads") = 0;

    py::class_<SharedNetwork> network_type(
        module, "PackedNetwork", "The clipped network on its own: one-bit weights, integers only.");
    bind_common(network_type);
    network_type
        .def(py::init([](const SharedModel& model, std::size_t draws, std::uint64_t seed) {
                 return std::make_unique<SharedNetwork>(model.reading([&](const Model& from) {
                     return PackedNetwork(from, {draws, seed});
                 }));
             }),
             py::arg("model"), py::arg("draws") = 0, py::arg("seed") = 1)
        .def("__repr__",
             [](const SharedNetwork& self) {
                 return self.reading([](const PackedNetwork& from) {
                     return fmt::format("<bitbayes.PackedNetwork: {} columns, {} classes>",
                                        from.features(), from.class_names().size());
                 });
             })
        .def(
            "predict",
            [](const SharedNetwork& self, const py::object& x, unsigned t) {
                const Input input(x);
                return answers_of(self.reading([&](const PackedNetwork& network) {
                    return network.predict(input.rows(), input.rows().size() == 1 ? 1 : t);
                }));
            },
            rows, threads)
        .def(
            "scores",
            [](const SharedNetwork& self, const py::object& x, unsigned t) {
                const Input input(x);
                auto scores = self.reading(
                    [&](const PackedNetwork& network) { return network.scores(input.rows(), t); });
                const std::size_t classes = self.class_names().size();
                const auto outputs = static_cast<py::ssize_t>(classes == 2 ? 1 : classes);
                return array_of(std::move(scores),
                                {static_cast<py::ssize_t>(input.rows().size()), outputs});
            },
            rows, threads)
        .def(
            "evaluate",
            [](const SharedNetwork& self, const py::object& x, const py::object& y,
               const py::object& names, unsigned t) {
                const LabelledInput input(x, y, names, py::none(), self.class_names());
                const LabelledRows all = input.get();
                return dict_of(self.reading(
                    [&](const PackedNetwork& network) { return network.evaluate(all, t); }));
            },
            rows, labels, class_names, threads)
        .def(
            "abstain",
            [](SharedNetwork& self, const py::object& x, const py::object& y,
               const py::object& names, double rate, unsigned t) {
                using namespace py::literals;
                const LabelledInput input(x, y, names, py::none(), self.class_names());
                const LabelledRows all = input.get();
                const AbstainChoice choice = self.changing(
                    [&](PackedNetwork& network) { return network.abstain(all, rate, t); });
                return py::dict("below"_a = choice.below, "abstained"_a = choice.abstained,
                                "error_accepted"_a = choice.error_accepted);
            },
            rows, labels, class_names, py::arg("rate") = 0.01, threads);

    const auto name = py::arg("name") = "bitbayes_net";
    const auto overwrite = py::arg("overwrite") = false;
    const auto examples = py::arg("examples") = py::none();
    module.def(
        "export_c",
        [](const SharedNetwork& network, const std::string& folder, const std::string& prefix,
           bool replace, bool single_header, bool arduino, const py::object& example_rows) {
            const ExportOptions options{.name = prefix,
                                        .overwrite = replace,
                                        .single_header = single_header,
                                        .arduino = arduino};
            return write(&bitbayes::export_c, network, folder, options, example_rows);
        },
        py::arg("network"), py::arg("folder"), name, overwrite, py::arg("single_header") = false,
        py::arg("arduino") = false, examples,
        "Writes C99 without floating point; returns the paths, relative to the folder.");
    module.def(
        "export_verilog",
        [](const SharedNetwork& network, const std::string& folder, const std::string& prefix,
           bool replace, std::optional<std::size_t> parallel, const py::object& example_rows) {
            const ExportOptions options{.name = prefix, .overwrite = replace, .parallel = parallel};
            return write(&bitbayes::export_verilog, network, folder, options, example_rows);
        },
        py::arg("network"), py::arg("folder"), name, overwrite, py::arg("parallel") = py::none(),
        examples,
        "Writes Verilog-2001 and a testbench; returns the paths, relative to the folder.");
}

}  // namespace bitbayes::python

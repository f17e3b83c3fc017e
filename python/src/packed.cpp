// Clipped networks and their exports.
#include <mutex>

#include "model.hpp"

namespace bitbayes::python {
namespace {

/// Like SharedModel: abstain() changes it.
struct SharedNetwork {
    explicit SharedNetwork(PackedNetwork from) : network(std::move(from)) {}

    template <class Call>
    auto reading(const Call& call) const {
        const py::gil_scoped_release release;
        const std::shared_lock lock(mutex);
        return std::invoke(call, std::as_const(network));
    }

    std::vector<std::string> class_names() const {
        return reading([](const PackedNetwork& from) { return from.class_names(); });
    }

    PackedNetwork network;
    mutable std::shared_mutex mutex;
};

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
    const auto to_bytes = [](const SharedNetwork& self) {
        return py::bytes(self.reading(&PackedNetwork::to_bytes));
    };
    const auto from_bytes = [](const py::bytes& data) {
        const std::string_view bytes = data;
        const py::gil_scoped_release release;
        return std::make_unique<SharedNetwork>(PackedNetwork::from_bytes(bytes));
    };
    const py::arg rows("rows");
    const auto labels = py::arg("labels") = py::none();
    const auto class_names = py::arg("class_names") = py::none();
    const auto threads = py::arg("threads") = 0;

    py::class_<SharedNetwork>(module, "PackedNetwork",
                              "The clipped network on its own: one-bit weights, integers only.")
        .def(py::init([](const SharedModel& model, std::size_t draws, std::uint64_t seed) {
                 return std::make_unique<SharedNetwork>(model.reading([&](const Model& from) {
                     return PackedNetwork(from, {draws, seed});
                 }));
             }),
             py::arg("model"), py::arg("draws") = 0, py::arg("seed") = 1)
        .def_static(
            "load",
            [](const std::string& path) {
                const py::gil_scoped_release release;
                return std::make_unique<SharedNetwork>(PackedNetwork::load(path));
            },
            py::arg("path"))
        .def(
            "save",
            [](const SharedNetwork& self, const std::string& path, bool overwrite) {
                self.reading([&](const PackedNetwork& network) { network.save(path, overwrite); });
            },
            py::arg("path"), py::arg("overwrite") = false)
        .def("to_bytes", to_bytes)
        .def_static("from_bytes", from_bytes, py::arg("data"))
        .def(py::pickle(to_bytes, from_bytes))
        .def_property_readonly(
            "features",
            [](const SharedNetwork& self) { return self.reading(&PackedNetwork::features); })
        .def_property_readonly("class_names", &SharedNetwork::class_names)
        .def_property_readonly("column_names",
                               [](const SharedNetwork& self) {
                                   return self.reading([](const PackedNetwork& network) {
                                       return network.reading().known.names;
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
                const AbstainChoice choice = [&] {
                    const py::gil_scoped_release release;
                    const std::unique_lock lock(self.mutex);
                    return self.network.abstain(all, rate, t);
                }();
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

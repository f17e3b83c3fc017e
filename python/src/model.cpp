// Models. Learning waits until no other Python thread uses the model, and the reverse.
#include <fmt/format.h>

#include "shared.hpp"

namespace bitbayes::python {
namespace {

Mode mode_of(const std::string& name) {
    if (name == "mean") return Mode::kMean;
    if (name == "map") return Mode::kMap;
    throw py::value_error("mode: '" + name + "' is not mean or map");
}

py::object posterior(const SharedModel& self, std::size_t index) {
    static const py::handle type =
        py::object(py::module_::import("bitbayes._core").attr("Layer")).release();
    const PosteriorLayer layer =
        self.reading([&](const Model& model) { return model.posterior(index); });
    auto* owner = new std::shared_ptr<const void>(layer.owner);
    const py::capsule keep(owner,
                           [](void* p) { delete static_cast<std::shared_ptr<const void>*>(p); });
    return type(layer.reads_all, view_of(layer.values.data(),
                                         {static_cast<py::ssize_t>(layer.neurons),
                                          static_cast<py::ssize_t>(layer.fan_in)},
                                         keep));
}

/// One row is not worth waking threads for.
unsigned threads_for(const Rows& rows, unsigned threads) { return rows.size() == 1 ? 1 : threads; }

py::object predict(const SharedModel& self, const py::object& rows, const std::string& mode,
                   unsigned threads) {
    const Input input(rows);
    const Mode how = mode_of(mode);
    return answers_of(self.reading([&](const Model& model) {
        return model.predict(input.rows(), how, threads_for(input.rows(), threads));
    }));
}

py::array_t<double> probabilities(const SharedModel& self, const py::object& rows,
                                  unsigned threads) {
    const Input input(rows);
    auto values = self.reading([&](const Model& model) {
        return model.probabilities(input.rows(), threads_for(input.rows(), threads));
    });
    return array_of(std::move(values), {static_cast<py::ssize_t>(input.rows().size()),
                                        static_cast<py::ssize_t>(self.class_names().size())});
}

py::dict update(SharedModel& self, const py::object& rows, const py::object& labels,
                const py::object& class_names, const py::object& weights, unsigned threads) {
    using namespace py::literals;
    const LabelledInput input(rows, labels, class_names, weights, self.class_names());
    const LabelledRows all = input.get();
    const UpdateReport report =
        self.changing([&](Model& model) { return model.update(all, threads); });
    return py::dict("rows"_a = report.rows, "error_progressive"_a = report.error_progressive,
                    "seconds"_a = report.seconds);
}

py::tuple learn(SharedModel& self, const py::object& row, const std::string& label) {
    const py::array_t<double, py::array::c_style | py::array::forcecast> values(row);
    if (values.ndim() != 1) throw py::value_error("a row has 1 dimension");
    const Answer answer = self.changing([&](Model& model) {
        return model.learn({values.data(), static_cast<std::size_t>(values.size())}, label);
    });
    return py::make_tuple(answer.class_index, answer.probability, answer.validity, answer.margin);
}

void polish(SharedModel& self, const py::object& rows, const py::object& labels,
            const py::object& class_names, const py::object& weights, std::uint64_t rounds,
            unsigned threads) {
    const LabelledInput input(rows, labels, class_names, weights, self.class_names());
    const LabelledRows all = input.get();
    self.changing([&](Model& model) { model.polish(all, rounds, threads); });
}

}  // namespace

void bind_model(py::module_& module) {
    const py::object named = py::module_::import("collections").attr("namedtuple");
    module.attr("Answers") = named("Answers", "class_index probability validity margin known",
                                   py::arg("module") = "bitbayes._core");
    module.attr("Layer") = named("Layer", "reads_all h", py::arg("module") = "bitbayes._core");

    const py::arg rows("rows");
    const auto labels = py::arg("labels") = py::none();
    const auto class_names = py::arg("class_names") = py::none();
    const auto weights = py::arg("weights") = py::none();
    const auto threads = py::arg("threads") = 0;
    const auto evaluate = [](const SharedModel& self, const py::object& x, const py::object& y,
                             const py::object& names, unsigned t) {
        const LabelledInput input(x, y, names, py::none(), self.class_names());
        const LabelledRows all = input.get();
        return dict_of(self.reading([&](const Model& model) { return model.evaluate(all, t); }));
    };
    const auto evaluate_clipped = [](const SharedModel& self, const py::object& x,
                                     const py::object& y, const py::object& names, unsigned t) {
        const LabelledInput input(x, y, names, py::none(), self.class_names());
        const LabelledRows all = input.get();
        return dict_of(
            self.reading([&](const Model& model) { return model.evaluate_clipped(all, t); }));
    };

    py::class_<SharedModel> type(module, "Model",
                                 "A trained network: its posterior and its answers.");
    bind_common(type);
    type.def("__repr__",
             [](const SharedModel& self) {
                 return self.reading([](const Model& from) {
                     return fmt::format(
                         "<bitbayes.Model: {} columns, {} layers, {} classes, {} rows learned>",
                         from.features(), from.layers(), from.class_names().size(),
                         from.samples_seen());
                 });
             })
        .def("clone",
             [](const SharedModel& self) {
                 return std::make_unique<SharedModel>(
                     self.reading([](const Model& from) { return from.clone(); }));
             })
        .def_property_readonly(
            "samples_seen",
            [](const SharedModel& self) { return self.reading(&Model::samples_seen); })
        .def_property_readonly("algorithm",
                               [](const SharedModel& self) {
                                   const auto mfb =
                                       self.reading(&Model::algorithm) == Algorithm::kMfb;
                                   return mfb ? "mfb" : "backprop";
                               })
        .def_property(
            "memory", [](const SharedModel& self) { return self.reading(&Model::memory); },
            [](SharedModel& self, std::optional<std::uint64_t> rows_kept) {
                self.changing([&](Model& model) { model.set_memory(rows_kept); });
            })
        .def_property_readonly(
            "members", [](const SharedModel& self) { return self.reading(&Model::members); })
        .def(
            "member",
            [](const SharedModel& self, std::size_t index) {
                return std::make_unique<SharedModel>(
                    self.reading([&](const Model& from) { return from.member(index); }));
            },
            py::arg("index"))
        .def_property_readonly("layers",
                               [](const SharedModel& self) { return self.reading(&Model::layers); })
        .def("posterior", &posterior, py::arg("index"))
        .def("column_importance",
             [](const SharedModel& self) {
                 auto shares = self.reading(&Model::column_importance);
                 const auto size = static_cast<py::ssize_t>(shares.size());
                 return array_of(std::move(shares), {size});
             })
        .def("predict", &predict, rows, py::arg("mode") = "mean", threads)
        .def("probabilities", &probabilities, rows, threads)
        .def("evaluate", evaluate, rows, labels, class_names, threads)
        .def("evaluate_clipped", evaluate_clipped, rows, labels, class_names, threads)
        .def("update", &update, rows, labels, class_names, weights, threads)
        .def("learn", &learn, py::arg("row"), py::arg("label"))
        .def("polish", &polish, rows, labels, class_names, weights, py::arg("rounds") = 5, threads)
        .def(
            "add_class",
            [](SharedModel& self, const std::string& name) {
                self.changing([&](Model& model) { model.add_class(name); });
            },
            py::arg("name"));
}

}  // namespace bitbayes::python

// Runs, with progress and signals.
#include <chrono>
#include <optional>
#include <utility>

#include "shared.hpp"

namespace bitbayes::python {
namespace {

using ImageShape = std::optional<std::pair<std::size_t, std::size_t>>;

void describe(Rows& rows, const std::vector<std::string>& column_names,
              const ImageShape& image_shape) {
    if (!column_names.empty()) rows.set_column_names(column_names);
    if (image_shape) rows.set_image({image_shape->first, image_shape->second});
}

/// Looks after signals and calls back into Python, ten times a second, from work without the
/// interpreter's lock.
class Watch {
  public:
    void restart() { last_ = Clock::now(); }

    /// False once an exception waits to be raised, or if `call` says so.
    template <class Call>
    bool go_on(const Call& call) {
        if (Clock::now() - last_ < std::chrono::milliseconds(100)) return true;
        restart();
        if (raised_) return false;
        const py::gil_scoped_acquire acquire;
        try {
            if (PyErr_CheckSignals() != 0) throw py::error_already_set();
            return call();
        } catch (py::error_already_set& error) {
            raised_.emplace(std::move(error));
            return false;
        }
    }

    void raise() {
        if (raised_) throw std::exchange(raised_, std::nullopt).value();
    }

  private:
    using Clock = std::chrono::steady_clock;
    Clock::time_point last_ = Clock::now();
    std::optional<py::error_already_set> raised_;
};

/// A run and the data that it refers to.
class Run {
  public:
    Run(const py::object& rows, const py::object& labels, const py::object& class_names,
        const py::dict& options, const py::object& weights, std::vector<std::string> column_names,
        const ImageShape& image_shape, const py::object& test)
        : column_names_(std::move(column_names)), training_(rows, labels, class_names, weights) {
        describe(training_.input().rows(), column_names_, image_shape);
        const TrainOptions chosen = options_of(options);
        const LabelledRows all = training_.get();
        std::optional<LabelledRows> tested;
        if (!test.is_none()) {
            const bool table = py::isinstance<Dataset>(test);
            const auto part = [&](int index) -> py::object {
                return test.cast<py::tuple>()[static_cast<std::size_t>(index)];
            };
            test_.emplace(table ? test : part(0), table ? py::object(py::none()) : part(1),
                          table ? py::object(py::none()) : class_names);
            tested = test_->get();
        }
        const py::gil_scoped_release release;
        trainer_.emplace(all, chosen, tested, [this] { return watch_.go_on([] { return true; }); });
    }

    /// A signal that came while the options were chosen is raised once something has been learned.
    bool run(const py::object& progress) {
        watch_.restart();
        TrainCallbacks callbacks;
        callbacks.progress = [&](const TrainProgress& now) {
            return watch_.go_on(
                [&] { return progress.is_none() || !progress(dict_of(now)).is(py::bool_(false)); });
        };
        bool done = false;
        {
            const py::gil_scoped_release release;
            done = trainer_->run(callbacks);
        }
        watch_.raise();
        return done;
    }

    const Trainer& trainer() const { return *trainer_; }

  private:
    static py::dict dict_of(const TrainProgress& now) {
        using namespace py::literals;
        return py::dict("epoch"_a = now.epoch, "epochs"_a = now.epochs, "sample"_a = now.sample,
                        "samples_per_epoch"_a = now.samples_per_epoch, "seconds"_a = now.seconds,
                        "weight_updates"_a = now.weight_updates,
                        "error_progressive"_a = now.error_progressive,
                        "error_recent"_a = now.error_recent, "polish_round"_a = now.polish_round);
    }

    std::vector<std::string> column_names_;
    LabelledInput training_;
    std::optional<LabelledInput> test_;
    Watch watch_;
    std::optional<Trainer> trainer_;
};

py::list history_of(const Run& run) {
    using namespace py::literals;
    py::list list;
    for (const EpochReport& report : run.trainer().history()) {
        py::dict epoch("epoch"_a = report.epoch, "samples_seen"_a = report.samples_seen,
                       "seconds"_a = report.seconds,
                       "error_progressive"_a = report.error_progressive);
        if (const auto& test = report.test) {
            epoch["error_map"] = test->error_map;
            epoch["error_mean"] = test->error_mean;
            epoch["nll"] = test->nll;
            epoch["brier"] = test->brier;
            epoch["ece"] = test->ece;
            epoch["validity"] = test->validity;
        }
        list.append(epoch);
    }
    return list;
}

}  // namespace

void bind_training(py::module_& module) {
    const auto column_names = py::arg("column_names") = std::vector<std::string>();
    const auto image_shape = py::arg("image_shape") = py::none();
    const auto options = py::arg("options") = py::dict();
    module.def(
        "new_model",
        [](const py::object& rows, const std::vector<std::string>& class_names,
           const py::dict& given, const std::vector<std::string>& names, const ImageShape& image) {
            Input input(rows);
            describe(input.rows(), names, image);
            const TrainOptions chosen = options_of(given);
            const py::gil_scoped_release release;
            return std::make_unique<SharedModel>(
                bitbayes::new_model(input.rows(), class_names, chosen));
        },
        py::arg("rows"), py::arg("class_names"), options, column_names, image_shape,
        "A model that has learned nothing: the statistics of the columns are those of the rows.");
    py::class_<Run>(module, "Trainer", "A run that can be stopped.")
        .def(py::init<const py::object&, const py::object&, const py::object&, const py::dict&,
                      const py::object&, std::vector<std::string>, const ImageShape&,
                      const py::object&>(),
             py::arg("rows"), py::arg("labels") = py::none(), py::arg("class_names") = py::none(),
             options, py::arg("weights") = py::none(), column_names, image_shape,
             py::arg("test") = py::none())
        .def("run", &Run::run, py::arg("progress") = py::none())
        .def("model",
             [](const Run& run) {
                 const py::gil_scoped_release release;
                 return std::make_unique<SharedModel>(run.trainer().model());
             })
        .def_property_readonly("options",
                               [](const Run& run) { return dict_of(run.trainer().options()); })
        .def_property_readonly("trials",
                               [](const Run& run) {
                                   py::list list;
                                   for (const EvidenceTrial& trial : run.trainer().trials()) {
                                       list.append(py::make_tuple(trial.evidence, trial.nll));
                                   }
                                   return list;
                               })
        .def_property_readonly("history", &history_of)
        .def_property_readonly("seconds", [](const Run& run) { return run.trainer().seconds(); })
        .def_property_readonly("seconds_auto",
                               [](const Run& run) { return run.trainer().seconds_auto(); })
        .def_property_readonly("seconds_polish",
                               [](const Run& run) { return run.trainer().seconds_polish(); })
        .def_property_readonly("error_progressive",
                               [](const Run& run) { return run.trainer().error_progressive(); })
        .def_property_readonly("test", [](const Run& run) -> py::object {
            const auto& test = run.trainer().final_test();
            return test ? py::object(dict_of(*test)) : py::none();
        });
}

}  // namespace bitbayes::python

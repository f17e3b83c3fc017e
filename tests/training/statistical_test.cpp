// The float kernels learn as well as the double core: final errors over 20 seeds, both fed the same preprocessed inputs
// in the same order from the same prior. Minutes; docs/accuracy.md has the result of one run.
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <numeric>

#include <gtest/gtest.h>

#include "base/philox.hpp"
#include "base/thread_team.hpp"
#include "bitbayes/read.hpp"
#include "core/network.hpp"
#include "data/split.hpp"
#include "data/teacher.hpp"
#include "learn/metrics.hpp"
#include "training/evaluate.hpp"
#include "training/trainer.hpp"

namespace bitbayes::training {
namespace {

constexpr std::size_t kSeeds = 20;

/// In percent.
struct Errors {
    double map = 0, mean = 0;
};

struct Run {
    Errors core, fast;
    double drift = 0;       // largest |h_float - h_double|
    double other_sign = 0;  // weights
};

core::Network core_network(const learn::ModelState& model) {
    std::vector<std::size_t> fan_in;
    for (const learn::LayerPosterior& layer : model.posterior.layers)
        fan_in.push_back(layer.shape.fan_in);
    core::Network network(fan_in, model.architecture.outputs());
    for (std::size_t l = 0; l < fan_in.size(); ++l) {
        core::Layer& layer = network.layers()[l];
        for (std::size_t i = 0; i < layer.V; ++i) {
            const auto h = model.posterior.layers[l].row(i);
            std::copy(h.begin(), h.end(),
                      layer.h.begin() + static_cast<std::ptrdiff_t>(i * layer.K));
        }
    }
    return network;
}

/// Calls use(x, label) for the given rows.
void for_each_row(const learn::ModelState& model, const Dataset& data,
                  std::span<const std::size_t> rows,
                  const std::function<void(std::span<const double>, std::uint32_t)>& use) {
    const auto labels = labels_among(data, model.class_names);
    data::InputBlock block;
    std::vector<double> x(model.preprocessing.inputs());
    const auto live = model.preprocessing.live_inputs();
    for (const std::size_t row : rows) {
        model.preprocessing.apply(data, {&row, 1}, block);
        for (std::size_t k = 0; k < live.size(); ++k) x[live[k]] = block.value[k];
        use(x, labels[row]);
    }
}

/// Error of the mean output, computed in double.
double mean_error(core::Network& network, const learn::ModelState& model, const Dataset& test) {
    std::vector<std::size_t> rows(test.rows);
    std::iota(rows.begin(), rows.end(), std::size_t{0});
    const core::Layer& top = network.layers().back();
    std::vector<float> z(top.V);
    std::size_t errors = 0;
    for_each_row(model, test, rows, [&](std::span<const double> x, std::uint32_t label) {
        network.forward(x);
        for (std::size_t k = 0; k < z.size(); ++k) {
            z[k] = static_cast<float>(top.mu[k] / std::sqrt(top.sigma2[k]));
        }
        errors += learn::winner(z) != label;
    });
    return 100 * static_cast<double>(errors) / static_cast<double>(test.rows);
}

/// Error of the clipped network, whose weights are the signs of the core's h.
double map_error(const core::Network& network, learn::ModelState model, const Dataset& test) {
    for (std::size_t l = 0; l < network.layers().size(); ++l) {
        const core::Layer& layer = network.layers()[l];
        for (std::size_t i = 0; i < layer.V; ++i) {
            const auto h = model.posterior.layers[l].row(i);
            for (std::size_t j = 0; j < layer.K; ++j) {
                h[j] = layer.h[i * layer.K + j] >= 0 ? 1.0f : -1.0f;
            }
        }
    }
    return 100 * evaluate(learn::LiveModel(std::move(model)), test, 1).error_map;
}

core::Network train_core(const learn::ModelState& initial, const Dataset& training,
                         const TrainOptions& options) {
    core::Network network = core_network(initial);
    std::vector<double> y(initial.architecture.outputs());
    for (std::uint32_t epoch = 0; epoch < options.epochs; ++epoch) {
        const auto shuffled =
            Philox(options.seed, Purpose::kShuffle, epoch).permutation(training.rows);
        const std::vector<std::size_t> order(shuffled.begin(), shuffled.end());
        for_each_row(initial, training, order, [&](std::span<const double> x, std::uint32_t label) {
            for (std::size_t k = 0; k < y.size(); ++k) {
                y[k] = label == (y.size() == 1 ? 1 : k) ? 1 : -1;
            }
            network.step(x, y);
        });
    }
    return network;
}

Run train_both(const LoadedData& data, const TrainOptions& options) {
    const learn::ModelState initial = initial_model(data.train, options);
    core::Network exact = train_core(initial, data.train, options);
    Trainer trainer(initial, data.train, LabelledRows(data.test), options);
    trainer.run({});
    const Evaluation& test = *trainer.position().history.back().test;
    Run run{{map_error(exact, initial, data.test), mean_error(exact, initial, data.test)},
            {100 * test.error_map, 100 * test.error_mean}};
    const core::Network fast = core_network(trainer.model().snapshot());
    for (std::size_t l = 0; l < exact.layers().size(); ++l) {
        const auto &a = exact.layers()[l].h, &b = fast.layers()[l].h;
        for (std::size_t ij = 0; ij < a.size(); ++ij) {
            run.drift = std::max(run.drift, std::fabs(a[ij] - b[ij]));
            run.other_sign += (a[ij] >= 0) != (b[ij] >= 0);
        }
    }
    return run;
}

std::vector<Run> run_all(TrainOptions options,
                         const std::function<LoadedData(std::uint64_t seed)>& load) {
    std::vector<Run> runs(kSeeds);
    options.threads = 1;
    ThreadTeam(2).run(kSeeds, [&](std::size_t n) {
        TrainOptions mine = options;
        mine.seed = n + 1;
        runs[n] = train_both(load(mine.seed), mine);
    });
    return runs;
}

struct Summary {
    double mean = 0, deviation = 0;

    Summary(const std::vector<Run>& runs, const std::function<double(const Run&)>& value) {
        const auto n = static_cast<double>(runs.size());
        for (const Run& run : runs) mean += value(run) / n;
        for (const Run& run : runs) deviation += (value(run) - mean) * (value(run) - mean);
        deviation = std::sqrt(deviation / (n - 1));
    }
    double error_of_mean() const { return deviation / std::sqrt(double{kSeeds}); }
};

/// The mean difference over seeds is within 3 standard errors of 0, or below 0.1 percentage points.
void expect_equal(const char* task, const std::vector<Run>& runs) {
    for (const auto& [name, part] : {std::pair{"MAP", &Errors::map}, {"mean", &Errors::mean}}) {
        const Summary core(runs, [&](const Run& run) { return run.core.*part; });
        const Summary fast(runs, [&](const Run& run) { return run.fast.*part; });
        const Summary difference(runs,
                                 [&](const Run& run) { return run.fast.*part - run.core.*part; });
        std::printf("| %s | %s | %.3f +- %.3f | %.3f +- %.3f | %+.4f +- %.4f |\n", task, name,
                    core.mean, core.deviation, fast.mean, fast.deviation, difference.mean,
                    difference.error_of_mean());
        EXPECT_LE(std::fabs(difference.mean), std::max(0.1, 3 * difference.error_of_mean()))
            << task << ", " << name;
        EXPECT_LT(core.mean, 30) << "nothing was learned";
    }
    double smallest_drift = runs[0].drift, largest_drift = 0, other_sign = 0;
    for (const Run& run : runs) {
        smallest_drift = std::min(smallest_drift, run.drift);
        largest_drift = std::max(largest_drift, run.drift);
        other_sign += run.other_sign;
    }
    std::printf("%s: largest drift of h %.2g to %.2g, weights of another sign %g over all seeds\n",
                task, smallest_drift, largest_drift, other_sign);
    EXPECT_GT(smallest_drift, 0) << "the same numbers were compared with themselves";
}

TEST(Statistical, TeacherStudent) {
    TrainOptions options;
    options.tree = {21};
    options.epochs = 1;
    expect_equal("teacher-student, M = 21", run_all(options, [](std::uint64_t seed) {
                     return data::make_teacher(21, seed, 20000, 5000);
                 }));
}

TEST(Statistical, Optdigits) {
    const std::string folder = std::string(BITBAYES_SHARED_DATA) + "/optdigits/optdigits.";
    if (!std::filesystem::exists(folder + "tra.csv.gz")) GTEST_SKIP() << "no " << folder;
    const LoadedData data{load_dataset(folder + "tra.csv.gz"), load_dataset(folder + "tes.csv.gz")};
    TrainOptions options;
    options.tree = {15};
    options.epochs = 3;
    options.preprocess = "center";
    expect_equal("optdigits, --tree 15, 3 epochs",
                 run_all(options, [&](std::uint64_t) { return data; }));
}

}  // namespace
}  // namespace bitbayes::training

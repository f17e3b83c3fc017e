// One benchmark per function of a kernel table, level and fan-in; 301 neurons. The time per weight is
// the counter `s/weight`. For complete learning, interleaved and compared with the core, see
// `bitbayes bench train`.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <cmath>
#include <deque>
#include <functional>
#include <random>
#include <string>

#include "bench/subjects.hpp"

namespace {

using namespace bitbayes;
using cli::bench::FloatLayer;
using cli::bench::KernelLayer;
using cli::bench::kNeurons;
using cli::bench::NeuronMoments;
using cli::bench::TrainedLayer;
using kernels::KernelTable;

void count(benchmark::State& state, std::size_t units, const char* name) {
    state.counters[name] = benchmark::Counter(
        static_cast<double>(units),
        benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

void fma_chains(benchmark::State& state, const KernelTable& table) {
    constexpr std::size_t kRounds = 1000;
    for (auto _ : state) benchmark::DoNotOptimize(table.fma_chains(kRounds).sum);
    count(state, table.fma_chains(1).instructions * kRounds, "s/instruction");
}

void weight_means(benchmark::State& state, const KernelTable& table, const TrainedLayer& start) {
    KernelLayer layer = start.layer;
    for (auto _ : state) {
        table.weight_means(layer.h.data(), layer.w.data(), layer.h.size());
        benchmark::ClobberMemory();
    }
    count(state, layer.h.size(), "s/weight");
}

void measure(benchmark::State& state, const KernelTable& table, const TrainedLayer& start) {
    kernels::InputRow row = start.rows[0];
    for (auto _ : state) {
        table.measure(row);
        benchmark::DoNotOptimize(row.square_sum);
    }
    count(state, start.fan_in, "s/input");
}

void forward_input(benchmark::State& state, const KernelTable& table, const TrainedLayer& start) {
    FloatLayer layer(start);
    for (auto _ : state) layer.forward(table);
    count(state, start.weights(), "s/weight");
}

// Restores the trained h every kSamples samples, untimed, so that it does not drift far.
void learn_input(benchmark::State& state, const KernelTable& table, const TrainedLayer& start) {
    constexpr std::size_t kSamples = 512;
    FloatLayer layer(start);
    std::size_t done = 0;
    for (auto _ : state) {
        if (done++ % kSamples == 0) {
            state.PauseTiming();
            layer.restore(table);
            state.ResumeTiming();
        }
        layer.learn(table, start.D);
    }
    count(state, start.weights(), "s/weight");
}

/// Layer 1 with K = 785 and normal h of a given size: how the time grows as weights become sure, and
/// with the number of neurons (0.1 to 1.9 MB of posterior).
void learn_sure(benchmark::State& state, const KernelTable& table, std::size_t neurons,
                float size) {
    constexpr std::size_t kFanIn = 785;
    std::mt19937 random(1);
    std::normal_distribution<float> normal;
    learn::LayerPosterior posterior({neurons, kFanIn});
    for (float& h : posterior.learned) h = size * normal(random);
    KernelLayer layer(posterior);
    AlignedVector<float> x(layer.shape.stride), D(padded(neurons));
    for (std::size_t j = 0; j < kFanIn; ++j) x[j] = normal(random);
    for (float& d : D) d = 0.01f * normal(random);
    kernels::InputRow row{x.data(), nullptr, x.size()};
    table.measure(row);
    NeuronMoments moments(neurons);
    table.mfb.forward_input(layer.means(), row, moments.view());
    std::size_t done = 0;
    for (auto _ : state) {
        table.mfb.learn_input(layer.slice(), row, moments.view(), {D.data(), false, 1}, &row,
                              moments.view());
        if (++done % kernels::kRefreshEvery == 0) {
            table.weight_means(layer.h.data(), layer.w.data(), layer.h.size());
        }
    }
    count(state, neurons * kFanIn, "s/weight");
}

/// Layer 2 of 301 trees, each with this fan-in, h and nu uniform.
struct HiddenLayer {
    KernelLayer start, layer;
    NeuronMoments moments{kNeurons};
    AlignedVector<float> nu, D, D_below;

    HiddenLayer(std::size_t fan_in, std::mt19937& random)
        : start(uniform_layer(fan_in, random)),
          layer(start),
          nu(padded(kNeurons * fan_in)),
          D(padded(kNeurons)),
          D_below(nu.size()) {
        std::uniform_real_distribution<float> uniform(-1, 1);
        for (float& value : nu) value = uniform(random);
        for (float& value : D) value = uniform(random);
    }

    static learn::LayerPosterior uniform_layer(std::size_t fan_in, std::mt19937& random) {
        std::uniform_real_distribution<float> uniform(-1, 1);
        learn::LayerPosterior posterior({kNeurons, fan_in});
        for (float& h : posterior.learned) h = uniform(random);
        return posterior;
    }
};

void forward_hidden(benchmark::State& state, const KernelTable& table, std::size_t fan_in) {
    std::mt19937 random(1);
    HiddenLayer hidden(fan_in, random);
    for (auto _ : state) {
        table.mfb.forward_hidden(hidden.layer.means(), hidden.nu.data(), hidden.moments.view());
        benchmark::ClobberMemory();
    }
    count(state, kNeurons * fan_in, "s/weight");
}

// Restores the first h before each call; the time includes that copy of h and w.
void backward_hidden(benchmark::State& state, const KernelTable& table, std::size_t fan_in) {
    std::mt19937 random(1);
    HiddenLayer hidden(fan_in, random);
    table.mfb.forward_hidden(hidden.layer.means(), hidden.nu.data(), hidden.moments.view());
    for (auto _ : state) {
        hidden.layer = hidden.start;
        table.mfb.backward_hidden(hidden.layer.slice(), hidden.nu.data(), hidden.moments.view(),
                                  {hidden.D.data(), false, 1}, hidden.D_below.data());
        benchmark::ClobberMemory();
    }
    count(state, kNeurons * fan_in, "s/weight");
}

using LayerBenchmark = void (*)(benchmark::State&, const KernelTable&, const TrainedLayer&);
using HiddenBenchmark = void (*)(benchmark::State&, const KernelTable&, std::size_t);

void add(const char* function, const KernelTable& table, std::size_t fan_in,
         const std::function<void(benchmark::State&)>& run) {
    const auto name = std::string(function) + "/" + table.name + "/" + std::to_string(fan_in);
    benchmark::RegisterBenchmark(name.c_str(), run);
}

void add_all(const std::deque<TrainedLayer>& layers) {
    constexpr std::pair<const char*, LayerBenchmark> kOfLayers[] = {
        {"weight_means", weight_means},
        {"measure", measure},
        {"forward_input", forward_input},
        {"learn_input", learn_input}};
    constexpr std::pair<const char*, HiddenBenchmark> kOfHidden[] = {
        {"forward_hidden", forward_hidden}, {"backward_hidden", backward_hidden}};
    constexpr std::pair<std::size_t, float> kSureLayers[] = {
        {20, 0.1f}, {60, 0.1f}, {150, 0.1f}, {301, 0.1f}, {301, 0.3f}, {301, 1.0f}, {301, 3.0f}};
    for (const KernelTable* table : cli::bench::all_levels()) {
        benchmark::RegisterBenchmark(
            (std::string("fma_chains/") + table->name).c_str(),
            [table](benchmark::State& state) { fma_chains(state, *table); });
        for (const auto& [name, function] : kOfLayers) {
            for (const TrainedLayer& layer : layers) {
                add(name, *table, layer.fan_in,
                    [=, &layer, run = function](auto& state) { run(state, *table, layer); });
            }
        }
        for (const auto& [neurons, size] : kSureLayers) {
            const auto name =
                fmt::format("learn_sure/{}/h{}/neurons{}", table->name, size, neurons);
            benchmark::RegisterBenchmark(name.c_str(), [=, n = neurons, h = size](auto& state) {
                learn_sure(state, *table, n, h);
            });
        }
        for (const auto& [name, function] : kOfHidden) {
            for (const std::size_t fan_in : {15, 301}) {
                add(name, *table, fan_in,
                    [=, run = function](auto& state) { run(state, *table, fan_in); });
            }
        }
    }
}

}  // namespace

int main(int argc, char** argv) {
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
    std::mt19937 random(1);
    std::deque<TrainedLayer> layers;
    for (const std::size_t fan_in : {16, 64, 301, 785, 4096}) layers.emplace_back(fan_in, random);
    add_all(layers);
    benchmark::RunSpecifiedBenchmarks();
    benchmark::Shutdown();
}

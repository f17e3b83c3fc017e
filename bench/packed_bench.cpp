// A hidden dense layer of a packed network, width x width, per row of data: by bit planes, 32 rows at a
// time as Engine does, and by counting equal bits.
#include <benchmark/benchmark.h>

#include <random>
#include <vector>

#include "packed/plane_layer.hpp"

namespace {

using namespace bitbayes::packed;

constexpr std::size_t kRows = 32;

struct Subject {
    Layer layer;
    std::size_t words;                 // of a row of signs
    std::vector<std::uint64_t> signs;  // kRows rows

    explicit Subject(std::size_t width)
        : layer(width, width, true), words(width / 64 + 2), signs(kRows * words) {
        std::mt19937_64 random(1);
        for (std::uint64_t& word : layer.bits) word = random();
        for (std::uint64_t& word : signs) word = random();
        for (std::size_t i = 0; i < width; ++i)
            layer.threshold.push_back(random() % 2 == 0 ? 1 : -1);
    }
    void count_rows(benchmark::State& state) const {
        state.counters["s/row"] = benchmark::Counter(
            kRows, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
    }
};

void planes(benchmark::State& state) {
    const Subject subject(static_cast<std::size_t>(state.range(0)));
    const PlaneLayer layer({&subject.layer}, true, 1, best_planes());
    std::vector<Digits> digits(kRows);
    std::vector<std::uint64_t> result(kRows * layer.sign_words());
    for (auto _ : state) {
        for (std::size_t r = 0; r < kRows; ++r) {
            layer.write(subject.signs.data() + r * subject.words, digits[r]);
        }
        layer.add(digits, result.data(), nullptr);
        benchmark::DoNotOptimize(result.data());
    }
    subject.count_rows(state);
}

void equal_bits(benchmark::State& state) {
    const Subject subject(static_cast<std::size_t>(state.range(0)));
    const Layer& layer = subject.layer;
    std::vector<std::uint64_t> result(kRows * subject.words);
    for (auto _ : state) {
        std::fill(result.begin(), result.end(), 0);
        for (std::size_t r = 0; r < kRows; ++r) {
            for (std::size_t i = 0; i < layer.neurons; ++i) {
                const std::int64_t equal = best_planes().equal_bits(
                    layer.row(i), subject.signs.data() + r * subject.words, 0, layer.fan_in);
                const auto K = static_cast<std::int64_t>(layer.fan_in);
                result[r * subject.words + i / 64] |=
                    std::uint64_t{2 * equal - K >= layer.threshold[i]} << i % 64;
            }
        }
        benchmark::DoNotOptimize(result.data());
    }
    subject.count_rows(state);
}

BENCHMARK(planes)->Name("dense/planes")->RangeMultiplier(2)->Range(64, 4096);
BENCHMARK(equal_bits)->Name("dense/equal_bits")->RangeMultiplier(2)->Range(64, 4096);

}  // namespace

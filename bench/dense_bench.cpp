// The products of a dense layer of 1024 neurons on 1025 inputs for a batch of 100, one thread: our kernels, and
// the same products by OpenBLAS if it is installed (libopenblas0-pthread), each without what ours do besides.
#include <benchmark/benchmark.h>
#include <dlfcn.h>

#include <cstdlib>
#include <random>

#include "base/aligned.hpp"
#include "kernels/table.hpp"
#include "learn/dense_layer.hpp"

namespace bitbayes {
namespace {

constexpr std::size_t kNeurons = 1024, kInputs = 1025, kRows = 100;

AlignedVector<float> normals(std::size_t count, float size) {
    static std::mt19937 engine(1);
    std::normal_distribution<float> normal(0, size);
    AlignedVector<float> values(count);
    for (float& value : values) value = normal(engine);
    return values;
}

struct Subject {
    const kernels::KernelTable& table = kernels::best();
    learn::dense::Layer layer{{kNeurons, kInputs, learn::Connectivity::kDense}, kInputs};
    std::size_t x_stride = learn::dense::row_stride(kInputs);
    std::size_t d_stride = learn::dense::row_stride(kNeurons);
    AlignedVector<float> x = normals(kRows * x_stride, 1), squares = x;
    AlignedVector<float> S = normals(kRows * d_stride, 1), U = S, d = normals(S.size(), 1e-4f);
    AlignedVector<float> dT = normals(kNeurons * padded(kRows), 1e-4f);
    AlignedVector<float> eT = normals(kInputs * padded(kRows), 1);

    Subject() {
        learn::LayerPosterior posterior(layer.shape);
        const auto h = normals(posterior.learned.size(), 1);
        posterior.learned.assign(h.begin(), h.end());
        layer.take(posterior, nullptr, true, table);
        for (float& value : squares) value *= value;
    }
};

void share_of_peak(benchmark::State& state, double products) {
    state.counters["FMA/s"] = benchmark::Counter(products * kNeurons * kInputs * kRows,
                                                 benchmark::Counter::kIsIterationInvariantRate);
}

void dense_forward(benchmark::State& state) {
    Subject s;
    for (auto _ : state) {
        s.table.mfb_dense.forward(
            s.layer.some_means(0, s.layer.panels()),
            {s.x.data(), s.squares.data(), s.x_stride, kRows, nullptr, nullptr},
            {s.S.data(), s.U.data(), s.d_stride});
    }
    share_of_peak(state, 2);
}

void dense_messages(benchmark::State& state) {
    Subject s;
    for (auto _ : state) {
        s.table.dense.message(s.layer.some_means(0, s.layer.panels()), 0, kInputs, s.dT.data(),
                              s.eT.data(), padded(kRows));
    }
    share_of_peak(state, 1);
}

void dense_learn(benchmark::State& state) {
    Subject s;
    for (auto _ : state) {
        s.table.mfb_dense.learn(s.layer.some_panels(0, s.layer.panels()), s.x.data(), s.d.data(),
                                {kRows, s.x_stride, s.d_stride, 2});
    }
    share_of_peak(state, 1);
}

void fma_peak(benchmark::State& state) {
    constexpr std::size_t kRounds = 100000;
    const auto& table = kernels::best();
    const auto count = table.fma_chains(kRounds);
    for (auto _ : state) benchmark::DoNotOptimize(table.fma_chains(kRounds).sum);
    state.counters["FMA/s"] =
        benchmark::Counter(static_cast<double>(count.instructions * count.lanes),
                           benchmark::Counter::kIsIterationInvariantRate);
}

using Sgemm = void (*)(int, int, int, int, int, int, float, const float*, int, const float*, int,
                       float, float*, int);

Sgemm sgemm() {
    setenv("OPENBLAS_NUM_THREADS", "1", 1);
    void* library = dlopen("libopenblas.so.0", RTLD_NOW);
    return library == nullptr ? nullptr : reinterpret_cast<Sgemm>(dlsym(library, "cblas_sgemm"));
}

/// C = op(A) op(B) of m x n numbers, summed over k; row-major.
void openblas(benchmark::State& state, bool A_turned, bool B_turned, std::size_t m, std::size_t n,
              std::size_t k) {
    constexpr int kRowMajor = 101, kPlain = 111, kTurned = 112;
    const Sgemm multiply = sgemm();
    if (multiply == nullptr) return state.SkipWithError("no libopenblas.so.0");
    const auto A = normals(m * k, 1), B = normals(k * n, 1);
    AlignedVector<float> C(m * n);
    const int M = static_cast<int>(m), N = static_cast<int>(n), K = static_cast<int>(k);
    for (auto _ : state) {
        multiply(kRowMajor, A_turned ? kTurned : kPlain, B_turned ? kTurned : kPlain, M, N, K, 1,
                 A.data(), A_turned ? M : K, B.data(), B_turned ? K : N, 0, C.data(), N);
    }
    share_of_peak(state, 1);
}

BENCHMARK(fma_peak)->Name("products/fma_peak");
BENCHMARK(dense_forward)->Name("products/forward")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(openblas, forward, false, true, kRows, kNeurons, kInputs)
    ->Name("products/openblas_one_of_two_forward")
    ->Unit(benchmark::kMillisecond);
BENCHMARK(dense_messages)->Name("products/messages")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(openblas, messages, false, false, kRows, kInputs, kNeurons)
    ->Name("products/openblas_messages")
    ->Unit(benchmark::kMillisecond);
BENCHMARK(dense_learn)->Name("products/gradient_and_update")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(openblas, gradient, true, false, kNeurons, kInputs, kRows)
    ->Name("products/openblas_gradient")
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace bitbayes

// The speed of learning of networks with dense layers, compared with the machine's own peak and
// with a PyTorch BinaryNet of the same shape. All take turns, one slice of time each; a figure is
// the best slice. PyTorch runs before and after the others.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "bench/slices.hpp"
#include "bench/torch.hpp"

namespace bitbayes::cli {

struct DenseBenchOptions {
    BenchOptions turns;
    std::vector<std::size_t> widths;  // of the hidden layers, input side first
    std::size_t batch = 100;
    bool until_error = false;  // also train on MNIST until 3 % test error
};

struct DenseRow {
    unsigned threads = 1;
    double ns_per_weight = 0;  // per weight and sample
    double fma_per_ns = 0;     // of single floats: the peak of so many threads at once
};

/// Seconds of training on MNIST until 3 % test error; unset: not within the limit.
struct UntilError {
    std::optional<double> clipped, mean;
    BinaryNetTime torch;
    std::string missing;  // why there are no figures
};

struct DenseBench {
    std::string simd_level;
    std::vector<std::size_t> widths;
    std::size_t batch = 0;
    std::size_t weights = 0;
    double fma_per_sample = 0;   // of the four products
    std::vector<DenseRow> rows;  // one thread and, if there are more, all
    BinaryNetTime torch;         // seconds per epoch
    std::optional<UntilError> until;

    double fma_peak_share(const DenseRow& row) const;
    double samples_per_second(const DenseRow& row) const;
    double epoch_seconds(const DenseRow& row) const;  // of 60,000 rows
    /// On all threads; NaN without PyTorch.
    double speedup_vs_torch() const;
};

DenseBench bench_dense(const DenseBenchOptions& options);

}  // namespace bitbayes::cli

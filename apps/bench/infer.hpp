// The speed of answers on one core: the packed network, the mean network and PyTorch. All take
// turns, one slice of time each; a figure is the best slice. PyTorch runs before and after the
// others.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "bench/slices.hpp"
#include "bench/torch.hpp"

namespace bitbayes::cli {

/// `name`: "packed TYPE", "mean" (float32 kernels) or "torch".
struct InferRow {
    std::string name;
    std::size_t batch = 1;
    double images_per_second = 0;
};

struct InferBench {
    std::string network;  // a file, or "random"
    std::string data;     // DATA, or "synthetic"
    std::string level;    // of the packed network's loops
    std::size_t weights = 0;
    std::vector<InferRow> rows;
    TorchSpeed torch;

    /// Images per second with the larger batch, which comes first; NaN if there is no such row.
    double speed(const std::string& name) const;
    /// Images per second with the network's own column type.
    double packed_speed() const { return rows.front().images_per_second; }
    std::size_t float_bytes() const { return 4 * weights; }
    std::size_t packed_bytes() const { return (weights + 7) / 8; }
    double bytes_ratio() const {
        return static_cast<double>(float_bytes()) / static_cast<double>(packed_bytes());
    }
};

/// Rows per call.
inline constexpr std::size_t kInferBatch = 1000;

/// Without a network: random weights in the paper's shape, on MNIST's test images if they have been
/// fetched.
InferBench bench_infer(const std::string& network, const std::string& data,
                       const BenchOptions& options);

}  // namespace bitbayes::cli

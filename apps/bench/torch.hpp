// What `bench` compares with, in PyTorch and float32, in a process of its own: `infer` with the same
// network on one thread, `train --dense` with bench/binarynet.py on all cores.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "bench/slices.hpp"

namespace bitbayes::cli {

struct TorchShape {
    std::size_t columns = 0;
    std::vector<std::size_t> neurons;  // per layer; the first reads all columns, others are trees
};

struct TorchSpeed {
    double images_per_second = 0;
    std::string version;  // of PyTorch
    std::string missing;  // why there is no figure
};

/// The best of `slices` slices of time.
TorchSpeed torch_speed(const TorchShape& shape, std::size_t batch, std::size_t slices,
                       double slice_seconds);

/// A BinaryNet: inputs, hidden layers and classes, learned in batches.
struct BinaryNetShape {
    std::vector<std::size_t> layers;
    std::size_t batch = 100;
};

struct BinaryNetTime {
    std::optional<double>
        seconds;  // of training; unset: the error was not reached, or see `missing`
    unsigned threads = 0;
    std::string version, missing;  // as above
};

/// Seconds per epoch of 60,000 rows: the best of `slices` slices of time.
BinaryNetTime binarynet_epoch(const BinaryNetShape& shape, const BenchOptions& options);
/// Seconds until the test error, looked at after each epoch; unset if it takes longer than `limit`.
/// `folder` holds the four files of MNIST.
BinaryNetTime binarynet_until(const BinaryNetShape& shape, double error, const std::string& folder,
                              double limit);

}  // namespace bitbayes::cli

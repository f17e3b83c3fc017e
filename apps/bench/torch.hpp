// The same network in PyTorch, float32, one thread: what `bench infer` compares with.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

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

/// The best of `slices` slices of time. Runs in a separate process.
TorchSpeed torch_speed(const TorchShape& shape, std::size_t batch, std::size_t slices,
                       double slice_seconds);

}  // namespace bitbayes::cli

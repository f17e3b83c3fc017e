// The paper's baselines: BackProp on real weights with the same converging architecture, and
// Clipped BackProp, the sign of its weights. The loops are kernels/backprop_kernels-inl.hpp; trees,
// blocks, files and the clipped network are shared with MFB.
#pragma once

#include <cstddef>

namespace bitbayes::learn {

/// The paper's learning rates, found by a scan: 0.1 for M = 3 inputs, 0.03 for 5 to 9, 0.003 for 21
/// to 51, 0.001 for 101 and for MNIST.
inline double paper_learning_rate(std::size_t inputs) {
    if (inputs <= 3) return 0.1;
    if (inputs <= 9) return 0.03;
    return inputs <= 51 ? 0.003 : 0.001;
}

}  // namespace bitbayes::learn

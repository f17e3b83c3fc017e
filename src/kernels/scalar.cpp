// The plain twin of every SIMD level: sixteen lanes as an array, std::fma.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "base/aligned.hpp"
#include "kernels/table.hpp"

namespace bitbayes::kernels {
namespace {

// The order matters.
// clang-format off
#include "kernels/lanes_scalar-inl.hpp"
#include "kernels/pair-inl.hpp"
#include "kernels/lane_math-inl.hpp"
#include "kernels/fma_probe-inl.hpp"
#include "kernels/steps-inl.hpp"
#include "kernels/tree_kernels-inl.hpp"
#include "kernels/backprop_math-inl.hpp"
#include "kernels/backprop_kernels-inl.hpp"
#include "kernels/dense_kernels-inl.hpp"
// clang-format on

}  // namespace

const KernelTable& scalar() {
    static const KernelTable table = make_table("scalar");
    return table;
}

}  // namespace bitbayes::kernels

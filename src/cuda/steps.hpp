// Inputs, and the steps of trees and dense layers, for the compiler that includes it: the card's (.cu files), or the host's (tests/cuda).
#pragma once

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "base/philox.hpp"
#include "cuda/dense.hpp"
#include "cuda/inputs.hpp"
#include "cuda/packed.hpp"
#include "cuda/trees.hpp"
#include "kernels/table.hpp"

#ifdef __CUDACC__
#define BITBAYES_UNROLL _Pragma("unroll")
#define BITBAYES_UNROLL_TIMES _Pragma("unroll (kTimes)")
#define BITBAYES_NO_UNROLL _Pragma("unroll 1")
#else
#define BITBAYES_UNROLL
#define BITBAYES_UNROLL_TIMES
#define BITBAYES_NO_UNROLL
#endif

namespace bitbayes::cuda::steps {

using kernels::kMovedSince;
using kernels::kRefreshEvery;
using kernels::kSmallest;
using kernels::kTiny;
using kernels::kVarianceFloor;

#ifdef __CUDACC__
BITBAYES_INLINE std::uint32_t float_to_bits(float x) { return __float_as_uint(x); }
BITBAYES_INLINE float bits_to_float(std::uint32_t x) { return __uint_as_float(x); }
#else
BITBAYES_INLINE std::uint32_t float_to_bits(float x) { return std::bit_cast<std::uint32_t>(x); }
BITBAYES_INLINE float bits_to_float(std::uint32_t x) { return std::bit_cast<float>(x); }
#endif
BITBAYES_INLINE bool is_finite(float x) { return (float_to_bits(x) & 0x7f800000u) != 0x7f800000u; }

// The order matters.
// clang-format off
#include "cuda/one_lane-inl.hpp"
#include "kernels/lane_math-inl.hpp"
#include "kernels/steps-inl.hpp"
#include "kernels/backprop_math-inl.hpp"
#include "cuda/input_weights-inl.hpp"
#include "cuda/input_neuron-inl.hpp"
#include "cuda/input_rows-inl.hpp"
#include "cuda/upper_layers-inl.hpp"
#include "cuda/tree_block-inl.hpp"
#include "cuda/tree_answers-inl.hpp"
#include "cuda/dense_product-inl.hpp"
#include "cuda/dense_steps-inl.hpp"
#include "cuda/packed_neuron-inl.hpp"
// clang-format on

}  // namespace bitbayes::cuda::steps

// A real card, its stream and its errors, for the .cu files alone. Those of its functions that return text return what
// card_functions.hpp says.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

#include "cuda/dense.hpp"
#include "cuda/inputs.hpp"
#include "cuda/packed.hpp"
#include "cuda/trees.hpp"

namespace bitbayes::cuda::real {

/// Threads of a block of the kernels for trees, at most: 168 registers for each; beside another block, or another side, 80.
inline constexpr std::uint32_t kThreads = 384, kThreadsOfTwo = 384;
inline constexpr std::uint32_t kRefreshThreads = 256;

struct CudaCard {
    int number;
    int shared_bytes = 0;  // that a block may have
    cudaStream_t stream = nullptr;
    char* staging = nullptr;        // pinned: what is uploaded goes through it
    std::size_t staged = 0;         // bytes of it that may still be on their way
    std::uint32_t* flag = nullptr;  // on the card
    static constexpr std::size_t kStagingBytes = 4 << 20;
};

/// Makes it the card of this thread.
CudaCard& card_of(void* card);
/// Null for a success.
const char* told(cudaError_t error, const char* doing);
/// Waits for all that was begun.
cudaError_t finish(CudaCard& card);

/// As much as a block may have, whatever it takes: several threads may set up the same kernel at once.
template <class Argument>
cudaError_t allow_shared_memory(const CudaCard& card, void (*kernel)(Argument)) {
    return cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                card.shared_bytes);
}

/// Waits until it is done, so that failures are told by the call that caused them.
template <class Argument>
const char* launch(CudaCard& card, void (*kernel)(Argument), std::uint32_t blocks, dim3 threads,
                   std::size_t shared_bytes, const Argument& argument, bool together) {
    auto error = allow_shared_memory(card, kernel);
    if (error != cudaSuccess) return told(error, "taking shared memory");
    void* arguments[] = {const_cast<Argument*>(&argument)};
    const auto* function = reinterpret_cast<const void*>(kernel);
    error = together
                ? cudaLaunchCooperativeKernel(function, blocks, threads, arguments, shared_bytes,
                                              card.stream)
                : cudaLaunchKernel(function, blocks, threads, arguments, shared_bytes, card.stream);
    if (error != cudaSuccess) return told(error, "starting work on the card");
    return told(finish(card), "working on the card");
}

// tree_kernels.cu
const char* learn(void* card, const TreeLessons* lessons);
const char* blocks_at_once(void* card, const TreeLesson* lesson, std::uint32_t* blocks);
const char* answer(void* card, const TreeQuestion* question);
const char* refresh(void* card, const Trees* trees);
// dense_kernels.cu
const char* run(void* card, const DenseWork* work, const DenseGrid* grid);
// row_kernels.cu
const char* prepare(void* card, const InputWork* work);
const char* add_up(void* card, const PackedWork* work);

}  // namespace bitbayes::cuda::real

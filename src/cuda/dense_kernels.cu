// Kernels around dense_steps-inl.hpp.
#include "cuda/launch.cuh"
#include "cuda/steps.hpp"
#include "cuda/team.cuh"

namespace bitbayes::cuda::real {
namespace {

/// Two blocks of a multiprocessor hide each other's waiting; more would leave too few registers for the tiles.
template <class Rule, DenseStep kStep, TileSize kSize>
__global__ void __launch_bounds__(dense_threads<kStep, kSize>(!Rule::kHasH), 2)
    dense_kernel(const __grid_constant__ DenseWork work) {
    extern __shared__ __align__(16) float shared[];
    steps::dense_step<Rule, kStep, kSize>(CudaTeam{}, work, shared);
}

using DenseKernel = void (*)(DenseWork);

template <DenseStep kStep, TileSize kSize>
DenseKernel dense_kernel_by(bool backprop) {
    if constexpr (has_tile(kStep, kSize)) {
        return backprop ? dense_kernel<steps::Backprop, kStep, kSize>
                        : dense_kernel<steps::Mfb, kStep, kSize>;
    }
    return nullptr;
}

template <TileSize kSize>
DenseKernel dense_kernel_of(const DenseWork& work) {
    switch (work.step) {
        case DenseStep::kForward:
            return dense_kernel_by<DenseStep::kForward, kSize>(work.backprop);
        case DenseStep::kTop:
            return dense_kernel_by<DenseStep::kTop, kSize>(work.backprop);
        case DenseStep::kVariance:
            return dense_kernel_by<DenseStep::kVariance, kSize>(work.backprop);
        case DenseStep::kMessage:
            return dense_kernel_by<DenseStep::kMessage, kSize>(work.backprop);
        case DenseStep::kMessageFew:
            return dense_kernel_by<DenseStep::kMessageFew, kSize>(work.backprop);
        case DenseStep::kUpdate:
            return dense_kernel_by<DenseStep::kUpdate, kSize>(work.backprop);
        case DenseStep::kSparseForward:
            return dense_kernel_by<DenseStep::kSparseForward, kSize>(work.backprop);
        case DenseStep::kSparseUpdate:
            return dense_kernel_by<DenseStep::kSparseUpdate, kSize>(work.backprop);
        case DenseStep::kTreeForward:
            return dense_kernel_by<DenseStep::kTreeForward, kSize>(work.backprop);
        case DenseStep::kTreeTop:
            return dense_kernel_by<DenseStep::kTreeTop, kSize>(work.backprop);
        case DenseStep::kTreeMessage:
            return dense_kernel_by<DenseStep::kTreeMessage, kSize>(work.backprop);
        case DenseStep::kTreeUpdate:
            return dense_kernel_by<DenseStep::kTreeUpdate, kSize>(work.backprop);
        case DenseStep::kForget:
            break;
    }
    return dense_kernel_by<DenseStep::kForget, kSize>(work.backprop);
}

}  // namespace

const char* run(void* card, const DenseWork* work, const DenseGrid* grid) {
    CudaCard& self = card_of(card);
    const DenseKernel kernel =
        grid->size == TileSize::kLarge    ? dense_kernel_of<TileSize::kLarge>(*work)
        : grid->size == TileSize::kMedium ? dense_kernel_of<TileSize::kMedium>(*work)
                                          : dense_kernel_of<TileSize::kSmall>(*work);
    if (const auto error = allow_shared_memory(self, kernel))
        return told(error, "taking shared memory");
    void* arguments[] = {const_cast<DenseWork*>(work)};
    return told(cudaLaunchKernel(reinterpret_cast<const void*>(kernel), grid->blocks, grid->threads,
                                 arguments, grid->shared_bytes, self.stream),
                "starting work on the card");
}

}  // namespace bitbayes::cuda::real

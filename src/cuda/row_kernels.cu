// Kernels around input_rows-inl.hpp and packed_neuron-inl.hpp.
#include "cuda/launch.cuh"
#include "cuda/steps.hpp"
#include "cuda/team.cuh"

namespace bitbayes::cuda::real {
namespace {

constexpr std::uint32_t kRowThreads = 256, kPackedThreads = 256;

__global__ void __launch_bounds__(kRowThreads)
    prepare_inputs(const __grid_constant__ InputWork work) {
    steps::prepare_rows(CudaTeam{}, work);
}

__global__ void __launch_bounds__(kPackedThreads)
    add_up_packed(const __grid_constant__ PackedWork work) {
    const std::size_t at = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (at < work.places()) steps::packed_neuron(work, at);
}

}  // namespace

const char* prepare(void* card, const InputWork* work) {
    constexpr std::uint32_t kRows = kRowThreads / kGroup;
    return launch(card_of(card), prepare_inputs, (work->rows + kRows - 1) / kRows, kRowThreads, 0,
                  *work, false);
}

const char* add_up(void* card, const PackedWork* work) {
    const CudaCard& self = card_of(card);
    const auto blocks =
        static_cast<unsigned>((work->places() + kPackedThreads - 1) / kPackedThreads);
    add_up_packed<<<blocks, kPackedThreads, 0, self.stream>>>(*work);
    return told(cudaGetLastError(), "starting work on the card");
}

}  // namespace bitbayes::cuda::real

// The CUDA part: a card's memory, and the table of what it offers. Compute capability 7.5 and up: threads of a warp wait for different
// words independently.
#include <cstdio>
#include <cstring>
#include <string>

#include "cuda/card_functions.hpp"
#include "cuda/launch.cuh"
#include "cuda/steps.hpp"

namespace bitbayes::cuda::real {
namespace {

constexpr std::uint32_t kChainThreads = 1024, kChains = 8, kChainSteps = 64;

__global__ void __launch_bounds__(kChainThreads)
    fma_chains(float* out, float factor, std::uint32_t rounds) {
    float x[kChains];
    for (std::uint32_t k = 0; k < kChains; ++k) x[k] = static_cast<float>(threadIdx.x + k);
    for (std::uint32_t r = 0; r < rounds; ++r) {
        BITBAYES_UNROLL
        for (std::uint32_t s = 0; s < kChainSteps; ++s) {
            BITBAYES_UNROLL
            for (std::uint32_t k = 0; k < kChains; ++k) x[k] = fmaf(x[k], factor, 1.0f);
        }
    }
    float sum = 0;
    for (std::uint32_t k = 0; k < kChains; ++k) sum += x[k];
    if (sum == 0) *out = sum;  // never, but the compiler does not know
}

__global__ void find_infinite(const float* values, std::size_t count, std::uint32_t* found) {
    const std::size_t first = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x,
                      step = static_cast<std::size_t>(gridDim.x) * blockDim.x;
    bool finite = true;
    for (std::size_t at = first; at < count; at += step)
        finite = finite && steps::is_finite(values[at]);
    if (!finite) *found = 1;
}

/// With 256 rows, calls and copies took a tenth of the time that the paper's network needs to learn them.
constexpr std::size_t kBlockRows = 2048;

/// What went wrong in the last call of this thread.
thread_local std::string message;

cudaError_t set_up(CudaCard& card, CardFacts* facts) {
    cudaDeviceProp properties{};
    if (const auto error = cudaSetDevice(card.number)) return error;
    if (const auto error = cudaGetDeviceProperties(&properties, card.number)) return error;
    if (properties.major * 10 + properties.minor < 75) return cudaErrorNoKernelImageForDevice;
    std::size_t total = 0;
    if (const auto error = cudaMemGetInfo(&facts->memory_bytes, &total)) return error;
    std::snprintf(facts->name, sizeof facts->name, "%s", properties.name);
    facts->block_rows = kBlockRows;
    facts->multiprocessors = static_cast<std::uint32_t>(properties.multiProcessorCount);
    facts->threads_per_block = kThreads;
    facts->threads_of_two_blocks = kThreadsOfTwo;
    facts->shared_bytes_per_block = properties.sharedMemPerBlockOptin;
    facts->half_shared_bytes =
        properties.sharedMemPerMultiprocessor / 2 - properties.reservedSharedMemPerBlock;
    card.shared_bytes = static_cast<int>(properties.sharedMemPerBlockOptin);
    if (const auto error = cudaStreamCreateWithFlags(&card.stream, cudaStreamNonBlocking))
        return error;
    if (const auto error = cudaMalloc(&card.flag, sizeof *card.flag)) return error;
    return cudaMallocHost(&card.staging, CudaCard::kStagingBytes);
}

void close(void* card) {
    CudaCard& self = card_of(card);
    if (self.staging != nullptr) cudaFreeHost(self.staging);
    if (self.flag != nullptr) cudaFree(self.flag);
    if (self.stream != nullptr) cudaStreamDestroy(self.stream);
    delete &self;
}

const char* count(unsigned* cards) {
    int found = 0;
    const auto error = cudaGetDeviceCount(&found);
    *cards = static_cast<unsigned>(found);
    if (error == cudaErrorInsufficientDriver) {
        cudaGetLastError();
        return "there is no NVIDIA driver, or one that is too old for this build";
    }
    return told(error, "looking for CUDA devices");
}

const char* open(unsigned number, CardFacts* facts, void** card) {
    unsigned cards = 0;
    if (const char* problem = count(&cards)) return problem;
    if (number >= cards) {
        message = "there are " + std::to_string(cards) + " CUDA devices, the first is number 0";
        return message.c_str();
    }
    auto* self = new CudaCard{static_cast<int>(number)};
    if (const char* problem = told(set_up(*self, facts), "setting up the CUDA device")) {
        close(self);
        return problem;
    }
    *card = self;
    return nullptr;
}

const char* allocate(void* card, std::size_t bytes, void** memory) {
    CudaCard& self = card_of(card);
    if (const auto error = cudaMalloc(memory, bytes)) {
        std::size_t free = 0, total = 0;
        cudaMemGetInfo(&free, &total);
        const std::string doing = "asking for " + std::to_string(bytes) + " bytes where " +
                                  std::to_string(free) + " are free";
        return told(error, doing.c_str());
    }
    if (const auto error = cudaMemsetAsync(*memory, 0, bytes, self.stream))
        return told(error, "clearing memory");
    return told(finish(self), "clearing memory");
}

void release(void* card, void* memory) {
    card_of(card);
    cudaFree(memory);
}

/// May return before all is there: what runs on this card afterwards sees it.
const char* upload(void* card, void* to, const void* from, std::size_t bytes) {
    CudaCard& self = card_of(card);
    for (std::size_t at = 0; at < bytes;) {
        if (self.staged == CudaCard::kStagingBytes) {
            if (const auto error = finish(self)) return told(error, "copying to the card");
        }
        const std::size_t room = CudaCard::kStagingBytes - self.staged,
                          some = bytes - at < room ? bytes - at : room;
        char* staged = self.staging + self.staged;
        std::memcpy(staged, static_cast<const char*>(from) + at, some);
        const auto error = cudaMemcpyAsync(static_cast<char*>(to) + at, staged, some,
                                           cudaMemcpyHostToDevice, self.stream);
        if (error != cudaSuccess) return told(error, "copying to the card");
        self.staged += some;
        at += some;
    }
    return nullptr;
}

const char* download(void* card, void* to, const void* from, std::size_t bytes) {
    CudaCard& self = card_of(card);
    auto error = cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, self.stream);
    if (error == cudaSuccess) error = finish(self);
    return told(error, "copying from the card");
}

const char* all_finite(void* card, const float* values, std::size_t count, bool* all) {
    CudaCard& self = card_of(card);
    constexpr unsigned kBlocks = 1024;
    std::uint32_t found = 0;
    auto error = cudaMemsetAsync(self.flag, 0, sizeof found, self.stream);
    if (error == cudaSuccess) {
        find_infinite<<<kBlocks, kRefreshThreads, 0, self.stream>>>(values, count, self.flag);
        error = cudaGetLastError();
    }
    if (error != cudaSuccess) return told(error, "starting work on the card");
    const char* problem = download(card, &found, self.flag, sizeof found);
    *all = found == 0;
    return problem;
}

const char* compute(void* card, std::uint32_t rounds, double* count) {
    CudaCard& self = card_of(card);
    int multiprocessors = 0;
    if (const auto error =
            cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, self.number))
        return told(error, "counting multiprocessors");
    const auto blocks = static_cast<unsigned>(multiprocessors) * 2;
    fma_chains<<<blocks, kChainThreads, 0, self.stream>>>(nullptr, 0.5f, rounds);
    *count = static_cast<double>(blocks) * kChainThreads * kChains * kChainSteps * rounds;
    if (const auto error = cudaGetLastError()) return told(error, "starting work on the card");
    return told(finish(self), "working on the card");
}

}  // namespace

const char* told(cudaError_t error, const char* doing) {
    if (error == cudaSuccess) return nullptr;
    message = std::string(doing) + ": " + cudaGetErrorString(error);
    cudaGetLastError();  // it has been told
    return message.c_str();
}

CudaCard& card_of(void* card) {
    auto& self = *static_cast<CudaCard*>(card);
    cudaSetDevice(self.number);
    return self;
}

/// Waits for all that was begun.
cudaError_t finish(CudaCard& card) {
    card.staged = 0;
    return cudaStreamSynchronize(card.stream);
}

}  // namespace bitbayes::cuda::real

extern "C" __attribute__((visibility("default"))) const bitbayes::cuda::CardFunctions*
bitbayes_cuda() {
    using namespace bitbayes::cuda;
    using namespace bitbayes::cuda::real;
    static constexpr CardFunctions functions{kCardFunctionsVersion,
                                             count,
                                             open,
                                             close,
                                             allocate,
                                             release,
                                             upload,
                                             download,
                                             prepare,
                                             learn,
                                             blocks_at_once,
                                             answer,
                                             refresh,
                                             all_finite,
                                             compute,
                                             run,
                                             add_up};
    return &functions;
}

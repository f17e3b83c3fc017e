// The CUDA part: kernels around cuda/tree_block-inl.hpp, and a card's memory. Compute capability 7.5 and up: threads of a warp wait
// for different words independently.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstring>
#include <string>

#include "cuda/card_functions.hpp"
#include "cuda/steps.hpp"

namespace bitbayes::cuda {
namespace {

constexpr std::uint32_t kThreads = 384;       // of a block at most: 168 registers for each
constexpr std::uint32_t kThreadsOfTwo = 384;  // beside another block: 80 registers
constexpr std::uint32_t kRefreshThreads = 256, kRowThreads = 256, kPackedThreads = 256;

struct CudaTeam {
    __device__ std::uint32_t thread() const { return threadIdx.x; }
    __device__ std::uint32_t threads() const { return blockDim.x; }
    __device__ std::uint32_t block() const { return blockIdx.x; }
    __device__ void sync() const { __syncthreads(); }
    __device__ void together() const { __syncwarp(group()); }
    template <class Look>
    __device__ void wait(const Look& look) const {
        while (!look()) {
        }
    }

    // Both groups of a warp are here.
    __device__ float total(float x) const {
        BITBAYES_UNROLL
        for (unsigned half = kGroup / 2; half > 0; half /= 2)
            x += __shfl_xor_sync(kWholeWarp, x, half, kGroup);
        return x;
    }
    __device__ void totals(float& x, float& y) const {
        __syncwarp();  // what any of them writes afterwards all have read before
        const bool second = (threadIdx.x & kGroup / 2) != 0;
        float sum = second ? y : x;
        sum += __shfl_xor_sync(kWholeWarp, second ? x : y, kGroup / 2, kGroup);
        BITBAYES_UNROLL
        for (unsigned half = kGroup / 4; half > 0; half /= 2)
            sum += __shfl_xor_sync(kWholeWarp, sum, half, kGroup);
        const float other = __shfl_xor_sync(kWholeWarp, sum, kGroup / 2, kGroup);
        x = second ? other : sum;
        y = second ? sum : other;
    }
    __device__ float smallest(float x) const {
        BITBAYES_UNROLL
        for (unsigned half = kGroup / 2; half > 0; half /= 2)
            x = fminf(x, __shfl_xor_sync(group(), x, half, kGroup));
        return x;
    }
    __device__ void store_word(std::uint64_t* p, std::uint64_t x) const {
        asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(__cvta_generic_to_global(p)),
                     "l"(x)
                     : "memory");
    }
    __device__ std::uint64_t load_word(const std::uint64_t* p) const {
        std::uint64_t x;
        asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];"
                     : "=l"(x)
                     : "l"(__cvta_generic_to_global(p))
                     : "memory");
        return x;
    }

    __device__ void copy_four(float* to, const float* from) const {
#if __CUDA_ARCH__ >= 800
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(
                         static_cast<unsigned>(__cvta_generic_to_shared(to))),
                     "l"(__cvta_generic_to_global(from))
                     : "memory");
#else
        steps::store_four(to, steps::load_four(from));
#endif
    }
    __device__ void commit() const {
#if __CUDA_ARCH__ >= 800
        asm volatile("cp.async.commit_group;" ::: "memory");
#endif
    }
    template <int kLast>
    __device__ void await() const {
#if __CUDA_ARCH__ >= 800
        asm volatile("cp.async.wait_group %0;" ::"n"(kLast) : "memory");
#endif
    }

    __device__ bool any(bool x) const { return __any_sync(group(), x) != 0; }
    __device__ bool any_in_step(bool x) const { return __any_sync(__activemask(), x) != 0; }

  private:
    static constexpr unsigned kWholeWarp = ~0u;
    __device__ unsigned group() const { return 0xffffu << (threadIdx.x & kGroup); }
};

/// Notes for how long each thread waits.
struct TimedTeam : CudaTeam {
    mutable long long waiting = 0;

    __device__ void sync() const {
        const long long start = clock64();
        CudaTeam::sync();
        waiting += clock64() - start;
    }
    template <class Look>
    __device__ void wait(const Look& look) const {
        const long long start = clock64();
        CudaTeam::wait(look);
        waiting += clock64() - start;
    }
};

template <class Rule>
constexpr bool two_blocks(Place place) {
    return !Rule::kHasH || place == Place::kSplit;
}

template <class Rule, std::uint32_t kDepth, Place kPlace>
__global__ void __launch_bounds__(two_blocks<Rule>(kPlace) ? kThreadsOfTwo : kThreads,
                                  two_blocks<Rule>(kPlace) ? 2 : 1)
    learn_trees(const __grid_constant__ TreeLessons lessons) {
    extern __shared__ __align__(16) float shared[];
    const CudaTeam team;
    const std::uint32_t each = lessons.blocks_each();
    steps::TreeBlock<Rule, kDepth, kPlace, CudaTeam>(team, lessons.lesson[team.block() / each],
                                                     team.block() % each, shared)
        .learn();
}

/// The same with clocks, for two layers: what `bench` asks for.
template <Place kPlace>
__global__ void __launch_bounds__(two_blocks<steps::Mfb>(kPlace) ? kThreadsOfTwo : kThreads,
                                  two_blocks<steps::Mfb>(kPlace) ? 2 : 1)
    time_trees(const __grid_constant__ TreeLessons lessons) {
    extern __shared__ __align__(16) float shared[];
    const TimedTeam team;
    const std::uint32_t each = lessons.blocks_each(), block = team.block() % each;
    const TreeLesson& lesson = lessons.lesson[team.block() / each];
    const long long start = clock64();
    steps::TreeBlock<steps::Mfb, 2, kPlace, TimedTeam>(team, lesson, block, shared).learn();
    if (team.thread() % 32 != 0) return;
    using Sum = unsigned long long;
    TreeClocks& clocks = lesson.clocks[block];
    atomicAdd(reinterpret_cast<Sum*>(&clocks.all), static_cast<Sum>(clock64() - start));
    atomicAdd(reinterpret_cast<Sum*>(&clocks.waiting), static_cast<Sum>(team.waiting));
}

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

template <class Rule, std::uint32_t kDepth>
__global__ void __launch_bounds__(kThreads, 1)
    answer_trees(const __grid_constant__ TreeQuestion question) {
    extern __shared__ __align__(16) float shared[];
    steps::answer_rows<Rule, kDepth>(CudaTeam{}, question, shared);
}

__global__ void __launch_bounds__(kRowThreads)
    prepare_inputs(const __grid_constant__ InputWork work) {
    steps::prepare_rows(CudaTeam{}, work);
}

__global__ void find_infinite(const float* values, std::size_t count, std::uint32_t* found) {
    const std::size_t first = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x,
                      step = static_cast<std::size_t>(gridDim.x) * blockDim.x;
    bool finite = true;
    for (std::size_t at = first; at < count; at += step)
        finite = finite && steps::is_finite(values[at]);
    if (!finite) *found = 1;
}

__global__ void refresh_trees(const __grid_constant__ Trees trees, std::size_t count) {
    const std::size_t at = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (at < count) steps::refresh_weight(trees, at);
}

__global__ void __launch_bounds__(kPackedThreads)
    add_up_packed(const __grid_constant__ PackedWork work) {
    const std::size_t at = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (at < work.places()) steps::packed_neuron(work, at);
}

/// Two blocks of a multiprocessor hide each other's waiting; more would leave too few registers for the tiles.
template <class Rule, DenseStep kStep, TileSize kSize>
__global__ void __launch_bounds__(dense_threads<kStep, kSize>(!Rule::kHasH), 2)
    dense_kernel(const __grid_constant__ DenseWork work) {
    extern __shared__ __align__(16) float shared[];
    steps::dense_step<Rule, kStep, kSize>(CudaTeam{}, work, shared);
}

/// What went wrong in the last call of this thread.
thread_local std::string message;

const char* told(cudaError_t error, const char* doing) {
    if (error == cudaSuccess) return nullptr;
    message = std::string(doing) + ": " + cudaGetErrorString(error);
    cudaGetLastError();  // it has been told
    return message.c_str();
}

struct CudaCard {
    int number;
    int shared_bytes = 0;  // that a block may have
    cudaStream_t stream = nullptr;
    char* staging = nullptr;        // pinned: what is uploaded goes through it
    std::size_t staged = 0;         // bytes of it that may still be on their way
    std::uint32_t* flag = nullptr;  // on the card
    static constexpr std::size_t kStagingBytes = 4 << 20;
};

CudaCard& card_of(void* card) {
    auto& self = *static_cast<CudaCard*>(card);
    cudaSetDevice(self.number);
    return self;
}

cudaError_t set_up(CudaCard& card, CardFacts* facts) {
    cudaDeviceProp properties{};
    if (const auto error = cudaSetDevice(card.number)) return error;
    if (const auto error = cudaGetDeviceProperties(&properties, card.number)) return error;
    std::size_t total = 0;
    if (const auto error = cudaMemGetInfo(&facts->memory_bytes, &total)) return error;
    std::snprintf(facts->name, sizeof facts->name, "%s", properties.name);
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

/// Waits for all that was begun.
cudaError_t finish(CudaCard& card) {
    card.staged = 0;
    return cudaStreamSynchronize(card.stream);
}

void close(void* card) {
    CudaCard& self = card_of(card);
    if (self.staging != nullptr) cudaFreeHost(self.staging);
    if (self.flag != nullptr) cudaFree(self.flag);
    if (self.stream != nullptr) cudaStreamDestroy(self.stream);
    delete &self;
}

const char* open(unsigned number, CardFacts* facts, void** card) {
    int count = 0;
    const auto error = cudaGetDeviceCount(&count);
    if (error == cudaErrorInsufficientDriver) {
        cudaGetLastError();
        return "there is no NVIDIA driver, or one that is too old for this build";
    }
    if (const char* problem = told(error, "looking for CUDA devices")) return problem;
    if (number >= static_cast<unsigned>(count)) {
        message = "there are " + std::to_string(count) + " CUDA devices, the first is number 0";
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

/// As much as a block may have, whatever it takes: several threads may set up the same kernel at once.
template <class Argument>
cudaError_t allow_shared_memory(const CudaCard& card, void (*kernel)(Argument)) {
    return cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                card.shared_bytes);
}

/// Waits until it is done, so that failures are told by the call that caused them.
template <class Argument>
const char* launch(CudaCard& card, void (*kernel)(Argument), std::uint32_t blocks,
                   std::uint32_t threads, std::size_t shared_bytes, const Argument& argument,
                   bool together) {
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

const char* prepare(void* card, const InputWork* work) {
    constexpr std::uint32_t kRows = kRowThreads / kGroup;
    return launch(card_of(card), prepare_inputs, (work->rows + kRows - 1) / kRows, kRowThreads, 0,
                  *work, false);
}

using LessonKernel = void (*)(TreeLessons);

template <class Rule, Place kPlace>
LessonKernel lesson_kernel(std::uint32_t depth) {
    static constexpr LessonKernel kKernels[kMaxDepth] = {
        learn_trees<Rule, 1, kPlace>, learn_trees<Rule, 2, kPlace>, learn_trees<Rule, 3, kPlace>,
        learn_trees<Rule, 4, kPlace>};
    return kKernels[depth - 1];
}

template <Place kPlace>
LessonKernel kernel_at(const TreeLesson& lesson) {
    const std::uint32_t depth = lesson.trees.depth;
    constexpr Place kPlaceOfW = kPlace == Place::kSplit ? Place::kChip : kPlace;
    if (lesson.trees.backprop) return lesson_kernel<steps::Backprop, kPlaceOfW>(depth);
    if (lesson.clocks != nullptr && depth == 2) return time_trees<kPlace>;
    return lesson_kernel<steps::Mfb, kPlace>(depth);
}

LessonKernel kernel_of(const TreeLesson& lesson) {
    switch (lesson.plan.place) {
        case Place::kFar:
            return kernel_at<Place::kFar>(lesson);
        case Place::kChip:
            return kernel_at<Place::kChip>(lesson);
        case Place::kSplit:
            break;
    }
    return kernel_at<Place::kSplit>(lesson);
}

const char* learn(void* card, const TreeLessons* lessons) {
    const TreeLesson& first = lessons->lesson[0];
    return launch(card_of(card), kernel_of(first), lessons->blocks_each() * lessons->count,
                  first.plan.threads, first.plan.shared_bytes, *lessons, first.plan.parts > 1);
}

const char* blocks_at_once(void* card, const TreeLesson* lesson, std::uint32_t* blocks) {
    CudaCard& self = card_of(card);
    const LessonKernel kernel = kernel_of(*lesson);
    const TreePlan& plan = lesson->plan;
    int per_multiprocessor = 0, multiprocessors = 0;
    auto error = allow_shared_memory(self, kernel);
    if (error == cudaSuccess) {
        error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(
            &per_multiprocessor, kernel, static_cast<int>(plan.threads), plan.shared_bytes);
    }
    if (error == cudaSuccess) {
        error =
            cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, self.number);
    }
    *blocks = static_cast<std::uint32_t>(per_multiprocessor * multiprocessors);
    return told(error, "asking how much runs at once");
}

template <class Rule>
const char* answer_by(void* card, const TreeQuestion* question) {
    using Kernel = void (*)(TreeQuestion);
    static constexpr Kernel kKernels[kMaxDepth] = {answer_trees<Rule, 1>, answer_trees<Rule, 2>,
                                                   answer_trees<Rule, 3>, answer_trees<Rule, 4>};
    const std::uint32_t chunks =
        (question->rows.count + question->rows_per_block - 1) / question->rows_per_block;
    return launch(card_of(card), kKernels[question->trees.depth - 1],
                  chunks * question->trees.count, question->threads, question->shared_bytes,
                  *question, false);
}

const char* answer(void* card, const TreeQuestion* question) {
    return question->trees.backprop ? answer_by<steps::Backprop>(card, question)
                                    : answer_by<steps::Mfb>(card, question);
}

const char* refresh(void* card, const Trees* trees) {
    CudaCard& self = card_of(card);
    const std::size_t count =
        trees->count * (static_cast<std::size_t>(trees->layer[0].neurons) * trees->layer[0].stride);
    const auto blocks = static_cast<unsigned>((count + kRefreshThreads - 1) / kRefreshThreads);
    refresh_trees<<<blocks, kRefreshThreads, 0, self.stream>>>(*trees, count);
    if (const auto error = cudaGetLastError()) return told(error, "starting work on the card");
    return told(finish(self), "working on the card");
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
        case DenseStep::kForget:
            break;
    }
    return dense_kernel_by<DenseStep::kForget, kSize>(work.backprop);
}

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

const char* add_up(void* card, const PackedWork* work) {
    const CudaCard& self = card_of(card);
    const auto blocks =
        static_cast<unsigned>((work->places() + kPackedThreads - 1) / kPackedThreads);
    add_up_packed<<<blocks, kPackedThreads, 0, self.stream>>>(*work);
    return told(cudaGetLastError(), "starting work on the card");
}

}  // namespace
}  // namespace bitbayes::cuda

extern "C" __attribute__((visibility("default"))) const bitbayes::cuda::CardFunctions*
bitbayes_cuda() {
    using namespace bitbayes::cuda;
    static constexpr CardFunctions functions{kCardFunctionsVersion,
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

// Kernels around tree_block-inl.hpp and tree_answers-inl.hpp.
#include "cuda/launch.cuh"
#include "cuda/steps.hpp"
#include "cuda/team.cuh"

namespace bitbayes::cuda::real {
namespace {

/// Whether registers are left for a second network on the multiprocessor.
template <class Rule>
constexpr bool two_blocks(Place place) {
    return !Rule::kHasH && place == Place::kChip;
}

template <class Rule, std::uint32_t kDepth, Place kPlace, bool kWide>
__global__ void __launch_bounds__(two_blocks<Rule>(kPlace) ? kThreadsOfTwo : kThreads,
                                  two_blocks<Rule>(kPlace) ? 2 : 1)
    learn_trees(const __grid_constant__ TreeLessons lessons) {
    extern __shared__ __align__(16) float shared[];
    const CudaTeam team;
    const std::uint32_t block = team.block();
    steps::TreeBlock<Rule, kDepth, kPlace, kWide, CudaTeam>(
        team, lessons.lesson[lessons.lesson_of(block, 0)], lessons.number_of(block), shared)
        .learn();
}

/// Two networks, each on a side of every block of threads.
template <std::uint32_t kDepth>
__global__ void __launch_bounds__(2 * kThreadsOfTwo, 1)
    learn_two(const __grid_constant__ TreeLessons lessons) {
    extern __shared__ __align__(16) float shared[];
    const SideTeam team;
    const std::uint32_t block = team.block(), number = lessons.lesson_of(block, team.side());
    if (number >= lessons.count) return;
    const TreeLesson& lesson = lessons.lesson[number];
    steps::TreeBlock<steps::Mfb, kDepth, Place::kSplit, false, SideTeam>(
        team, lesson, lessons.number_of(block),
        shared + team.side() * (lesson.plan.shared_bytes / sizeof(float)))
        .learn();
}

/// learn_trees() with clocks, for two layers and one network on the card: what `bench` asks for.
template <Place kPlace>
__global__ void __launch_bounds__(kThreads, 1)
    time_trees(const __grid_constant__ TreeLessons lessons) {
    extern __shared__ __align__(16) float shared[];
    const TimedTeam team;
    const std::uint32_t block = lessons.number_of(team.block());
    const TreeLesson& lesson = lessons.lesson[lessons.lesson_of(team.block(), 0)];
    steps::TreeBlock<steps::Mfb, 2, kPlace, false, TimedTeam>(team, lesson, block, shared).learn();
    team.finished(RowPart::kCopy);
    if (team.thread() % 32 != 0) return;
    const auto add = [](std::uint64_t& to, long long clocks) {
        using Sum = unsigned long long;
        atomicAdd(reinterpret_cast<Sum*>(&to), static_cast<Sum>(clocks));
    };
    TreeClocks& clocks = lesson.clocks[block];
    for (std::uint32_t k = 0; k < kRowParts; ++k) add(clocks.part[k], team.clocks[k]);
    add(clocks.waiting, team.waiting);
}

template <class Rule, std::uint32_t kDepth, bool kWide>
__global__ void __launch_bounds__(kThreads, 1)
    answer_trees(const __grid_constant__ TreeQuestion question) {
    extern __shared__ __align__(16) float shared[];
    steps::answer_rows<Rule, kDepth, kWide>(CudaTeam{}, question, shared);
}

__global__ void refresh_trees(const __grid_constant__ Trees trees, std::size_t count) {
    const std::size_t at = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (at < count) steps::refresh_weight(trees, at);
}

static_assert(sizeof(TreeLessons) <= 4096,
              "arguments of a kernel, also for compilers before CUDA 12.1");

using LessonKernel = void (*)(TreeLessons);

template <class Rule, Place kPlace, bool kWide = false>
LessonKernel lesson_kernel(const TreeLesson& lesson) {
    static constexpr LessonKernel kKernels[kMaxDepth] = {
        learn_trees<Rule, 1, kPlace, kWide>, learn_trees<Rule, 2, kPlace, kWide>,
        learn_trees<Rule, 3, kPlace, kWide>, learn_trees<Rule, 4, kPlace, kWide>};
    return kKernels[lesson.trees.depth - 1];
}

template <Place kPlace>
LessonKernel kernel_at(const TreeLesson& lesson) {
    if constexpr (kPlace == Place::kFar || kPlace == Place::kSparse) {
        if (lesson.plan.room_floats > 0)
            return lesson.trees.backprop ? lesson_kernel<steps::Backprop, kPlace, true>(lesson)
                                         : lesson_kernel<steps::Mfb, kPlace, true>(lesson);
    }
    if (lesson.trees.backprop) return lesson_kernel<steps::Backprop, kPlace>(lesson);
    if constexpr (kPlace == Place::kFar || kPlace == Place::kChip) {
        if (lesson.clocks != nullptr && lesson.trees.depth == 2) return time_trees<kPlace>;
    }
    return lesson_kernel<steps::Mfb, kPlace>(lesson);
}

LessonKernel kernel_of(const TreeLesson& lesson) {
    switch (lesson.plan.place) {
        case Place::kFar:
            return kernel_at<Place::kFar>(lesson);
        case Place::kChip:
            return kernel_at<Place::kChip>(lesson);
        case Place::kSplit: {
            static constexpr LessonKernel kKernels[kMaxDepth] = {learn_two<1>, learn_two<2>,
                                                                 learn_two<3>, learn_two<4>};
            return kKernels[lesson.trees.depth - 1];
        }
        case Place::kSparse:
            break;
    }
    return kernel_at<Place::kSparse>(lesson);
}

template <class Rule, bool kWide>
const char* answer_by(void* card, const TreeQuestion* question) {
    using Kernel = void (*)(TreeQuestion);
    static constexpr Kernel kKernels[kMaxDepth] = {
        answer_trees<Rule, 1, kWide>, answer_trees<Rule, 2, kWide>, answer_trees<Rule, 3, kWide>,
        answer_trees<Rule, 4, kWide>};
    return launch(card_of(card), kKernels[question->trees.depth - 1], question->blocks(),
                  question->threads, question->shared_bytes, *question, false);
}
template <class Rule>
const char* answer_by(void* card, const TreeQuestion* question) {
    return question->room_floats > 0 ? answer_by<Rule, true>(card, question)
                                     : answer_by<Rule, false>(card, question);
}

}  // namespace

const char* learn(void* card, const TreeLessons* lessons) {
    const TreeLesson& first = lessons->lesson[0];
    return launch(card_of(card), kernel_of(first), lessons->blocks(),
                  dim3(first.plan.threads, first.plan.sides()), lessons->shared_bytes(), *lessons,
                  first.plan.parts > 1);
}

const char* blocks_at_once(void* card, const TreeLesson* lesson, std::uint32_t* blocks) {
    CudaCard& self = card_of(card);
    const LessonKernel kernel = kernel_of(*lesson);
    const TreePlan& plan = lesson->plan;
    int per_multiprocessor = 0, multiprocessors = 0;
    auto error = allow_shared_memory(self, kernel);
    if (error == cudaSuccess) {
        error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(
            &per_multiprocessor, kernel, static_cast<int>(plan.threads * plan.sides()),
            plan.shared_bytes * plan.sides());
    }
    if (error == cudaSuccess) {
        error =
            cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, self.number);
    }
    *blocks = static_cast<std::uint32_t>(per_multiprocessor * multiprocessors);
    return told(error, "asking how much runs at once");
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

}  // namespace bitbayes::cuda::real

#include "cuda/emulated_card.hpp"

#include <ucontext.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <random>
#include <vector>

#include "bitbayes/types/error.hpp"
#include "cuda/forwarding_card.hpp"
#include "cuda/steps.hpp"

namespace bitbayes::cuda {
namespace {

constexpr std::size_t kStackBytes = 64 << 10;
constexpr std::size_t kFence = 64;  // floats behind a block's shared memory that nobody may write

/// Those who wait for each other, over and over.
struct Barrier {
    std::uint32_t size = 0, arrived = 0, passed = 0;
};

struct Group {
    Barrier barrier;
    float value[2][kGroup] =
        {};  // in turns, so that a fast thread does not overwrite what a slow one still reads
};

struct Block {
    std::uint32_t number = 0;
    std::size_t rests = 0;  // rounds
    Barrier side[2];
    std::vector<Group> groups;
    std::vector<float> shared;  // poisoned: kernels write what they read
};

/// Four floats on their way into shared memory.
struct Copy {
    float* to;
    const float* from;
};

struct Fiber {
    ucontext_t context{};
    std::unique_ptr<char[]> stack;
    Block* block = nullptr;
    std::uint32_t thread = 0;
    bool done = false;
    std::deque<std::vector<Copy>> sets{1};  // of copies; the last one is not committed
};

/// Fibers of all blocks.
class Launch {
  public:
    Launch(std::uint32_t blocks, std::uint32_t threads, std::size_t shared_bytes,
           std::uint32_t sides = 1)
        : sides_(sides), threads_(threads) {
        for (std::uint32_t b = 0; b < blocks; ++b) {
            Block& block = blocks_.emplace_back();
            block.number = b;
            for (Barrier& side : block.side) side.size = threads / sides;
            block.groups.resize(threads / kGroup);
            for (Group& group : block.groups) group.barrier.size = kGroup;
            block.shared.assign(shared_bytes / sizeof(float) + 4 + kFence,
                                std::numeric_limits<float>::quiet_NaN());
            for (std::uint32_t t = 0; t < threads; ++t) {
                Fiber& fiber = fibers_.emplace_back();
                fiber.block = &block;
                fiber.thread = t;
                fiber.stack.reset(new char[kStackBytes]);  // not cleared
            }
        }
    }

    void run(const std::function<void(Launch&, Fiber&)>& body) {
        body_ = &body;
        for (Fiber& fiber : fibers_) {
            getcontext(&fiber.context);
            fiber.context.uc_stack.ss_sp = fiber.stack.get();
            fiber.context.uc_stack.ss_size = kStackBytes;
            fiber.context.uc_link = &main_;
            const auto self = reinterpret_cast<std::uintptr_t>(this);
            makecontext(&fiber.context, reinterpret_cast<void (*)()>(&Launch::enter), 2,
                        static_cast<unsigned>(self >> 32), static_cast<unsigned>(self));
        }
        while (
            std::any_of(fibers_.begin(), fibers_.end(), [](const Fiber& f) { return !f.done; })) {
            take_turns();
        }
        for (const Block& block : blocks_) {
            if (!std::all_of(block.shared.end() - kFence, block.shared.end(),
                             [](float x) { return std::isnan(x); }))
                throw Error(ErrorCode::kInternal, "a block wrote behind its shared memory");
        }
    }

    void yield() {
        Fiber& self = *current_;
        swapcontext(&self.context, &main_);
    }

    void wait(Barrier& barrier) {
        const std::uint32_t turn = barrier.passed;
        if (++barrier.arrived == barrier.size) {
            barrier.arrived = 0;
            ++barrier.passed;
        }
        while (barrier.passed == turn) yield();
    }

    std::uint32_t sides() const { return sides_; }
    std::uint32_t threads() const { return threads_ / sides_; }  // of a side

  private:
    /// Most of the fibers, from the first or from the last; now and then a block rests for long: whoever
    /// relies on an order that no barrier and no word gives fails.
    void take_turns() {
        const bool backwards = engine_() % 2 == 0;
        for (Block& block : blocks_) {
            if (block.rests > 0) --block.rests;
            if (engine_() % 64 == 0) block.rests = engine_() % 100;
        }
        for (std::size_t k = 0; k < fibers_.size(); ++k) {
            Fiber& fiber = fibers_[backwards ? fibers_.size() - 1 - k : k];
            if (fiber.done || fiber.block->rests > 0 || engine_() % 8 == 0) continue;
            current_ = &fiber;
            swapcontext(&main_, &fiber.context);
        }
    }

    static void enter(unsigned high, unsigned low) {
        auto& self = *reinterpret_cast<Launch*>(static_cast<std::uintptr_t>(high) << 32 | low);
        Fiber& fiber = *self.current_;
        (*self.body_)(self, fiber);
        fiber.done = true;
    }

    const std::uint32_t sides_, threads_;
    std::mt19937 engine_{1};
    std::deque<Block> blocks_;
    std::deque<Fiber> fibers_;
    Fiber* current_ = nullptr;
    ucontext_t main_{};
    const std::function<void(Launch&, Fiber&)>* body_ = nullptr;
};

struct EmulatedTeam {
    Launch& launch;
    Fiber& fiber;

    std::uint32_t side() const { return fiber.thread / threads(); }
    std::uint32_t thread() const { return fiber.thread % threads(); }
    std::uint32_t threads() const { return launch.threads(); }
    std::uint32_t block() const { return fiber.block->number; }
    void sync() const { launch.wait(fiber.block->side[side()]); }
    void together() const { launch.wait(group().barrier); }
    template <class Look>
    void wait(const Look& look) const {
        while (!look()) launch.yield();
    }

    float total(float x) const {
        const float* all = exchanged(x);
        float sum[kGroup];
        std::copy_n(all, kGroup, sum);
        for (std::uint32_t half = kGroup / 2; half > 0; half /= 2) {
            for (std::uint32_t k = 0; k < half; ++k) sum[k] += sum[k + half];
        }
        return sum[0];
    }
    void totals(float& x, float& y) const {
        x = total(x);
        y = total(y);
    }
    float smallest(float x) const {
        const float* all = exchanged(x);
        return *std::min_element(all, all + kGroup);
    }
    bool any(bool x) const {
        const float* all = exchanged(x ? 1.0f : 0.0f);
        return std::any_of(all, all + kGroup, [](float each) { return each > 0; });
    }
    /// Every other time with a group beside this one in which x holds.
    bool any_of_pair(bool x) const { return any(x) || group().barrier.passed % 2 == 0; }
    /// What is there before await() is nothing to rely on, and `from` is read as late as that allows.
    void copy_four(float* to, const float* from) const {
        std::fill_n(to, 4, std::numeric_limits<float>::quiet_NaN());
        fiber.sets.back().push_back({to, from});
    }
    void commit() const { fiber.sets.emplace_back(); }
    template <std::size_t kLast>
    void await() const {
        while (fiber.sets.size() > kLast + 1) {
            for (const Copy& copy : fiber.sets.front()) std::copy_n(copy.from, 4, copy.to);
            fiber.sets.pop_front();
        }
    }
    void prefetch(const void*) const {}
    void finished(RowPart) const {}
    void store_word(std::uint64_t* p, std::uint64_t x) const { *p = x; }
    std::uint64_t load_word(const std::uint64_t* p) const { return *p; }

  private:
    Group& group() const { return fiber.block->groups[fiber.thread / kGroup]; }
    const float* exchanged(float x) const {
        Group& own = group();
        float* values = own.value[own.barrier.passed % 2];
        values[fiber.thread % kGroup] = x;
        launch.wait(own.barrier);
        return values;
    }
};

template <class Rule, std::uint32_t kDepth>
void learn_here(const TreeLessons& lessons, const EmulatedTeam& team, float* shared_by_sides) {
    const std::uint32_t block = lessons.number_of(team.block()),
                        number = lessons.lesson_of(team.block(), team.side());
    if (number >= lessons.count) return;
    const TreeLesson& lesson = lessons.lesson[number];
    float* shared = shared_by_sides + team.side() * lesson.plan.shared_bytes / sizeof(float);
    const bool wide = lesson.plan.room_floats > 0;
    const auto at = [&](auto place, auto is_wide) {
        steps::TreeBlock<Rule, kDepth, place(), is_wide(), EmulatedTeam>(team, lesson, block,
                                                                         shared)
            .learn();
    };
    const auto far = [&](auto place) {
        wide ? at(place, std::true_type()) : at(place, std::false_type());
    };
    const auto near = [&](auto place) { at(place, std::false_type()); };
    if (lesson.plan.place == Place::kFar) far(std::integral_constant<Place, Place::kFar>());
    if (lesson.plan.place == Place::kChip) near(std::integral_constant<Place, Place::kChip>());
    if (lesson.plan.place == Place::kSplit) near(std::integral_constant<Place, Place::kSplit>());
    if (lesson.plan.place == Place::kSparse) far(std::integral_constant<Place, Place::kSparse>());
}

class EmulatedCard : public Card {
  public:
    EmulatedCard(const CardLimits& limits, LessonQueue* queue)
        : limits_(limits), queue_(queue == nullptr ? own_queue_ : *queue) {}

    const CardLimits& limits() const override { return limits_; }
    void* allocate(std::size_t bytes) override {
        if (bytes > limits_.memory_bytes)
            throw Error(ErrorCode::kUnavailable, "the card's memory is full");
        char* memory = static_cast<char*>(std::aligned_alloc(64, (bytes + 127) / 64 * 64));
        std::memset(memory, 0, bytes);
        std::memset(memory + bytes, kPoison, kFenceBytes);
        sizes_[memory] = bytes;
        return memory;
    }
    void release(void* memory) override {
        const auto found = sizes_.find(memory);
        const char* behind = static_cast<char*>(memory) + found->second;
        if (!std::all_of(behind, behind + kFenceBytes, [](char c) { return c == kPoison; })) {
            std::fputs("something wrote behind an array of the emulated card\n", stderr);
            std::abort();
        }
        sizes_.erase(found);
        std::free(memory);
    }
    void upload(void* to, const void* from, std::size_t bytes) override {
        std::memcpy(to, from, bytes);
    }
    void download(void* to, const void* from, std::size_t bytes) override {
        std::memcpy(to, from, bytes);
    }

    void prepare(const InputWork& work) override {
        constexpr std::uint32_t kThreads = 2 * kGroup;
        Launch((work.rows + 1) / 2, kThreads, 0).run([&](Launch& launch, Fiber& fiber) {
            steps::prepare_rows(EmulatedTeam{launch, fiber}, work);
        });
    }
    void learn(const TreeLessons& lessons) override {
        const TreeLesson& first = lessons.lesson[0];
        launch(
            lessons.blocks(), first.plan.threads * lessons.sides(), lessons.shared_bytes(),
            first.trees,
            [&](auto rule, auto depth, const EmulatedTeam& team, float* shared) {
                learn_here<decltype(rule), depth()>(lessons, team, shared);
            },
            lessons.sides());
        for (std::uint32_t k = 0; k < lessons.count; ++k) {
            TreeClocks* clocks = lessons.lesson[k].clocks;
            for (std::uint32_t b = 0; clocks != nullptr && b < lessons.blocks_each(); ++b) {
                const std::uint64_t warps = first.plan.threads / 32, rows = first.rows.count;
                for (std::uint32_t part = 0; part < kRowParts; ++part)
                    clocks[b].part[part] += (part + 1) * warps * rows;
                clocks[b].waiting += 7 * warps * rows;
            }
        }
    }
    std::uint32_t blocks_at_once(const TreeLesson&) override { return 3 * limits_.multiprocessors; }
    LessonQueue& queue() override { return queue_; }
    void answer(const TreeQuestion& question) override {
        launch(question.blocks(), question.threads, question.shared_bytes, question.trees,
               [&](auto rule, auto depth, const EmulatedTeam& team, float* shared) {
                   if (question.room_floats > 0) {
                       steps::answer_rows<decltype(rule), depth(), true>(team, question, shared);
                   } else {
                       steps::answer_rows<decltype(rule), depth(), false>(team, question, shared);
                   }
               });
    }
    void refresh(const Trees& trees) override {
        for (std::size_t k = 0; k < trees.count * trees.layer[0].floats(); ++k)
            steps::refresh_weight(trees, k);
    }

    bool all_finite(const float* values, std::size_t count) override {
        return std::all_of(values, values + count, steps::is_finite);
    }
    double compute(std::uint32_t rounds) override {
        volatile float x = 1;
        for (std::uint32_t r = 0; r < rounds; ++r) x = std::fma(x, 0.5f, 1.0f);
        return rounds;
    }
    void run(const DenseWork& work, const DenseGrid& grid) override {
        for_size<TileSize::kLarge>(work, grid);
        for_size<TileSize::kMedium>(work, grid);
        for_size<TileSize::kSmall>(work, grid);
    }
    void add_up(const PackedWork& work) override {
        for (std::size_t at = 0; at < work.places(); ++at) steps::packed_neuron(work, at);
    }

  private:
    template <TileSize kSize>
    static void for_size(const DenseWork& work, const DenseGrid& grid) {
        if (grid.size != kSize) return;
        for_step<kSize, DenseStep::kForward, DenseStep::kTop, DenseStep::kVariance,
                 DenseStep::kMessage, DenseStep::kMessageFew, DenseStep::kUpdate,
                 DenseStep::kForget, DenseStep::kSparseForward, DenseStep::kSparseUpdate,
                 DenseStep::kTreeForward, DenseStep::kTreeTop, DenseStep::kTreeMessage,
                 DenseStep::kTreeUpdate>(work, grid);
    }
    template <class Rule, TileSize kSize, DenseStep kStep>
    static void step_here(const EmulatedTeam& team, const DenseWork& work, float* shared) {
        if constexpr (has_tile(kStep, kSize)) {
            if (kStep == work.step) steps::dense_step<Rule, kStep, kSize>(team, work, shared);
        }
    }
    template <TileSize kSize, DenseStep... kSteps>
    static void for_step(const DenseWork& work, const DenseGrid& grid) {
        Launch(grid.blocks, grid.threads, grid.shared_bytes).run([&](Launch& launch, Fiber& fiber) {
            const EmulatedTeam team{launch, fiber};
            float* shared = shared_of(fiber);
            const auto step = [&](auto rule) {
                (step_here<decltype(rule), kSize, kSteps>(team, work, shared), ...);
            };
            work.backprop ? step(steps::Backprop()) : step(steps::Mfb());
        });
    }
    static float* shared_of(const Fiber& fiber) {
        const auto at = reinterpret_cast<std::uintptr_t>(fiber.block->shared.data());
        return reinterpret_cast<float*>((at + 15) / 16 * 16);
    }

    template <class Work>
    static void launch(std::uint32_t blocks, std::uint32_t threads, std::size_t shared_bytes,
                       const Trees& trees, const Work& work, std::uint32_t sides = 1) {
        Launch(blocks, threads, shared_bytes, sides).run([&](Launch& launch, Fiber& fiber) {
            const EmulatedTeam team{launch, fiber};
            const auto with = [&](auto depth) {
                if (trees.backprop) {
                    work(steps::Backprop(), depth, team, shared_of(fiber));
                } else {
                    work(steps::Mfb(), depth, team, shared_of(fiber));
                }
            };
            if (trees.depth == 1) with(std::integral_constant<std::uint32_t, 1>());
            if (trees.depth == 2) with(std::integral_constant<std::uint32_t, 2>());
            if (trees.depth == 3) with(std::integral_constant<std::uint32_t, 3>());
            if (trees.depth == 4) with(std::integral_constant<std::uint32_t, 4>());
        });
    }

    static constexpr std::size_t kFenceBytes = 64;
    static constexpr char kPoison = 0x5a;

    CardLimits limits_;
    std::map<void*, std::size_t> sizes_;  // of the arrays that were allocated
    LessonQueue own_queue_;
    LessonQueue& queue_;
};

class LimitedCard : public ForwardingCard {
  public:
    LimitedCard(std::unique_ptr<Card> card, CardLimits limits)
        : ForwardingCard(std::move(card)), limits_(std::move(limits)) {}

    const CardLimits& limits() const override { return limits_; }

  private:
    CardLimits limits_;
};

}  // namespace

std::unique_ptr<Card> limited_card(std::unique_ptr<Card> card, const CardLimits& limits) {
    return std::make_unique<LimitedCard>(std::move(card), limits);
}

std::unique_ptr<Card> emulated_card(const CardLimits& limits, LessonQueue* queue) {
    return std::make_unique<EmulatedCard>(limits, queue);
}

}  // namespace bitbayes::cuda

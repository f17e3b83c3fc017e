// Lessons of several networks on one card.
#include "cuda/lesson_queue.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <set>
#include <thread>
#include <vector>

#include "bitbayes/types/error.hpp"
#include "cuda/card.hpp"

namespace bitbayes::cuda {
namespace {

/// Notes what it is asked to learn, and waits with the first lesson until so many others wait.
class NotingCard : public Card {
  public:
    explicit NotingCard(std::size_t others) : others_(others) {}

    const CardLimits& limits() const override { return limits_; }
    void* allocate(std::size_t) override { return nullptr; }
    void release(void*) override {}
    void upload(void*, const void*, std::size_t) override {}
    void download(void*, const void*, std::size_t) override {}
    void prepare(const InputWork&) override {}
    void answer(const TreeQuestion&) override {}
    void refresh(const Trees&) override {}
    bool all_finite(const float*, std::size_t) override { return true; }
    void run(const DenseWork&, const DenseGrid&) override {}
    void add_up(const PackedWork&) override {}
    double compute(std::uint32_t) override { return 0; }
    std::uint32_t blocks_at_once(const TreeLesson&) override {
        if (lost) throw Error(ErrorCode::kUnavailable, "lost");
        return 3 * 4 + 1;
    }
    LessonQueue& queue() override { return queue_; }

    void learn(const TreeLessons& lessons) override {
        while (groups.empty() && queue_.waiting() < others_) std::this_thread::yield();
        std::this_thread::sleep_for(takes);
        auto& group = groups.emplace_back();
        for (std::uint32_t k = 0; k < lessons.count; ++k) group.push_back(lessons.lesson[k]);
        if ((fails && groups.size() > 1) || lost) throw Error(ErrorCode::kUnavailable, "lost");
    }

    std::vector<std::vector<TreeLesson>> groups;
    std::chrono::milliseconds takes{0};
    bool fails = false;  // from the second launch on
    bool lost = false;   // answers nothing any more

  private:
    CardLimits limits_;
    LessonQueue queue_;
    std::size_t others_;
};

/// Four blocks of threads; `number` tells lessons apart.
TreeLesson lesson(std::uint32_t number, std::uint32_t depth = 2) {
    TreeLesson l;
    l.trees.depth = depth;
    l.trees.count = 2;
    l.plan.parts = 2;
    l.turn = number;
    return l;
}

TreePlan beside_others(Place place = Place::kChip) {
    TreePlan plan = lesson(0).plan;
    plan.place = place;
    return plan;
}

/// How many calls threw.
std::size_t learn_all(NotingCard& card, const std::vector<TreeLesson>& lessons,
                      const TreePlan& together = beside_others()) {
    std::atomic<std::size_t> failed = 0;
    std::vector<std::thread> threads;
    for (const TreeLesson& each : lessons) {
        threads.emplace_back([&] {
            try {
                card.queue().learn(card, each, together);
            } catch (const Error&) {
                ++failed;
            }
        });
    }
    for (auto& thread : threads) thread.join();
    return failed;
}

std::size_t largest(const NotingCard& card) {
    std::size_t most = 0;
    for (const auto& group : card.groups) most = std::max(most, group.size());
    return most;
}

TEST(LessonQueue, TwoSidesOfABlockAreRoomForTwo) {
    NotingCard card(6);
    std::vector<TreeLesson> lessons;
    for (std::uint32_t k = 0; k < 7; ++k) lessons.push_back(lesson(k));
    EXPECT_EQ(learn_all(card, lessons, beside_others(Place::kSplit)), 0u);
    ASSERT_EQ(card.groups.size(), 2u);
    EXPECT_EQ(card.groups[1].size(), 6u);
}

TEST(LessonQueue, RunsWhatWaitsTogether) {
    NotingCard card(6);
    std::vector<TreeLesson> lessons;
    for (std::uint32_t k = 0; k < 7; ++k) lessons.push_back(lesson(k));
    EXPECT_EQ(learn_all(card, lessons), 0u);
    ASSERT_EQ(card.groups.size(), 3u);  // alone, then as many as there is room for
    EXPECT_EQ(card.groups[1].size(), 3u);
    EXPECT_EQ(card.groups[2].size(), 3u);
    std::set<std::uint32_t> learned;
    for (const auto& group : card.groups) {
        for (const TreeLesson& each : group) {
            EXPECT_TRUE(learned.insert(each.turn).second);
            EXPECT_EQ(each.plan.place, group.size() > 1 ? Place::kChip : Place::kFar);
        }
    }
    EXPECT_EQ(learned.size(), 7u);
}

TEST(LessonQueue, KeepsDifferentNetworksApart) {
    NotingCard card(5);
    EXPECT_EQ(learn_all(card, {lesson(0, 2), lesson(1, 3), lesson(2, 2), lesson(3, 3), lesson(4, 2),
                               lesson(5, 3)}),
              0u);
    for (const auto& group : card.groups) {
        for (const TreeLesson& each : group) EXPECT_EQ(each.trees.depth, group[0].trees.depth);
    }
    EXPECT_GE(largest(card), 2u);
}

TEST(LessonQueue, KeepsDifferentPlansApart) {
    NotingCard card(3);
    std::vector<TreeLesson> lessons = {lesson(0), lesson(1), lesson(2), lesson(3)};
    lessons[1].plan.far_pieces = lessons[3].plan.far_pieces = 1;
    EXPECT_EQ(learn_all(card, lessons), 0u);
    for (const auto& group : card.groups) {
        for (const TreeLesson& each : group) EXPECT_EQ(each.turn % 2, group[0].turn % 2);
    }
    EXPECT_EQ(largest(card), 2u);
}

TEST(LessonQueue, TwoThatGoOnLearningDoNotTakeTurns) {
    constexpr std::size_t kLessons = 8;
    NotingCard card(1);
    card.takes = std::chrono::milliseconds(40);
    std::vector<std::thread> threads;
    for (std::uint32_t k = 0; k < 2; ++k) {
        threads.emplace_back([&, k] {
            for (std::size_t n = 0; n < kLessons; ++n)
                card.queue().learn(card, lesson(k), beside_others());
        });
    }
    for (auto& thread : threads) thread.join();
    // The first and the last are alone; on a busy machine some others may be.
    EXPECT_LE(card.groups.size(), kLessons + 4);
}

TEST(LessonQueue, DoesNotWaitForNetworksOfAnotherKind) {
    using std::chrono::milliseconds;
    NotingCard card(2);
    card.takes = milliseconds(800);  // so that it would wait for 100
    EXPECT_EQ(learn_all(card, {lesson(0), lesson(1), lesson(2)}), 0u);
    EXPECT_EQ(largest(card), 2u);
    card.takes = milliseconds(0);
    const auto start = std::chrono::steady_clock::now();
    card.queue().learn(card, lesson(3, 3), beside_others());
    EXPECT_LT(std::chrono::steady_clock::now() - start, milliseconds(80));
}

TEST(LessonQueue, TellsAllOfThemWhatFailed) {
    NotingCard card(3);
    card.fails = true;
    EXPECT_EQ(learn_all(card, {lesson(0), lesson(1), lesson(2), lesson(3)}), 3u);
    EXPECT_EQ(card.groups.size(), 2u);
}

TEST(LessonQueue, DoesNotWaitForALostCard) {
    NotingCard card(3);
    card.lost = true;
    EXPECT_EQ(learn_all(card, {lesson(0), lesson(1), lesson(2), lesson(3)}), 4u);
    EXPECT_EQ(card.groups.size(), 4u);
}

}  // namespace
}  // namespace bitbayes::cuda

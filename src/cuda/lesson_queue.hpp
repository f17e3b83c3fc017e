// Several networks that learn on one card: lessons that come while it is busy run together afterwards, as many as there is room for.
// This is how networks that are too small to fill a card fill it; while some are on the card, others prepare their next rows. A free card
// waits a little for those that were there a moment ago, or a few networks would take turns instead of running together.
#pragma once

#include <array>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>

#include "cuda/trees.hpp"

namespace bitbayes::cuda {

class Card;

class LessonQueue {
  public:
    /// Returns when it is done. The card of the caller runs it, or that of another one who waits: what
    /// was uploaded must be there. `together`: its plan if it does not run alone. Throws what the card throws, for all lessons that ran
    /// together.
    void learn(Card& card, const TreeLesson& lesson, const TreePlan& together);

    /// How many wait now.
    std::size_t waiting();

  private:
    struct Waiting {
        const TreeLesson* lesson;
        const TreePlan* together;
        bool done = false;
        std::exception_ptr failed = nullptr;
    };
    struct Group {
        std::array<Waiting*, TreeLessons::kMost> member{};
        std::size_t count = 0;
    };
    using Clock = std::chrono::steady_clock;
    /// A free card waits at most this part of the time that its last lessons took.
    static constexpr int kPatience = 8;

    static bool alike(const Waiting& a, const Waiting& b);
    /// Those that wait and are like this one; like the first one.
    std::size_t like(const Waiting& one) const;
    std::size_t ready() const;
    static std::size_t room_for(Card& card, const Waiting& first);
    Group take_group(std::size_t room);
    static void run(Card& card, const Group& group);

    /// A free card waits for as many lessons as ran together last time, if they are like those.
    Clock::duration patience_with(const Waiting& front) const;

    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<Waiting*> waiting_;
    bool busy_ = false;  // also while a free card waits for more
    /// Of the last lessons.
    TreeLesson last_lesson_;
    TreePlan last_together_;
    std::size_t expected_ = 0;
    Clock::duration patience_{};
};

}  // namespace bitbayes::cuda

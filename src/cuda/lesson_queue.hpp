// Several networks that learn on one card: lessons that come while it is busy run together afterwards, as many as there is room for.
// Networks that are too small to fill a card fill it so, and while some are on the card, others prepare their next rows.
#pragma once

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
    std::deque<Waiting*> take_group(Card& card);
    static std::size_t room_for(Card& card, const Waiting& first);
    static void run(Card& card, const std::deque<Waiting*>& group);

    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<Waiting*> waiting_;
    bool busy_ = false;
};

}  // namespace bitbayes::cuda

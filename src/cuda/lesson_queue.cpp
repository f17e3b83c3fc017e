#include "cuda/lesson_queue.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "bitbayes/types/error.hpp"
#include "cuda/card.hpp"

namespace bitbayes::cuda {
namespace {

bool alike(const TreeLesson& a, const TreeLesson& b) {
    const auto shape = [](const TreeLesson& l) {
        return std::make_tuple(l.trees.depth, l.trees.backprop, l.trees.count, l.plan.parts,
                               l.plan.threads, l.plan.place, l.plan.shared_bytes,
                               l.clocks != nullptr);
    };
    return shape(a) == shape(b);
}

}  // namespace

void LessonQueue::learn(Card& card, const TreeLesson& lesson, const TreePlan& together) {
    Waiting self{&lesson, &together};
    std::unique_lock lock(mutex_);
    waiting_.push_back(&self);
    while (!self.done) {
        if (busy_) {
            changed_.wait(lock);
            continue;
        }
        busy_ = true;
        const auto group = take_group(card);
        lock.unlock();
        run(card, group);
        lock.lock();
        for (Waiting* each : group) each->done = true;
        busy_ = false;
        changed_.notify_all();
    }
    if (self.failed) std::rethrow_exception(self.failed);
}

std::size_t LessonQueue::waiting() {
    const std::lock_guard lock(mutex_);
    return waiting_.size();
}

/// Lessons like the first one that run at the same time. 1 if the card does not say: the first learns alone then, and tells what is wrong.
std::size_t LessonQueue::room_for(Card& card, const Waiting& first) {
    TreeLesson lesson = *first.lesson;
    lesson.plan = *first.together;
    try {
        return std::clamp<std::size_t>(
            card.blocks_at_once(lesson) / (lesson.plan.parts * lesson.trees.count), 1,
            TreeLessons::kMost);
    } catch (const Error&) {
        return 1;
    }
}

/// The first that waits, and others like it.
std::deque<LessonQueue::Waiting*> LessonQueue::take_group(Card& card) {
    const Waiting& first = *waiting_.front();
    const std::size_t room = waiting_.size() > 1 ? room_for(card, first) : 1;
    std::deque<Waiting*> group, others;
    for (Waiting* each : waiting_) {
        const bool fits = group.size() < room && alike(*first.lesson, *each->lesson);
        (fits ? group : others).push_back(each);
    }
    waiting_ = std::move(others);
    return group;
}

void LessonQueue::run(Card& card, const std::deque<Waiting*>& group) {
    try {
        TreeLessons lessons;
        for (const Waiting* each : group) {
            TreeLesson& lesson = lessons.lesson[lessons.count++];
            lesson = *each->lesson;
            if (group.size() > 1) lesson.plan = *each->together;
        }
        card.learn(lessons);
    } catch (...) {
        for (Waiting* each : group) each->failed = std::current_exception();
    }
}

}  // namespace bitbayes::cuda

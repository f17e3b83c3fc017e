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
                               l.plan.threads, l.plan.on_chip, l.plan.shared_bytes,
                               l.clocks != nullptr);
    };
    return shape(a) == shape(b);
}

}  // namespace

void LessonQueue::learn(Card& card, const TreeLesson& lesson) {
    Waiting self{&lesson};
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

/// The first that waits, and others like it.
std::deque<LessonQueue::Waiting*> LessonQueue::take_group(Card& card) {
    const TreeLesson& first = *waiting_.front()->lesson;
    const std::uint32_t blocks = first.plan.parts * first.trees.count;
    std::size_t room = 1;
    try {
        if (waiting_.size() > 1) room = card.blocks_at_once(first) / blocks;
    } catch (
        const Error&) {  // the first one learns alone then, and tells what is wrong with the card
    }
    room = std::clamp<std::size_t>(room, 1, TreeLessons::kMost);
    std::deque<Waiting*> group, others;
    for (Waiting* each : waiting_) {
        const bool fits = group.size() < room && alike(first, *each->lesson);
        (fits ? group : others).push_back(each);
    }
    waiting_ = std::move(others);
    return group;
}

void LessonQueue::run(Card& card, const std::deque<Waiting*>& group) {
    try {
        TreeLessons lessons;
        for (const Waiting* each : group) lessons.lesson[lessons.count++] = *each->lesson;
        card.learn(lessons);
    } catch (...) {
        for (Waiting* each : group) each->failed = std::current_exception();
    }
}

}  // namespace bitbayes::cuda

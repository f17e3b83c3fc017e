#include "cuda/lesson_queue.hpp"

#include <algorithm>
#include <tuple>

#include "bitbayes/types/error.hpp"
#include "cuda/card.hpp"

namespace bitbayes::cuda {
namespace {

bool same(const TreePlan& a, const TreePlan& b) {
    const auto all = [](const TreePlan& p) {
        return std::tie(p.parts, p.threads, p.neurons, p.place, p.far_pieces, p.shared_bytes,
                        p.room_floats);
    };
    return all(a) == all(b);
}

bool same_kernel(const TreeLesson& a, const TreeLesson& b) {
    const auto shape = [](const TreeLesson& l) {
        return std::make_tuple(l.trees.depth, l.trees.backprop, l.trees.count, l.clocks != nullptr);
    };
    return shape(a) == shape(b) && same(a.plan, b.plan);
}

}  // namespace

bool LessonQueue::alike(const Waiting& a, const Waiting& b) {
    return same_kernel(*a.lesson, *b.lesson) && same(*a.together, *b.together);
}

void LessonQueue::learn(Card& card, const TreeLesson& lesson, const TreePlan& together) {
    Waiting self{&lesson, &together};
    std::unique_lock lock(mutex_);
    waiting_.push_back(&self);
    changed_.notify_all();
    while (!self.done) {
        if (busy_) {
            changed_.wait(lock);
            continue;
        }
        busy_ = true;
        changed_.wait_for(lock, patience_with(*waiting_.front()),
                          [&] { return ready() >= expected_; });
        const std::size_t room = room_for(card, *waiting_.front());
        Group group = take_group(room);
        lock.unlock();
        const auto start = Clock::now();
        run(card, group);
        lock.lock();
        patience_ = (Clock::now() - start) / kPatience;
        last_lesson_ = *group.member[0]->lesson;
        last_together_ = *group.member[0]->together;
        expected_ = std::min(room, group.count + like(*group.member[0]));
        for (std::size_t k = 0; k < group.count; ++k) group.member[k]->done = true;
        busy_ = false;
        changed_.notify_all();
    }
    if (self.failed) std::rethrow_exception(self.failed);
}

std::size_t LessonQueue::waiting() {
    const std::lock_guard lock(mutex_);
    return waiting_.size();
}

LessonQueue::Clock::duration LessonQueue::patience_with(const Waiting& front) const {
    return alike(front, {&last_lesson_, &last_together_}) ? patience_ : Clock::duration{};
}

std::size_t LessonQueue::like(const Waiting& one) const {
    return static_cast<std::size_t>(std::count_if(
        waiting_.begin(), waiting_.end(), [&](const Waiting* each) { return alike(one, *each); }));
}

std::size_t LessonQueue::ready() const { return like(*waiting_.front()); }

/// Lessons like this one that run at the same time. 1 if the card does not say: the first learns alone then, and tells what is wrong.
std::size_t LessonQueue::room_for(Card& card, const Waiting& first) {
    TreeLesson lesson = *first.lesson;
    lesson.plan = *first.together;
    try {
        return std::clamp<std::size_t>(card.blocks_at_once(lesson) /
                                           (lesson.plan.parts * lesson.trees.count) *
                                           lesson.plan.sides(),
                                       1, TreeLessons::kMost);
    } catch (...) {
        return 1;
    }
}

/// The first that waits, and others like it.
LessonQueue::Group LessonQueue::take_group(std::size_t room) {
    const Waiting& first = *waiting_.front();
    Group group;
    std::erase_if(waiting_, [&](Waiting* each) {
        const bool fits = group.count < room && alike(first, *each);
        if (fits) group.member[group.count++] = each;
        return fits;
    });
    return group;
}

void LessonQueue::run(Card& card, const Group& group) {
    TreeLessons lessons;
    for (std::size_t k = 0; k < group.count; ++k) {
        TreeLesson& lesson = lessons.lesson[lessons.count++];
        lesson = *group.member[k]->lesson;
        if (group.count > 1) lesson.plan = *group.member[k]->together;
    }
    try {
        card.learn(lessons);
    } catch (...) {
        for (std::size_t k = 0; k < group.count; ++k)
            group.member[k]->failed = std::current_exception();
    }
}

}  // namespace bitbayes::cuda

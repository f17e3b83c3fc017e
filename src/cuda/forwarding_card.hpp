// A card that has another one do everything: for those who want to see or change a part of it.
#pragma once

#include <memory>
#include <utility>

#include "cuda/card.hpp"

namespace bitbayes::cuda {

class ForwardingCard : public Card {
  public:
    explicit ForwardingCard(std::unique_ptr<Card> card) : card_(std::move(card)) {}

    const CardLimits& limits() const override { return card_->limits(); }
    void* allocate(std::size_t bytes) override { return card_->allocate(bytes); }
    void release(void* memory) override { card_->release(memory); }
    void upload(void* to, const void* from, std::size_t bytes) override {
        card_->upload(to, from, bytes);
    }
    void download(void* to, const void* from, std::size_t bytes) override {
        card_->download(to, from, bytes);
    }
    void prepare(const InputWork& work) override { card_->prepare(work); }
    void learn(const TreeLessons& lessons) override { card_->learn(lessons); }
    std::uint32_t blocks_at_once(const TreeLesson& lesson) override {
        return card_->blocks_at_once(lesson);
    }
    LessonQueue& queue() override { return card_->queue(); }
    void answer(const TreeQuestion& question) override { card_->answer(question); }
    void refresh(const Trees& trees) override { card_->refresh(trees); }
    bool all_finite(const float* values, std::size_t count) override {
        return card_->all_finite(values, count);
    }
    double compute(std::uint32_t rounds) override { return card_->compute(rounds); }
    void run(const DenseWork& work, const DenseGrid& grid) override { card_->run(work, grid); }
    void add_up(const PackedWork& work) override { card_->add_up(work); }

  private:
    std::unique_ptr<Card> card_;
};

}  // namespace bitbayes::cuda

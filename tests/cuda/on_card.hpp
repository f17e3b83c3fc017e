// What the tests of learners on a card share. The card is emulated (emulated_card.hpp), or with BITBAYES_TEST_CARD=cuda the real one,
// which then seems to have no more than the limits.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>
#include <memory>
#include <random>
#include <stdexcept>
#include <vector>

#include "bitbayes/types/error.hpp"
#include "cuda/emulated_card.hpp"
#include "data/preprocess.hpp"
#include "learn/posterior.hpp"

namespace bitbayes::learn {

inline std::unique_ptr<cuda::Card> test_card(const cuda::CardLimits& limits,
                                             cuda::LessonQueue* queue = nullptr) {
    const char* backend = std::getenv("BITBAYES_TEST_CARD");
    if (backend == nullptr) return cuda::emulated_card(limits, queue);
    auto card = cuda::open_card(cuda::card_number(backend).value_or(0));
    if (card->limits().name == "emulated") throw std::runtime_error("this is no real card");
    return cuda::limited_card(std::move(card), limits);
}

inline void expect_same(const Posterior& a, const Posterior& b) {
    ASSERT_EQ(a.layers.size(), b.layers.size());
    for (std::size_t l = 0; l < a.layers.size(); ++l) {
        EXPECT_EQ(a.layers[l].learned, b.layers[l].learned) << "layer " << l;
        EXPECT_EQ(a.layers[l].carried, b.layers[l].carried) << "layer " << l;
    }
}

/// All inputs, or two of three.
inline std::vector<std::uint32_t> live_inputs(std::size_t inputs, bool some_dead) {
    std::vector<std::uint32_t> live;
    for (std::uint32_t j = 0; j < inputs; ++j) {
        if (!some_dead || j % 3 != 1) live.push_back(j);
    }
    return live;
}

/// A quarter of the inputs is 0.
inline data::InputBlock random_rows(std::size_t count, std::size_t live, unsigned seed,
                                    float scale = 1) {
    std::mt19937 engine(seed);
    std::normal_distribution<float> normal(0, scale);
    data::InputBlock block;
    block.rows = count;
    block.stride = padded(live);
    block.value.assign(count * block.stride, 0);
    for (std::size_t r = 0; r < count; ++r) {
        for (std::size_t k = 0; k < live; ++k) {
            block.value[r * block.stride + k] = engine() % 4 == 0 ? 0.0f : normal(engine);
        }
    }
    return block;
}

/// A third of the inputs of a row is not 0, and now and then none is.
inline data::InputBlock random_sparse_rows(std::size_t count, std::size_t inputs, unsigned seed,
                                           float scale = 1) {
    std::mt19937 engine(seed);
    std::normal_distribution<float> normal(0, scale);
    data::InputBlock block;
    block.sparse = true;
    block.rows = count;
    block.row_start.push_back(0);
    for (std::size_t r = 0; r < count; ++r) {
        const bool empty = engine() % 8 == 0;
        for (std::size_t j = 0; j < inputs && !empty; ++j) {
            if (engine() % 3 != 0) continue;
            block.index.push_back(static_cast<std::uint32_t>(j));
            block.value.push_back(normal(engine));
        }
        block.row_start.push_back(block.index.size());
    }
    return block;
}

/// The code of the error that the call throws; kInternal without one.
inline ErrorCode refusal(const std::function<void()>& call) {
    try {
        call();
    } catch (const Error& error) {
        return error.code();
    }
    return ErrorCode::kInternal;
}

}  // namespace bitbayes::learn

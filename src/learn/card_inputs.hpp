// Rows of inputs in the memory of a card, made there from the cells of a table, or copied there if they are sparse.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cuda/card_array.hpp"
#include "cuda/inputs.hpp"
#include "data/preprocess.hpp"

namespace bitbayes::learn {

/// How each live input of dense rows follows from a row's cells.
std::vector<cuda::InputRecipe> input_recipes(const data::Preprocessing& preprocessing);

class CardInputs {
  public:
    /// `inputs`: those of a row. `preprocessing`: how they follow from cells; null: blocks never hold any, nor do sparse ones.
    /// `placed`: dense rows come in the order of cuda::placed().
    CardInputs(cuda::Card& card, std::size_t inputs, const data::Preprocessing* preprocessing,
               bool placed);

    /// The block's rows: x, and what is known of them. `labels` and `weights` may be empty. `base`: of a dense layer 1, or null.
    cuda::TreeRows put(const data::InputBlock& block, std::span<const std::uint32_t> labels,
                       std::span<const float> weights, const cuda::CardDropout& dropout = {},
                       float* base = nullptr);

  private:
    cuda::Card& card_;
    std::size_t inputs_;
    bool placed_;
    std::uint32_t columns_ = 0;
    cuda::CardArray<cuda::InputRecipe> recipe_;
    cuda::CardArray<std::byte> cells_;
    cuda::CardArray<float> x_;
    cuda::CardArray<std::uint32_t> index_;
    cuda::CardArray<std::uint64_t> start_;
    cuda::CardArray<cuda::RowFacts> facts_;
    std::vector<cuda::RowFacts> facts_on_host_;
};

}  // namespace bitbayes::learn

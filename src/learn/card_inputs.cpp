#include "learn/card_inputs.hpp"

#include <type_traits>
#include <variant>

namespace bitbayes::learn {
namespace {

using cuda::CellType;
using cuda::InputRecipe;

template <class T>
constexpr CellType cell_type() {
    if constexpr (std::is_same_v<T, std::uint8_t>) return CellType::kU8;
    return std::is_same_v<T, float> ? CellType::kFloat : CellType::kDouble;
}

InputRecipe scaled(const data::Preprocessing& p, std::uint32_t column) {
    InputRecipe recipe{InputRecipe::Kind::kScaled, column};
    if (p.kind == data::PreprocessKind::kNone) return recipe;
    recipe.a = p.mean[column];
    recipe.b = p.scale[p.kind == data::PreprocessKind::kStandardize ? column : 0];
    return recipe;
}

InputRecipe compared(const data::Preprocessing& p, std::uint32_t column, std::size_t threshold) {
    const double mean = p.mean[threshold], scale = p.scale[0];
    InputRecipe recipe{p.holds_words(column) ? InputRecipe::Kind::kWord : InputRecipe::Kind::kAbove,
                       column};
    recipe.first = static_cast<std::uint32_t>(p.threshold_start[column]);
    recipe.end = static_cast<std::uint32_t>(p.threshold_start[column + 1]);
    recipe.a = p.thresholds[threshold];
    recipe.on = static_cast<float>((1 - mean) / scale);
    recipe.off = static_cast<float>((-1 - mean) / scale);
    return recipe;
}

}  // namespace

std::vector<InputRecipe> input_recipes(const data::Preprocessing& p) {
    std::vector<InputRecipe> recipes;
    for (std::uint32_t j = 0; j < p.columns.size(); ++j) {
        if (p.kind != data::PreprocessKind::kThermometer) {
            if (!p.columns.constant(j)) recipes.push_back(scaled(p, j));
            continue;
        }
        for (std::size_t k = p.threshold_start[j]; k < p.threshold_start[j + 1]; ++k)
            recipes.push_back(compared(p, j, k));
    }
    if (p.bias) recipes.push_back({InputRecipe::Kind::kOne});
    return recipes;
}

CardInputs::CardInputs(cuda::Card& card, std::size_t inputs,
                       const data::Preprocessing* preprocessing, bool placed)
    : card_(card),
      inputs_(inputs),
      placed_(placed),
      recipe_(card),
      cells_(card),
      x_(card),
      index_(card),
      start_(card),
      facts_(card) {
    if (preprocessing == nullptr || preprocessing->sparse) return;
    recipe_.put(input_recipes(*preprocessing));
    columns_ = static_cast<std::uint32_t>(preprocessing->features());
}

cuda::TreeRows CardInputs::put(const data::InputBlock& block, std::span<const std::uint32_t> labels,
                               std::span<const float> weights, const cuda::CardDropout& dropout,
                               float* base) {
    cuda::InputWork work;
    work.rows = static_cast<std::uint32_t>(block.rows);
    work.inputs = static_cast<std::uint32_t>(inputs_);
    work.stride = static_cast<std::uint32_t>(block.stride);
    work.placed = placed_ && !block.sparse;
    work.dropout = dropout;
    work.base = base;
    if (block.cells) {
        std::visit(
            [&]<class T>(const std::vector<T>& cells) {
                cells_.put(std::as_bytes(std::span(cells)));
                work.type = cell_type<T>();
            },
            *block.cells);
        x_.reserve(block.rows * block.stride);
        work.cells = cells_.data();
        work.columns = columns_;
        work.recipe = recipe_.data();
    } else if (block.sparse) {
        x_.put(block.value);
        index_.put(block.index);
        start_.put(block.row_start);
        work.sparse = {index_.data(), start_.data()};
    } else {
        x_.put({block.value.data(), block.rows * block.stride});
    }
    facts_on_host_.assign(block.rows, {});
    for (std::size_t r = 0; r < block.rows; ++r) {
        if (!labels.empty()) facts_on_host_[r].label = labels[r];
        if (!weights.empty()) facts_on_host_[r].weight = weights[r];
    }
    facts_.put(facts_on_host_);
    work.x = x_.data();
    work.facts = facts_.data();
    card_.prepare(work);
    return {work.x, work.facts, work.rows, work.sparse};
}

}  // namespace bitbayes::learn

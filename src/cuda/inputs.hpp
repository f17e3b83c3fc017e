// Rows of a table in the memory of a card, and how the inputs of layer 1 follow from them: plain structures that host and card share.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cuda/trees.hpp"

namespace bitbayes::cuda {

/// Draws of Philox that leave out inputs or neurons of a row, as Dropout of learn/dense_batch.hpp draws them.
struct CardDropout {
    std::uint32_t limit = 0;  // of 16 random bits: what draws fewer is left out; 0: nothing is
    std::uint32_t layer = 0;  // 0: inputs
    std::uint32_t panels = 0;
    bool spares_last = false;  // it is a constant
    std::uint64_t seed = 0;
    std::uint64_t first_sample = 0;  // of row 0
};

enum class CellType : std::uint32_t { kU8, kFloat, kDouble };

/// An input of layer 1 (data/preprocess.hpp), from the cell x of its column; 0 where x is missing.
///   kScaled  (x - a) / b
///   kAbove   `on` if x > a, else `off`
///   kWord    `on` if x = a, else `off`; 0 for a word that none of the column's inputs, first .. end - 1, asks for
///   kOne     1
struct InputRecipe {
    enum class Kind : std::uint32_t { kScaled, kAbove, kWord, kOne };
    Kind kind = Kind::kOne;
    std::uint32_t column = 0;
    std::uint32_t first = 0, end = 0;
    double a = 0, b = 1;
    float on = 1, off = 0;
};

/// Makes x of every row, and measures it.
struct InputWork {
    std::uint32_t rows = 0;
    const void* cells = nullptr;  // rows x columns; null: x is there
    CellType type = CellType::kU8;
    std::uint32_t columns = 0;
    const InputRecipe* recipe = nullptr;  // of each input
    std::uint32_t inputs = 0;
    std::uint32_t stride = 0;  // floats of a row of x: inputs, padded with zeros
    float* x = nullptr;
    bool placed = false;  // x in the order of placed()
    SparseRows sparse;    // whose x is there
    CardDropout dropout;
    RowFacts* facts = nullptr;  // square_sum and largest are filled in
    float* base = nullptr;      // of a dense layer 1, per row; null: nobody asks
};

}  // namespace bitbayes::cuda

// What exported C computes with: the tables of a packed network, and the types that hold them.
//
// Neurons of a layer lie side by side, one bit of a word each, and bit p of their sums is a word of its
// own. An input x_k is at rest at r_k; where it is not, it adds |x_k - r_k| = unit * sum_b 2^b:
//   W x - t = base + unit (2 P - M),  base = sum_k W_k r_k - t,  M the sum of all 2^b that are added,
//   P the sum of those whose weight is +1 (if x_k < r_k: -1, "flipped")
// So the sums start at floor(base / unit), a bit b of an input adds the word of its weights at bit b + 1, and in
// the end M is subtracted; all modulo 2^planes. unit is 2 where inputs are -1 and +1 and only signs
// count; sums that are scores have unit 1. At rest are
//   columns of whole numbers:  0; of bits and signs: 0 and -1
//   comparators:               those below the training median of the column are on; words are off
//   neurons of the layer below: -1
// Trees read signs as rows of bits: weight j of layer l + 1 belongs to neuron j of layer l. A dense last layer
// above the first has rows of words, and a bit for its constant.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "emit/c.hpp"
#include "packed/network.hpp"

namespace bitbayes::emit {

struct CTable {
    std::string name;  // without the prefix
    bool is_signed = false;
    int bits = 8;        // of an element
    bool words = false;  // words of neurons, which some processors split
    std::vector<std::int64_t> values;

    std::string type() const;
    std::size_t bytes() const { return values.size() * static_cast<std::size_t>(bits) / 8; }
};

/// A table of the smallest type that holds the values.
CTable fitting_table(std::string name, std::vector<std::int64_t> values, bool is_signed);

/// How a layer is computed: all neurons side by side, as a tree, or output by output.
enum class CKind { kSideBySide, kTree, kRows };

struct CLayer {
    CKind kind = CKind::kSideBySide;
    std::size_t neurons = 0, fan_in = 0;
    std::size_t table = 0;  // words of neurons, or of a row of weights, of one member
    CTable weights;
    CTable start;      // side by side
    CTable constants;  // rows: one bit per output
};

struct CPlan {
    int bits = 32;            // of a word
    std::size_t planes = 0;   // bits of a sum
    std::size_t plane = 1;    // of an input that is one bit
    std::size_t chunk = 0;    // words of neurons that are computed at a time
    std::size_t lists = 1;    // of inputs to be added: one for each bit of a column, or on and off
    std::size_t list = 0;     // inputs of a list, at most
    std::size_t buffers = 0;  // of signs
    std::size_t most_signs = 0;
    int entry_bits = 8;    // of the number of an input
    CTable used;           // columns that are inputs; empty if all are
    CTable counts, rests;  // comparators per column, and how many are on at rest
    CTable comparators;    // empty if there are none
    CTable words;          // per column: 1 if it holds codes of words; empty if none does
    std::vector<CLayer> layers;
    std::size_t largest_index = 0;

    explicit CPlan(const packed::Network& network);
    bool compares() const { return !counts.values.empty(); }
    /// The tables that are not empty, in the order of the file.
    std::vector<const CTable*> tables() const;
    std::size_t flash_bytes() const;
};

/// The C type of a column.
std::string column_type(packed::ColumnType type);

}  // namespace bitbayes::emit

// What exported C computes with: the tables of a packed network, and the types that hold them.
//
// Layer 1 on whole numbers: W x - t = 2 P - total + offset, P the sum over weights +1, offset = -t.
// Layer 1 on bits, d of them unlike the weights (0 stands for -1 in both):
//   inputs -1 and +1:  W x - t = K - t - 2 d
//   inputs 0 and 1:    W x - t = (number of weights +1) - t - d
// Rows of layer 1 span all columns, with 0 where a column is not an input; with comparators they
// span all inputs. In trees the weight of neuron j of layer l lies at bit j of weights_{l+1}: each
// neuron has one reader. A dense layer above the first has rows of 32-bit words. Its constant is one
// input more, on which d counts too: W v - t = K + 1 - 2 d; as its weight -t is +1 or -1, it takes a
// bit that a row has to spare, or else one of a table of its own.
// A committee is one network with members * outputs outputs; buffers hold one member's neurons.
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
    int bits = 8;  // of an element
    bool hexadecimal = false;
    std::vector<std::int64_t> values;

    std::string type() const;
    std::size_t bytes() const { return values.size() * static_cast<std::size_t>(bits) / 8; }
};

struct CUpperLayer {
    CTable weights;
    CTable constants;     // one bit per neuron; empty if rows have a bit to spare
    std::size_t row = 0;  // elements of a dense row; 0: a tree

    bool dense() const { return row > 0; }
};

struct CPlan {
    bool on_bits = false;  // inputs of layer 1 are single bits
    int step = 2;          // what a differing bit subtracts
    std::size_t row = 0;   // elements of a row of layer 1
    CTable weights, offsets;
    CTable used;                     // columns that are inputs; empty if all are
    CTable counts, comparators;      // comparators per column; empty if there are none
    CTable words;                    // per column: 1 if it holds codes of words; empty if none does
    std::vector<CUpperLayer> upper;  // layers 2..L
    std::size_t buffers = 0;     // of signs that dense layers read: as many as there are, at most 2
    std::size_t buffer_row = 0;  // 32-bit words of each
    std::int64_t largest_sum = 0;
    std::size_t largest_index = 0;

    explicit CPlan(const packed::Network& network);
    /// The tables that are not empty, in the order of the file.
    std::vector<const CTable*> tables() const;
    std::size_t flash_bytes() const;
};

/// The C type of a column.
std::string column_type(packed::ColumnType type);

}  // namespace bitbayes::emit

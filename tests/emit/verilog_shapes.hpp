// One random network of each kind.
#pragma once

#include <fmt/format.h>

#include <optional>
#include <string>
#include <vector>

#include "packed/random_network.hpp"

namespace bitbayes::test {

inline std::vector<NetworkShape> tree_shapes() {
    using enum packed::ColumnType;
    return {
        {.type = kBit, .columns = 12, .fan_ins = {3}, .outputs = 4},
        {.type = kSign, .columns = 9, .constant = 2, .fan_ins = {5}, .outputs = 1},
        {.type = kU8, .columns = 20, .constant = 7, .fan_ins = {9}, .outputs = 3},
        {.type = kI8, .columns = 7, .fan_ins = {4}, .outputs = 2},
        {.type = kI16, .columns = 5, .fan_ins = {3, 2}, .outputs = 3},
        {.type = kSign, .columns = 6, .fan_ins = {2, 3, 3}, .outputs = 2},
        {.type = kU8, .columns = 6, .fan_ins = {}, .outputs = 5},
        {.type = kSign, .columns = 11, .fan_ins = {}, .outputs = 1},
        {.type = kI16, .columns = 8, .constant = 3, .comparators = 4, .fan_ins = {7}},
        {.type = kU8, .columns = 5, .comparators = 3, .fan_ins = {}, .outputs = 4},
        {.type = kBit, .columns = 5, .comparators = 1, .fan_ins = {3}, .outputs = 2},
        {.type = kSign, .columns = 5, .comparators = 2, .fan_ins = {3}, .outputs = 2},
        {.type = kI16,
         .columns = 8,
         .constant = 3,
         .comparators = 4,
         .fan_ins = {7},
         .words = true},
        {.type = kU8, .columns = 5, .comparators = 3, .fan_ins = {}, .outputs = 4, .words = true},
        {.type = kBit, .columns = 5, .comparators = 1, .fan_ins = {3}, .outputs = 2, .words = true},
        {.type = kI8, .columns = 4, .fan_ins = {3}, .outputs = 3, .members = 3},
        {.type = kSign, .columns = 7, .fan_ins = {3}, .outputs = 1, .members = 4},
        {.type = kU8, .columns = 4, .fan_ins = {}, .outputs = 2, .members = 5, .abstain_below = 3},
        {.type = kI8, .columns = 4, .fan_ins = {3}, .members = 3, .adds_scores = true},
        {.type = kSign,
         .columns = 7,
         .fan_ins = {3},
         .outputs = 1,
         .members = 4,
         .adds_scores = true},
        {.type = kU8,
         .columns = 4,
         .outputs = 2,
         .members = 5,
         .abstain_below = 300,
         .adds_scores = true},
        {.type = kI16,
         .columns = 5,
         .comparators = 4,
         .fan_ins = {3, 2},
         .members = 2,
         .adds_scores = true},
        {.type = kU8, .fan_ins = {5}, .end_thresholds = true, .abstain_below = 2},
        {.type = kI16, .fan_ins = {}, .end_thresholds = true, .abstain_below = 999999999},
        {.type = kI16, .columns = 1, .fan_ins = {1}, .outputs = 1},
    };
}

/// Numbers of neurons that the numbers per clock of verilog_parallels divide, and others.
inline std::vector<NetworkShape> dense_shapes() {
    using enum packed::ColumnType;
    return {
        {.type = kBit, .columns = 12, .outputs = 4, .dense = {16}},
        {.type = kSign, .columns = 9, .constant = 2, .outputs = 1, .dense = {5}},
        {.type = kU8, .columns = 20, .constant = 7, .dense = {9, 8}},
        {.type = kI8, .columns = 7, .outputs = 2, .dense = {4, 13, 3}},
        {.type = kI16, .columns = 5, .outputs = 10, .dense = {70}},
        {.type = kU8, .columns = 6, .fan_ins = {3}, .outputs = 3, .dense = {11}},
        {.type = kBit, .columns = 10, .fan_ins = {3, 2}, .outputs = 2, .dense = {6, 7}},
        {.type = kSign, .columns = 6, .fan_ins = {5}, .outputs = 1, .dense = {8}},
        {.type = kI16,
         .columns = 8,
         .constant = 3,
         .comparators = 4,
         .outputs = 1,
         .dense = {7, 6}},
        {.type = kU8, .columns = 6, .comparators = 3, .words = true, .dense = {10}},
        {.type = kI8, .columns = 4, .members = 3, .dense = {5}},
        {.type = kBit, .columns = 7, .outputs = 1, .members = 4, .dense = {9, 4}},
        {.type = kI8, .columns = 4, .members = 3, .dense = {5}, .adds_scores = true},
        {.type = kBit,
         .columns = 7,
         .outputs = 1,
         .members = 4,
         .dense = {9, 4},
         .adds_scores = true},
        {.columns = 4,
         .fan_ins = {3},
         .outputs = 2,
         .members = 5,
         .abstain_below = 3,
         .dense = {6}},
        {.type = kU8, .end_thresholds = true, .abstain_below = 2, .dense = {9, 7}},
        {.type = kI16, .columns = 1, .outputs = 1, .dense = {1}},
        {.type = kU8, .columns = 2, .outputs = 70, .dense = {1, 2}},
    };
}

inline std::vector<NetworkShape> verilog_shapes() {
    auto shapes = tree_shapes();
    const auto dense = dense_shapes();
    shapes.insert(shapes.end(), dense.begin(), dense.end());
    return shapes;
}

/// For messages of failed tests.
inline std::string shape_text(const NetworkShape& shape, std::optional<std::size_t> parallel) {
    return fmt::format(
        "{} columns of {}, {} comparators, dense {}, tree {}, {} outputs, {} members{}; {}",
        shape.columns, packed::name_of(shape.type), shape.comparators, fmt::join(shape.dense, ","),
        fmt::join(shape.fan_ins, ","), shape.outputs, shape.members,
        shape.adds_scores ? " that add" : "",
        parallel ? fmt::format("folded {}", *parallel) : "parallel");
}

/// Neurons per clock; nullopt: the parallel form.
inline std::vector<std::optional<std::size_t>> verilog_parallels() {
    return {std::nullopt, 1, 3, 8, 64};
}

}  // namespace bitbayes::test

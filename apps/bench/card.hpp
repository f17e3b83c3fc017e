// The speed of learning on a card, compared with its own peak and with the CPU. Both take turns, one slice of time each; a figure is the
// best slice. Rows are bytes like the pixels of MNIST, and as many of them are never anything but 0.
#pragma once

#include <array>
#include <cstddef>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "bench/slices.hpp"
#include "cuda/trees.hpp"

namespace bitbayes::cli {

struct CardBenchOptions {
    BenchOptions turns;
    std::string backend;             // cuda or cuda:N
    std::vector<std::size_t> tree;   // hidden neurons per tree, one network for each
    std::vector<std::size_t> dense;  // hidden layers of a dense network instead
    std::size_t batch = 100;         // of the dense network
};

/// What a warp of threads does with its clocks for one row of a tree network, on average.
struct RowClocks {
    std::array<double, cuda::kRowParts> part = {};  // by cuda::RowPart
    double waiting = 0;                             // of all, for other threads

    double all() const { return std::accumulate(part.begin(), part.end(), 0.0); }
};
inline constexpr std::array<const char*, cuda::kRowParts> kRowPartNames = {
    "copy", "tell", "gather", "add", "send", "learn", "refresh"};

/// A network that learns, or several of that shape at once.
struct CardRow {
    std::string network;                   // 785x(301x10)x10
    std::size_t weights = 0, updated = 0;  // updated: those that inputs other than 0 reach
    std::size_t learners = 1;
    std::string where = {};                // how it is laid over the card
    double fma_per_weight = 0;             // arithmetic per updated weight and sample, at least
    double ns_per_weight = 0;              // per updated weight and sample, of all learners
    double cpu_ns_per_weight = 0;          // NaN where it was not measured
    std::optional<RowClocks> clocks = {};  // of one network of trees

    double updates_per_second() const { return 1e9 / ns_per_weight; }
    /// Of 60,000 rows, all learners.
    double epoch_seconds() const { return epoch_seconds(ns_per_weight); }
    double cpu_epoch_seconds() const { return epoch_seconds(cpu_ns_per_weight); }
    double epoch_seconds(double ns) const;
};

struct CardBench {
    std::string card;
    double fma_per_ns = 0;  // of single floats: the card's peak
    unsigned threads = 1;   // of the CPU
    std::string simd_level;
    std::vector<CardRow> rows;

    double peak_share(const CardRow& row) const {
        return row.fma_per_weight / row.ns_per_weight / fma_per_ns;
    }
    /// How many times as much several learners do as one; NaN where it was not measured.
    double together() const;
};

CardBench bench_card(const CardBenchOptions& options);

}  // namespace bitbayes::cli

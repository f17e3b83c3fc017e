// The speed of learning, beside the scalar reference and the machine's own peak. All variants take
// turns, one slice of time each, so that a noisy moment hits all; a figure is its best slice.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace bitbayes::cli {

struct BenchOptions {
    std::size_t slices = 15;
    double slice_seconds = 0.05;
};

/// `name`: "learn", backward and update fused with the next sample's forward (the core: one after
/// the other), "sure", the same with h of standard deviation 3, "backprop", the same of BackProp, or
/// "forward", all of layer 1 alone; "network", the learner with all its layers.
/// `level`: "core" (double) or a kernel table.
struct BenchRow {
    std::string name;
    std::string level;
    std::size_t fan_in = 0;
    double update_share = 1;  // of the neurons, forward: 0
    unsigned threads = 1;
    std::size_t trees = 1;
    double ns_per_weight = 0;  // per weight and sample, whether it moves or not
};

struct FmaRate {
    std::string level;
    double per_ns = 0;      // instructions of the level's vector width
    std::size_t lanes = 0;  // floats of one
};

struct TrainBench {
    std::string simd_level;  // of the headline: the best, or what BITBAYES_SIMD names
    std::vector<FmaRate> fma;
    std::vector<BenchRow> rows;

    /// NaN if there is no such row.
    double ns(const BenchRow& like) const;
    double fma_per_ns(const std::string& level) const;
    /// Times of an FMA on 16 floats: what the machine could have started meanwhile, however wide its
    /// vectors are.
    double fma_slots(const std::string& level, double ns_per_weight) const;
    /// "learn", K = 785, every neuron updating.
    double headline(const std::string& level) const;
    /// The same with h of standard deviation 3.
    double sure(const std::string& level) const;
    /// The same of BackProp.
    double backprop(const std::string& level) const;
    /// Of "network": the time of one thread over that of `threads`.
    double thread_scaling(std::size_t trees, unsigned threads) const;
};

TrainBench bench_train(const BenchOptions& options);

}  // namespace bitbayes::cli

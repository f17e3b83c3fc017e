// The speed of learning, compared with the scalar reference and the machine's own peak. All
// variants take turns, one slice of time each, so that a noisy moment hits them all; a figure is
// the best slice.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "bench/slices.hpp"

namespace bitbayes::cli {

/// `name`: on layer 1 alone "learn", backward and update fused with the next sample's forward (the
/// core: one after the other), "sure", the same with h of standard deviation 3, "backprop", the
/// same for BackProp, or "forward"; "network", the learner with all its layers. `level`: "core"
/// (double) or a kernel table.
struct BenchRow {
    std::string name;
    std::string level;
    std::size_t fan_in = 0;
    double update_share = 1;  // share of the neurons that are updated; forward: 0
    unsigned threads = 1;
    std::size_t trees = 1;
    double ns_per_weight = 0;  // per weight and sample, whether it moves or not
};

struct FmaRate {
    std::string level;
    double per_ns = 0;      // instructions of the level's vector width
    std::size_t lanes = 0;  // floats per instruction
};

struct TrainBench {
    std::string simd_level;  // of the headline: the best level, or the one that BITBAYES_SIMD names
    std::vector<FmaRate> fma;
    std::vector<BenchRow> rows;

    /// NaN if there is no such row.
    double ns(const BenchRow& like) const;
    double fma_per_ns(const std::string& level) const;
    /// The time of 16 weights in units of an FMA on 16 floats, which the machine could have started
    /// meanwhile, however wide its vectors are.
    double fma_slots(const std::string& level, double ns_per_weight) const;
    /// "learn", K = 785, every neuron updating.
    double headline(const std::string& level) const;
    /// The same with h of standard deviation 3.
    double sure(const std::string& level) const;
    /// The same for BackProp.
    double backprop(const std::string& level) const;
    /// The time of "network" with one thread divided by that with `threads`.
    double thread_scaling(std::size_t trees, unsigned threads) const;
};

TrainBench bench_train(const BenchOptions& options);

}  // namespace bitbayes::cli

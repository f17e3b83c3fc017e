// Training: epochs over a data set, with progressive (test-then-train) error and an evaluation
// after each epoch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "bitbayes/dataset.hpp"
#include "bitbayes/model.hpp"

namespace bitbayes {

struct TrainOptions {
    Algorithm algorithm = Algorithm::kMfb;
    std::vector<std::size_t> tree{
        101};  // fan-ins of layers 2..L, input side first; empty: a single layer
    std::size_t epochs = 10;
    std::uint64_t seed = 1;
    unsigned threads = 0;             // 0: all cores
    std::string preprocess = "auto";  // auto, center, thermometer:N, standardize, none
    bool bias = true;       // append a constant 1 as the last input (never for teacher data)
    bool dense_ok = false;  // allow preprocessings that make sparse data dense
    double prior_scale = 1;
    double evidence = 1;       // MFB: each sample counts this many times
    double learning_rate = 0;  // BackProp: its step; 0 takes the paper's (learn/backprop.hpp)
    bool shuffle = true;
    std::string backend = "auto";  // auto, scalar, simd
};

struct EpochReport {
    std::size_t epoch = 0;  // from 1
    std::uint64_t samples_seen = 0;
    double seconds = 0;            // training only, of this epoch
    double error_progressive = 0;  // of this epoch; honest in the first one only
    std::optional<Evaluation> test;
};

struct TrainProgress {
    std::size_t epoch = 0;  // from 1
    std::size_t epochs = 0;
    std::size_t sample = 0;  // of this epoch, done
    std::size_t samples_per_epoch = 0;
    std::uint64_t weight_updates = 0;  // of this run
    double seconds = 0;                // of this run, training only
    double error_progressive = 0;      // of this epoch so far
    double error_recent = 0;           // since the report before
};

/// Called between blocks of samples, when all trees have learned the same samples. Return false to
/// stop.
struct TrainCallbacks {
    std::function<bool(const TrainProgress&)> progress;
    std::function<void(const EpochReport&)> epoch;
};

struct TrainResult {
    Model model;
    std::vector<EpochReport> history;
    double error_progressive =
        0;  // of the first epoch: each sample before it was learned for the first time
    double seconds = 0;
};

TrainResult train(const Dataset& training, const TrainOptions& options = {},
                  const Dataset* test = nullptr, const TrainCallbacks& callbacks = {});

}  // namespace bitbayes

// What training reports while it runs and when it is done.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "bitbayes/types/answer.hpp"

namespace bitbayes {

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
    std::size_t sample = 0;  // samples done in this epoch
    std::size_t samples_per_epoch = 0;
    std::uint64_t weight_updates = 0;  // of this run
    double seconds = 0;                // of this run, training only
    double error_progressive = 0;      // of this epoch so far
    double error_recent = 0;           // since the previous report
    std::uint64_t polish_round = 0;    // from 1 once the epochs are over
};

/// What a short run with one evidence gave on training rows that it had not learned.
struct EvidenceTrial {
    double evidence = 0;
    double nll = 0;

    bool operator==(const EvidenceTrial&) const = default;
};

struct UpdateReport {
    std::size_t rows = 0;
    double error_progressive = 0;  // of the Bayes average, each row answered before it was learned
    double seconds = 0;
};

}  // namespace bitbayes

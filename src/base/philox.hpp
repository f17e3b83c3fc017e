// Counter-based random numbers (Philox 4x32-10): a value depends on seed, purpose and index alone,
// never on the order in which threads ask for it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace bitbayes {

/// Separate streams of one seed. The numbers go into results: append, never renumber.
enum class Purpose : std::uint32_t {
    kPrior = 1,
    kShuffle = 2,
    kHoldOut = 3,
    kTeacherWeights = 4,
    kTeacherTrainInputs = 5,
    kTeacherTestInputs = 6,
    kCommittee = 7,
    kFolds = 8,
    kImportance = 9,
    kDropout = 10,
    kShift = 11,
    kPolish = 12,
    kTrials = 13,
    kSweep = 14,
};

class Philox {
  public:
    /// `stream` tells apart uses of one purpose, e.g. the epoch or the layer.
    Philox(std::uint64_t seed, Purpose purpose, std::uint32_t stream = 0)
        : seed_(seed), purpose_(purpose), stream_(stream) {}

    /// Four words for this index.
    std::array<std::uint32_t, 4> words(std::uint64_t index) const;

    /// Uniform on [0, 1) in steps of 2^-53.
    double uniform(std::uint64_t index) const;

    /// Uniform on 0 .. bound-1; the bias is below bound / 2^128.
    std::uint64_t below(std::uint64_t bound, std::uint64_t index) const;

    /// A random order of 0 .. n-1 (Fisher-Yates).
    std::vector<std::uint32_t> permutation(std::size_t n) const;

  private:
    std::uint64_t seed_;
    Purpose purpose_;
    std::uint32_t stream_;
};

}  // namespace bitbayes

// Figures of each class against all others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "bitbayes/types/answer.hpp"
#include "rows/class_counts.hpp"

namespace bitbayes::learn {

/// The probability that a value of the class is above one of the others, ties at half:
///   AUC = (sum of the ranks of the class - n (n + 1) / 2) / (n (N - n))
/// with ranks from 1 among all N values, equal values sharing their mean rank. NaN if one side is
/// empty, or if a value is NaN.
double area_under_roc(std::span<const float> values, std::span<const std::uint32_t> labels,
                      std::uint32_t which);
double area_under_roc(std::span<const double> values, std::span<const std::uint32_t> labels,
                      std::uint32_t which);

class ClassScores {
  public:
    /// Keeps rows x classes probabilities, unless there are more than kMaxProbabilities of them.
    ClassScores(std::size_t rows, std::size_t classes);

    void add(std::uint32_t truth, std::uint32_t answer, std::span<const double> probability);
    /// Sets per_class and macro.
    void fill(Evaluation& out) const;

    static constexpr std::size_t kMaxProbabilities = std::size_t{1} << 26;

  private:
    std::size_t rows_;
    ClassCounts counts_;
    std::vector<std::uint32_t> labels_;
    std::vector<float> probability_;  // classes x rows; empty: too many
};

}  // namespace bitbayes::learn

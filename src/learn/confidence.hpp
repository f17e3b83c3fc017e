// Whether the confidence of answers, the probability of the class that was answered, can be trusted.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace bitbayes::learn {

struct ReliabilityBin {
    double low = 0, high = 0;  // of the confidence; low is inside, high is not, but for 1
    std::size_t rows = 0;
    double confidence = 0, accuracy = 0;  // means over the rows; NaN if there are none
};

/// Answers by confidence, in bins of equal width: a reliability diagram.
class Reliability {
  public:
    static constexpr std::size_t kBins = 15;

    void add(double confidence, bool right);
    std::vector<ReliabilityBin> bins() const;
    /// ECE: the mean over rows of |confidence - accuracy| of their bin. NaN if a confidence is NaN.
    double expected_error() const;

  private:
    struct Sums {
        std::size_t rows = 0;
        double confidence = 0, right = 0;
    };
    std::array<Sums, kBins> bins_;
    std::size_t rows_ = 0;
};

struct CoveragePoint {
    double coverage = 0;  // share of rows, the most confident first
    double risk = 0;      // share of these that are wrong
};

struct RiskCoverage {
    std::vector<CoveragePoint>
        curve;        // at most kMaxPoints, evenly spaced; the last covers all rows
    double area = 0;  // AURC: mean risk over coverages 1/n, 2/n, ..., 1

    static constexpr std::size_t kMaxPoints = 100;
};

/// right[r] is 1 if row r was answered right, else 0. Of rows with equal confidence every part has
/// their mean error, so the order of rows does not matter. No points and area NaN without rows, or if
/// a confidence is NaN.
RiskCoverage risk_coverage(std::span<const double> confidence,
                           std::span<const std::uint32_t> right);

}  // namespace bitbayes::learn

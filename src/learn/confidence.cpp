#include "learn/confidence.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace bitbayes::learn {

void Reliability::add(double confidence, bool right) {
    // NaN goes into one bin, and makes all figures derived from it NaN.
    const double place = std::isnan(confidence) ? 0 : confidence * kBins;
    Sums& bin = bins_[std::min(kBins - 1, static_cast<std::size_t>(place))];
    bin.rows += 1;
    bin.confidence += confidence;
    bin.right += right;
    ++rows_;
}

std::vector<ReliabilityBin> Reliability::bins() const {
    std::vector<ReliabilityBin> result;
    for (std::size_t b = 0; b < kBins; ++b) {
        const auto rows = static_cast<double>(bins_[b].rows);
        result.push_back({static_cast<double>(b) / kBins, static_cast<double>(b + 1) / kBins,
                          bins_[b].rows, bins_[b].confidence / rows, bins_[b].right / rows});
    }
    return result;
}

double Reliability::expected_error() const {
    double sum = 0;
    for (const Sums& bin : bins_) {
        sum += std::fabs(bin.confidence - bin.right) / static_cast<double>(rows_);
    }
    return sum;
}

RiskCoverage risk_coverage(std::span<const double> confidence,
                           std::span<const std::uint32_t> right) {
    const std::size_t n = confidence.size();
    if (n == 0 || std::any_of(confidence.begin(), confidence.end(),
                              [](double value) { return std::isnan(value); })) {
        return {{}, NAN};
    }
    std::vector<std::size_t> order(n);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return confidence[a] > confidence[b]; });
    const std::size_t points = std::min(n, RiskCoverage::kMaxPoints);
    RiskCoverage result;
    double errors = 0;
    for (std::size_t first = 0, last = 0; first < n; first = last) {
        double wrong = 0;
        for (; last < n && confidence[order[last]] == confidence[order[first]]; ++last) {
            wrong += 1 - right[order[last]];
        }
        const double error = wrong / static_cast<double>(last - first);
        for (std::size_t covered = first + 1; covered <= last; ++covered) {
            const double risk = (errors + error * static_cast<double>(covered - first)) /
                                static_cast<double>(covered);
            result.area += risk / static_cast<double>(n);
            if (covered * points >= (result.curve.size() + 1) * n) {
                result.curve.push_back(
                    {static_cast<double>(covered) / static_cast<double>(n), risk});
            }
        }
        errors += wrong;
    }
    return result;
}

}  // namespace bitbayes::learn

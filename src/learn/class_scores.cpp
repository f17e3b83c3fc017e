#include "learn/class_scores.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace bitbayes::learn {
namespace {

template <class Value>
double area(std::span<const Value> values, std::span<const std::uint32_t> labels,
            std::uint32_t which) {
    if (std::any_of(values.begin(), values.end(), [](Value v) { return std::isnan(v); })) {
        return ClassFigures::kNone;
    }
    std::vector<std::size_t> order(values.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
    double ranks = 0, inside = 0;
    for (std::size_t first = 0, last = 0; first < order.size(); first = last) {
        double members = 0;
        for (; last < order.size() && values[order[last]] == values[order[first]]; ++last) {
            members += labels[order[last]] == which;
        }
        ranks += members * 0.5 * static_cast<double>(first + 1 + last);
        inside += members;
    }
    const double outside = static_cast<double>(values.size()) - inside;
    if (inside == 0 || outside == 0) return ClassFigures::kNone;
    return (ranks - inside * (inside + 1) / 2) / (inside * outside);
}

}  // namespace

double area_under_roc(std::span<const float> values, std::span<const std::uint32_t> labels,
                      std::uint32_t which) {
    return area(values, labels, which);
}

double area_under_roc(std::span<const double> values, std::span<const std::uint32_t> labels,
                      std::uint32_t which) {
    return area(values, labels, which);
}

ClassScores::ClassScores(std::size_t rows, std::size_t classes) : rows_(rows), counts_(classes) {
    labels_.reserve(rows);
    if (rows <= kMaxProbabilities / classes) probability_.resize(rows * classes);
}

void ClassScores::add(std::uint32_t truth, std::uint32_t answer,
                      std::span<const double> probability) {
    counts_.add(truth, answer);
    for (std::size_t k = 0; k < probability.size() && !probability_.empty(); ++k) {
        probability_[k * rows_ + labels_.size()] = static_cast<float>(probability[k]);
    }
    labels_.push_back(truth);
}

void ClassScores::fill(Evaluation& out) const {
    out.per_class = counts_.figures();
    for (std::size_t k = 0; k < out.per_class.size() && !probability_.empty(); ++k) {
        if (out.per_class[k].rows == 0) continue;
        out.per_class[k].auc = area_under_roc(std::span(probability_).subspan(k * rows_, rows_),
                                              labels_, static_cast<std::uint32_t>(k));
    }
    out.macro = macro_average(out.per_class);
}

}  // namespace bitbayes::learn

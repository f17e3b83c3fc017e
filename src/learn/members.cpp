#include "learn/members.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "learn/metrics.hpp"

namespace bitbayes::learn {

AnswerAverage::AnswerAverage(const ModelState& model, std::size_t members)
    : algorithm_(model.algorithm()),
      members_(members),
      outputs_(model.architecture.outputs()),
      classes_(model.classes()),
      scratch_(classes_) {}

void AnswerAverage::start(std::size_t rows) {
    sums_.assign(rows, {});
    probability_.assign(rows * classes_, 0);
    z_.assign(rows * outputs_, 0);
}

void AnswerAverage::add(std::size_t row, std::span<const float> z, std::span<const float> eps) {
    Sums& sums = sums_[row];
    sums.only = mean_answer(algorithm_, z, eps, scratch_);
    sums.validity += sums.only.validity;
    for (std::size_t k = 0; k < classes_; ++k) probability_[row * classes_ + k] += scratch_[k];
    for (std::size_t k = 0; k < outputs_; ++k) z_[row * outputs_ + k] += z[k];
}

Answer AnswerAverage::answer(std::size_t row) {
    if (members_ == 1) return sums_[row].only;
    const auto count = static_cast<double>(members_);
    const auto mean = std::span(probability_).subspan(row * classes_, classes_);
    for (double& p : mean) p /= count;
    const auto winner =
        static_cast<std::size_t>(std::max_element(mean.begin(), mean.end()) - mean.begin());
    return {static_cast<std::uint32_t>(winner), mean[winner], sums_[row].validity / count,
            margin(row, winner) / count};
}

double AnswerAverage::margin(std::size_t row, std::size_t winner) const {
    const auto z = std::span(z_).subspan(row * outputs_, outputs_);
    if (outputs_ == 1) return winner == 1 ? z[0] : -z[0];
    double runner_up = -HUGE_VAL;
    for (std::size_t k = 0; k < outputs_; ++k) {
        if (k != winner) runner_up = std::max(runner_up, z[k]);
    }
    return z[winner] - runner_up;
}

void Members::answer(const Rows& data, const Visit& visit, unsigned threads) const {
    const std::size_t outputs = first().outputs();
    AnswerAverage average(first().description(), size());
    std::vector<std::size_t> rows;
    const std::size_t at_once = first().answer_rows();
    for (std::size_t start = 0; start < data.size(); start += at_once) {
        rows.resize(std::min(at_once, data.size() - start));
        std::iota(rows.begin(), rows.end(), start);
        average.start(rows.size());
        for (const LiveModel* member : all_) {
            const auto add = [&](std::size_t, std::span<const float> z) {
                for (std::size_t r = 0; r < rows.size(); ++r) {
                    average.add(r, z.subspan(r * outputs, outputs), member->eps());
                }
            };
            member->answer(data, rows, add, threads);
        }
        for (std::size_t r = 0; r < rows.size(); ++r) {
            const Answer answer = average.answer(r);
            visit(start + r, answer, average.probability(r));
        }
    }
}

}  // namespace bitbayes::learn

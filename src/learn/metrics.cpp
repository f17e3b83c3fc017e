#include "learn/metrics.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>

#include "math/label_noise.hpp"

namespace bitbayes::learn {
namespace {

constexpr double kMinProbability = 1e-12;

Answer one_output_answer(double z, double eps, std::span<double> probability) {
    probability[0] = std::exp(math::log_noisy_phi(-z, eps));
    probability[1] = std::exp(math::log_noisy_phi(z, eps));
    const std::uint32_t index = z >= 0 ? 1 : 0;
    return {index, probability[index], 1, std::fabs(z)};
}

double noise_of(std::span<const float> eps, std::size_t k) { return eps.empty() ? 0 : eps[k]; }

bool all_equal(std::span<const float> values) {
    return std::adjacent_find(values.begin(), values.end(), std::not_equal_to<>()) == values.end();
}

}  // namespace

std::uint32_t winner(std::span<const float> z, std::span<const float> eps) {
    if (z.size() == 1) return z[0] >= 0 ? 1 : 0;
    const auto highest =
        static_cast<std::uint32_t>(std::max_element(z.begin(), z.end()) - z.begin());
    if (all_equal(eps)) return highest;
    std::uint32_t best = highest;
    std::optional<double> most;
    for (std::uint32_t k = 0; k < z.size(); ++k) {
        // Whatever eps is, the sign of z says on which side of 1/2 the probability is.
        if (k == highest || (z[highest] >= 0 && z[k] < 0)) continue;
        if (!most) most = math::noisy_phi(z[highest], eps[highest]);
        const double p = math::noisy_phi(z[k], eps[k]);
        if (p > *most) best = k, most = p;
    }
    return best;
}

Answer bayes_answer(std::span<const float> z, std::span<const float> eps,
                    std::span<double> probability) {
    if (z.size() == 1) return one_output_answer(z[0], noise_of(eps, 0), probability);
    const auto log_on = [&](std::size_t k) { return math::log_noisy_phi(z[k], noise_of(eps, k)); };
    const auto log_off = [&](std::size_t k) {
        return math::log_noisy_phi(-double{z[k]}, noise_of(eps, k));
    };
    const std::uint32_t best = winner(z, eps);
    const double best_odds = log_on(best) - log_off(best);
    double best_alone = log_on(best);  // ln of the winner's one-hot pattern
    double runner_up = -HUGE_VAL;
    double sum = 0;
    for (std::size_t k = 0; k < z.size(); ++k) {
        const double off = log_off(k);
        if (k != best) {
            best_alone += off;
            runner_up = std::max(runner_up, double{z[k]});
        }
        probability[k] = k == best ? 1 : std::exp(log_on(k) - off - best_odds);
        sum += probability[k];
    }
    for (double& p : probability) p /= sum;
    const double validity = std::min(1.0, std::exp(best_alone) * sum);
    return {best, probability[best], validity, z[best] - runner_up};
}

Answer real_answer(std::span<const float> u) {
    constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
    const std::uint32_t best = winner(u);
    if (u.size() == 1) return {best, kNone, 1, std::fabs(double{u[0]})};
    double runner_up = -HUGE_VAL;
    for (std::size_t k = 0; k < u.size(); ++k) {
        if (k != best) runner_up = std::max(runner_up, double{u[k]});
    }
    const bool legal = std::count_if(u.begin(), u.end(), [](float x) { return x >= 0; }) == 1;
    return {best, kNone, legal ? 1.0 : 0.0, u[best] - runner_up};
}

Answer mean_answer(Algorithm algorithm, std::span<const float> z, std::span<const float> eps,
                   std::span<double> probability) {
    if (algorithm == Algorithm::kMfb) return bayes_answer(z, eps, probability);
    std::fill(probability.begin(), probability.end(), std::numeric_limits<double>::quiet_NaN());
    return real_answer(z);
}

Scores::Scores(std::size_t classes) : confusion_(classes) {}

void Scores::add(std::uint32_t truth, const Answer& mean, std::span<const double> probability,
                 std::uint32_t map_class) {
    const bool correct = mean.class_index == truth;
    ++rows_;
    errors_mean_ += !correct;
    errors_map_ += map_class != truth;
    nll_ -= std::log(std::max(probability[truth], kMinProbability));
    for (std::size_t k = 0; k < probability.size(); ++k) {
        const double off = probability[k] - (k == truth ? 1 : 0);
        brier_ += off * off;
    }
    validity_ += mean.validity;
    reliability_.add(mean.probability, correct);
    confusion_.add(truth, mean.class_index);
}

Evaluation Scores::result() const {
    Evaluation out;
    out.rows = rows_;
    out.confusion = confusion_;
    if (rows_ == 0) return out;
    const auto n = static_cast<double>(rows_);
    out.error_map = static_cast<double>(errors_map_) / n;
    out.error_mean = static_cast<double>(errors_mean_) / n;
    out.nll = nll_ / n;
    out.brier = brier_ / n;
    out.validity = validity_ / n;
    out.ece = reliability_.expected_error();
    return out;
}

}  // namespace bitbayes::learn

#include "learn/metrics.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <vector>

#include "math/label_noise.hpp"

namespace bitbayes::learn {
namespace {

double phi(double z) { return 0.5 * std::erfc(-z / std::sqrt(2.0)); }

double sum(const std::vector<double>& values) {
    return std::accumulate(values.begin(), values.end(), 0.0);
}

struct Enumerated {
    std::vector<double> probability;
    double validity = 0;
};

// Adds up all 2^C output patterns: only the one-hot ones are legal.
Enumerated enumerate(const std::vector<float>& z, const std::vector<float>& eps) {
    Enumerated out;
    out.probability.assign(z.size(), 0);
    for (unsigned pattern = 0; pattern < 1u << z.size(); ++pattern) {
        double p = 1;
        unsigned on = 0, last = 0;
        for (unsigned k = 0; k < z.size(); ++k) {
            const bool active = pattern >> k & 1;
            const double noise = eps.empty() ? 0 : eps[k];
            p *= noise + (1 - 2 * noise) * phi(active ? z[k] : -z[k]);
            on += active;
            if (active) last = k;
        }
        if (on != 1) continue;
        out.probability[last] = p;
        out.validity += p;
    }
    for (double& p : out.probability) p /= out.validity;
    return out;
}

TEST(BayesAnswer, EqualsEnumerationOfOutputPatterns) {
    const std::vector<std::vector<float>> cases = {{0.3f, -1.2f, 0.7f},
                                                   {-2, -2.5f, -3, -0.1f},
                                                   {1, 2, 3, 4, 5},
                                                   {0, 0},
                                                   {-4, 4, -4, 3.5f, -1}};
    for (const auto& z : cases) {
        for (const float noise : {0.0f, 1e-4f, 0.3f}) {
            std::vector<float> eps;
            for (std::size_t k = 0; k < z.size() && noise > 0; ++k) {
                eps.push_back(noise / static_cast<float>(k + 1));
            }
            std::vector<double> p(z.size());
            const Answer answer = bayes_answer(z, eps, p);
            const Enumerated expected = enumerate(z, eps);
            for (std::size_t k = 0; k < z.size(); ++k)
                EXPECT_NEAR(p[k], expected.probability[k], 1e-13);
            EXPECT_NEAR(answer.validity, expected.validity, 1e-13);
            EXPECT_DOUBLE_EQ(answer.probability, p[answer.class_index]);
            EXPECT_EQ(answer.probability, *std::max_element(p.begin(), p.end()));
            EXPECT_NEAR(sum(p), 1, 1e-14);
        }
    }
}

TEST(BayesAnswer, TheMostProbableClassWinsWhateverItsNoise) {
    const std::vector<float> z{2.5f, 2.0f, -3}, eps{0.2f, 0.001f, 0.001f};
    std::vector<double> p(3);
    const Answer answer = bayes_answer(z, eps, p);
    EXPECT_EQ(answer.class_index, 1u);
    EXPECT_GT(p[1], p[0]);
    EXPECT_EQ(winner(z, eps), 1u);
    EXPECT_EQ(winner(z), 0u);
    // Where all are as noisy, z decides, even if it is so large that the probabilities are equal.
    EXPECT_EQ(winner(std::vector<float>{40, 50}, std::vector<float>{0.1f, 0.1f}), 1u);
    EXPECT_EQ(winner(std::vector<float>{40, 50, -1}, std::vector<float>{0.1f, 0.1f, 0.2f}), 1u);
}

TEST(BayesAnswer, NoClassIsMoreProbableThanTheWinner) {
    std::mt19937 random(1);
    std::normal_distribution<float> normal;
    std::uniform_real_distribution<float> noise(0, 0.45f);
    for (std::size_t round = 0; round < 2000; ++round) {
        std::vector<float> z(5), eps(5);
        const float shift = normal(random);  // so that all are negative, too
        for (float& each : z) each = 2 * normal(random) + 2 * shift;
        for (float& each : eps) each = noise(random);
        const auto p = [&](std::size_t k) { return math::noisy_phi(z[k], eps[k]); };
        const std::uint32_t best = winner(z, eps);
        for (std::size_t k = 0; k < z.size(); ++k) EXPECT_LE(p(k), p(best));
    }
}

TEST(BayesAnswer, WinnerAndMargin) {
    std::vector<double> p(3);
    const Answer answer = bayes_answer(std::vector<float>{0.25f, 2.5f, 1.0f}, {}, p);
    EXPECT_EQ(answer.class_index, 1u);
    EXPECT_DOUBLE_EQ(answer.margin, 1.5);
    EXPECT_EQ(winner(std::vector<float>{1, 3, 3}), 1u);
    EXPECT_EQ(winner(std::vector<float>{0.0f}), 1u);
    EXPECT_EQ(winner(std::vector<float>{-0.1f}), 0u);
}

TEST(BayesAnswer, OneOutputIsPhi) {
    std::vector<double> p(2);
    for (const float z : {-6.0f, -0.75f, 0.0f, 0.5f, 7.0f}) {
        bayes_answer(std::vector<float>{z}, std::vector<float>{0.25f}, p);
        EXPECT_NEAR(p[1], 0.25 + 0.5 * phi(z), 1e-15);
        EXPECT_NEAR(sum(p), 1, 1e-15);
        const Answer answer = bayes_answer(std::vector<float>{z}, {}, p);
        EXPECT_NEAR(p[1] / phi(z), 1, 1e-14);
        EXPECT_NEAR(p[0] / phi(-z), 1, 1e-14);
        EXPECT_NEAR(sum(p), 1, 1e-15);
        EXPECT_EQ(answer.class_index, z >= 0 ? 1u : 0u);
        EXPECT_EQ(answer.validity, 1);
        EXPECT_DOUBLE_EQ(answer.margin, std::fabs(z));
    }
}

TEST(BayesAnswer, StableForHugeScores) {
    std::vector<double> p(3);
    Answer answer = bayes_answer(std::vector<float>{1e6f, -1e6f, -1e6f}, {}, p);
    EXPECT_EQ(p, (std::vector<double>{1, 0, 0}));
    EXPECT_EQ(answer.validity, 1);

    answer = bayes_answer(std::vector<float>{-1e6f, -1e6f, -9e5f}, {}, p);
    EXPECT_EQ(p, (std::vector<double>{0, 0, 1}));
    EXPECT_EQ(answer.validity, 0);

    answer = bayes_answer(std::vector<float>{1e6f, 1e6f, -1e6f}, {}, p);
    EXPECT_EQ(p, (std::vector<double>{0.5, 0.5, 0}));
    EXPECT_EQ(answer.class_index, 0u);
    EXPECT_EQ(answer.validity, 0);

    std::vector<double> two(2);
    answer = bayes_answer(std::vector<float>{-1e6f}, {}, two);
    EXPECT_EQ(two, (std::vector<double>{1, 0}));
}

// Three rows by hand: confidences 0.8 (right), 0.6 (wrong, truth at 0.3) and 1 (wrong, truth at 0).
TEST(Scores, KnownExample) {
    Scores scores(3);
    const std::vector<double> a{0.8, 0.1, 0.1}, b{0.3, 0.6, 0.1}, c{0, 0, 1};
    scores.add(0, {0, 0.8, 0.9, 1}, a, 0);
    scores.add(0, {1, 0.6, 0.5, 1}, b, 0);
    scores.add(1, {2, 1.0, 0.1, 1}, c, 2);
    const Evaluation out = scores.result();
    EXPECT_EQ(out.rows, 3u);
    EXPECT_DOUBLE_EQ(out.error_mean, 2.0 / 3);
    EXPECT_DOUBLE_EQ(out.error_map, 1.0 / 3);
    EXPECT_NEAR(out.nll, -(std::log(0.8) + std::log(0.3) + std::log(1e-12)) / 3, 1e-12);
    EXPECT_NEAR(out.brier, ((0.04 + 0.01 + 0.01) + (0.49 + 0.36 + 0.01) + 2) / 3, 1e-12);
    EXPECT_NEAR(out.ece, (0.2 + 0.6 + 1) / 3, 1e-12);
    EXPECT_NEAR(out.validity, 0.5, 1e-12);
    const std::vector<std::vector<std::uint64_t>> confusion{{1, 1, 0}, {0, 0, 1}, {0, 0, 0}};
    EXPECT_EQ(out.confusion.dense(), confusion);
    EXPECT_EQ(out.confusion.entries().size(), 3u);
    EXPECT_EQ(out.confusion.count(1, 2), 1u);
    EXPECT_EQ(out.confusion.count(2, 2), 0u);
}

// 0.61 and 0.65 share the bin [9/15, 10/15): their errors cancel; 0.67 is in the next one.
TEST(Scores, CalibrationHasFifteenBins) {
    Scores scores(2);
    const auto add = [&](double p, std::uint32_t truth) {
        scores.add(truth, {1, p, 1, 1}, std::vector<double>{1 - p, p}, 1);
    };
    add(0.61, 0);
    add(0.65, 1);
    EXPECT_NEAR(scores.result().ece, 0.26 / 2, 1e-12);
    add(0.67, 1);
    EXPECT_NEAR(scores.result().ece, (0.26 + 0.33) / 3, 1e-12);
}

TEST(Scores, ManyClassesTakeMemoryForTheRowsOnly) {
    constexpr std::size_t kClasses = 1 << 20;
    Scores scores(kClasses);
    std::vector<double> probability(kClasses);
    probability[5] = 1;
    scores.add(kClasses - 1, {5, 1, 1, 1}, probability, 5);
    const Confusion confusion = scores.result().confusion;
    EXPECT_EQ(confusion.classes(), kClasses);
    EXPECT_EQ(confusion.count(kClasses - 1, 5), 1u);
    EXPECT_EQ(confusion.entries().size(), 1u);
}

TEST(Scores, NoRowsGiveZeros) {
    const Evaluation out = Scores(2).result();
    EXPECT_EQ(out.rows, 0u);
    EXPECT_EQ(out.error_mean, 0);
    EXPECT_EQ(out.confusion.classes(), 2u);
}

}  // namespace
}  // namespace bitbayes::learn

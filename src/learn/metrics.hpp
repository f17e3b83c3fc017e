// From output z-scores to probabilities, and from answers to figures.
//
//   P(k) ~ P_k(z_k) prod_{j != k} P_j(-z_j): a softmax over ln P_k(z_k) - ln P_k(-z_k);
//   its normaliser sum_k P_k(z_k) prod_{j != k} P_j(-z_j) is the validity.
//   One output: P(class 1) = P_1(z), validity 1.
// with P_k(z) = eps_k + (1 - 2 eps_k) Phi(z), eps the label noise.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "bitbayes/types/answer.hpp"
#include "learn/confidence.hpp"

namespace bitbayes::learn {

/// Index of the most probable class; one output: 1 iff z >= 0. That is the highest z (lowest index on
/// a tie), unless outputs of different label noise disagree: then the highest P_k(z_k), since P_k(-z)
/// = 1 - P_k(z). No `eps`: 0.
std::uint32_t winner(std::span<const float> z, std::span<const float> eps = {});

/// Fills `probability` (one per class) and returns the answer of the Bayes average. `eps`: label noise
/// per output; empty: 0.
Answer bayes_answer(std::span<const float> z, std::span<const float> eps,
                    std::span<double> probability);

/// The answer of BackProp's real-valued network, from the inputs u of its outputs: no probability,
/// legal if exactly one output is >= 0.
Answer real_answer(std::span<const float> u);

/// The answer under `algorithm`; fills `probability`, with NaN for BackProp.
Answer mean_answer(Algorithm algorithm, std::span<const float> z, std::span<const float> eps,
                   std::span<double> probability);

/// Collects answers row by row.
class Scores {
  public:
    explicit Scores(std::size_t classes);
    void add(std::uint32_t truth, const Answer& mean, std::span<const double> probability,
             std::uint32_t map_class);
    Evaluation result() const;

  private:
    std::size_t rows_ = 0, errors_map_ = 0, errors_mean_ = 0;
    double nll_ = 0, brier_ = 0, validity_ = 0;
    Reliability reliability_;
    Confusion confusion_;
};

}  // namespace bitbayes::learn

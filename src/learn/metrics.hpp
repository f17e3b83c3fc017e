// From output z-scores to probabilities, and from answers to figures.
//
//   P(k) ~ Phi(z_k) prod_{j != k} Phi(-z_j): a softmax over ln Phi(z_k) - ln Phi(-z_k);
//   its normaliser sum_k Phi(z_k) prod_{j != k} Phi(-z_j) is the validity.
//   One output: P(class 1) = Phi(z), validity 1.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "bitbayes/types/answer.hpp"
#include "learn/confidence.hpp"

namespace bitbayes::learn {

/// Index of the highest z (lowest index on a tie); one output: 1 iff z >= 0.
std::uint32_t winner(std::span<const float> z);

/// Fills `probability` (one per class) and returns the answer of the Bayes average.
Answer bayes_answer(std::span<const float> z, std::span<double> probability);

/// The answer of BackProp's real-valued network, from the inputs u of its outputs: no probability,
/// legal if exactly one output is >= 0.
Answer real_answer(std::span<const float> u);

/// The answer under `algorithm`; fills `probability`, with NaN for BackProp.
Answer mean_answer(Algorithm algorithm, std::span<const float> z, std::span<double> probability);

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

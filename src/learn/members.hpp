// Models that answer together, and the average of their answers:
//
//   P(k)     = 1/M sum_m P_m(k): the highest wins, the lowest index on a tie
//   validity = 1/M sum_m validity_m
//   z_k      = 1/M sum_m z_mk; margin: that of the winner minus the highest of the others (one
//              output: z if class 1 wins, else -z)
//
// One model: its own answer, bit for bit.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "bitbayes/types/answer.hpp"
#include "learn/live_model.hpp"

namespace bitbayes::learn {

/// Averages the answers to a block of rows.
class AnswerAverage {
  public:
    AnswerAverage(const ModelState& model, std::size_t members);

    /// Forgets the last block.
    void start(std::size_t rows);
    /// Adds one member's outputs for a row of the block, and its label noise.
    void add(std::size_t row, std::span<const float> z, std::span<const float> eps);
    /// Once per row, when all members have been added.
    Answer answer(std::size_t row);
    /// Of all classes, after answer(row).
    std::span<const double> probability(std::size_t row) const {
        return std::span(probability_).subspan(row * classes_, classes_);
    }

  private:
    struct Sums {
        Answer only;  // the last member's
        double validity = 0;
    };
    double margin(std::size_t row, std::size_t winner) const;

    Algorithm algorithm_;
    std::size_t members_, outputs_, classes_;
    std::vector<Sums> sums_;
    std::vector<double> probability_, z_;  // rows x classes, rows x outputs
    std::vector<double> scratch_;          // one member's probabilities
};

/// Views of one or more models of the same columns, classes and shape.
class Members {
  public:
    using Visit = std::function<void(std::size_t row, const Answer& answer,
                                     std::span<const double> probability)>;

    Members(const LiveModel& model) : all_{&model} {}  // NOLINT: one model is a member alone
    explicit Members(std::vector<const LiveModel*> all) : all_(std::move(all)) {}

    std::size_t size() const { return all_.size(); }
    const LiveModel& first() const { return *all_.front(); }
    std::vector<const LiveModel*>::const_iterator begin() const { return all_.begin(); }
    std::vector<const LiveModel*>::const_iterator end() const { return all_.end(); }

    /// The Bayes average of every row, in their order, by at most `threads` threads (0: all).
    void answer(const Rows& data, const Visit& visit, unsigned threads = 0) const;

  private:
    std::vector<const LiveModel*> all_;
};

}  // namespace bitbayes::learn

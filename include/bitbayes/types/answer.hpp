// What a network answers to a row, and how often it is right.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <utility>
#include <vector>

namespace bitbayes {

/// kMfb is MFB-BackProp. kBackprop is the paper's baseline: gradient descent on real weights, which
/// has answers and, clipped, a binary network, but no probabilities.
enum class Algorithm { kMfb, kBackprop };

/// kMean averages over the posterior of all weights; kMap asks the clipped network, every weight +1
/// or -1. With BackProp, kMean is the network on real weights.
enum class Mode { kMean, kMap };

struct Answer {
    std::uint32_t class_index = 0;
    double probability = 0;  // of the class; NaN for kMap and BackProp
    /// Probability that the output pattern is legal at all; kMap and BackProp: 0 or 1.
    double validity = 1;
    /// Winner minus runner-up, in standard deviations; kMap: an integer; BackProp: in units of u. Below 0
    /// where an output wins by less label noise than another.
    double margin = 0;
    /// False: "don't know". A packed network's margin is too small, or, also with kMap, a value of the row
    /// lies far beyond those of training.
    bool known = true;

    bool operator==(const Answer&) const = default;
};

/// One class against all others, each answer counted as it was given. NaN for a class without rows.
struct ClassFigures {
    static constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

    std::size_t rows = 0;  // of the class
    double precision =
        kNone;              // share of the answers "this class" that are right; 0 if there are none
    double recall = kNone;  // share of the rows of this class that are answered so
    double f1 = kNone;      // harmonic mean of the two
    /// The probability that a row of the class gets a higher probability of it than another row, ties
    /// at half. NaN without probabilities, and beyond 2^26 rows x classes.
    double auc = kNone;
};

/// How often each class was answered for each true class. Takes memory only for pairs that occur.
class Confusion {
  public:
    using Pair = std::pair<std::uint32_t, std::uint32_t>;  // truth, answer

    Confusion() = default;
    explicit Confusion(std::size_t classes) : classes_(classes) {}

    void add(std::uint32_t truth, std::uint32_t answer, std::uint64_t times = 1) {
        counts_[{truth, answer}] += times;
    }
    std::size_t classes() const { return classes_; }
    std::uint64_t count(std::uint32_t truth, std::uint32_t answer) const {
        const auto found = counts_.find({truth, answer});
        return found == counts_.end() ? 0 : found->second;
    }
    /// The pairs that occur, ascending, each with its count.
    const std::map<Pair, std::uint64_t>& entries() const { return counts_; }
    /// The matrix [truth][answer]: classes squared numbers.
    std::vector<std::vector<std::uint64_t>> dense() const {
        std::vector<std::vector<std::uint64_t>> matrix(classes_,
                                                       std::vector<std::uint64_t>(classes_));
        for (const auto& [pair, times] : counts_) matrix[pair.first][pair.second] = times;
        return matrix;
    }
    bool operator==(const Confusion&) const = default;

  private:
    std::size_t classes_ = 0;
    std::map<Pair, std::uint64_t> counts_;
};

/// Fractions over the rows of one data set. NLL in nats, Brier summed over classes, ECE with 15
/// bins; these three are NaN for BackProp.
struct Evaluation {
    std::size_t rows = 0;
    double error_map = 0;
    double error_mean = 0;
    double nll = 0;
    double brier = 0;
    double ece = 0;
    double validity = 0;
    Confusion confusion;  // of the Bayes average
    /// Of the Bayes average, and their means over the classes that have rows. Only what evaluates a
    /// model at the caller's request fills these in, not the evaluations after each epoch.
    std::vector<ClassFigures> per_class = {};
    ClassFigures macro = {};
};

struct PackedEvaluation {
    std::size_t rows = 0;
    double error_map = 0;
    double legal = 0;           // share of rows with a legal output pattern
    double abstained = 0;       // share of rows whose answer is "don't know"
    double error_accepted = 0;  // of the others; NaN if there are none
    Confusion confusion;        // of all rows
    /// Of all rows, "don't know" or not, and their means over the classes that have rows.
    std::vector<ClassFigures> per_class = {};
    ClassFigures macro = {};
    std::size_t outside = 0;  // rows with a value far beyond those of training: "don't know"
};

/// A margin below which "don't know" is the answer, and its effect on the data it was chosen on.
struct AbstainChoice {
    std::int64_t below = 0;
    double abstained = 0;       // share of rows
    double error_accepted = 0;  // of the others
};

}  // namespace bitbayes

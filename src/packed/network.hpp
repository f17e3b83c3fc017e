// The clipped network: the one definition of every MAP answer. `error_map`
// counts its errors, *.bbn files hold it, and C and Verilog are written from it.
//
//   columns:        c_j = round((value - origin_j) / step_j), saturated to the type of the columns;
//                   steps of powers of two: c_j = round(value / step_j) - origin_j / step_j, halves up
//   inputs:         x_k = c_j, or with comparators x_k = +1 iff c_j > comparator_k, else -1;
//                   in a column of words        x_k = +1 iff c_j = comparator_k, else -1
//   layers 1..L-1:  v_i = +1 iff sum_j W_ij v_j >= t_i      layer 1 reads x; sign(0) = +1
//   layer L:        score_k = sum_j W_kj v_j - t_k
//   thresholds:     in layer 1 folded from preprocessing; in dense layers above it t_i = -W_ic, c the
//                   constant input; in tree layers 0
//   a committee:    score_k = sum over its members of their score_k
//                   or, in files of formats 1 and 2, of +1 if the member answers k, else -1
//                   (one output: if it answers class 1)
//
// The highest score wins, the lowest index on a tie; one output: class 1 iff score >= 0.
// Twins: packed/engine.cpp, runtime/c, runtime/rtl.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bitbayes/types/columns.hpp"

namespace bitbayes::packed {

/// What a column holds, the same for all: 0 or 1; -1 or +1; whole numbers of 8 or 16 bits.
enum class ColumnType { kBit, kSign, kU8, kI8, kI16 };

struct ColumnRange {
    int low = 0, high = 0;
};

ColumnRange range_of(ColumnType type);
/// "bit", "sign", "u8", "i8", "i16"
const char* name_of(ColumnType type);
/// The type of that name; false if there is none.
bool parse_column_type(const std::string& name, ColumnType& type);

/// From the values of a table to the integers that a device receives.
struct Quantiser {
    ColumnType type = ColumnType::kI16;
    std::vector<double> origin, step;  // per column; empty: 0 and 1, the columns hold whole numbers
    std::vector<std::int16_t> missing;  // per column: replaces a missing value
    static constexpr std::int32_t kMissing = std::numeric_limits<std::int32_t>::min();
    bool binary = false;  // steps are powers of two, origins multiples of them
    /// Per column: the lowest and highest raw value that is not far beyond those of training; the ends of
    /// int32 are no limit. Empty: none is. Only if has_raw().
    std::vector<std::int32_t> low = {}, high = {};

    std::size_t columns() const { return missing.size(); }
    /// NaN is a missing value.
    std::int16_t operator()(std::size_t column, double value) const;
    /// A whole row, one value per column.
    void operator()(std::span<const double> values, std::span<std::int16_t> row) const;

    /// Whether whole numbers suffice: c_j = raw_j - raw_origin(j), saturated, where raw_j is
    /// value * 2^scale_bits(j), rounded with halves up and saturated to int32; a value of a table of
    /// whole numbers is rounded with halves away from 0.
    bool has_raw() const;
    std::int32_t raw_origin(std::size_t column) const;
    /// raw_j; kMissing for NaN.
    std::int32_t raw(std::size_t column, double value) const;
    int scale_bits(std::size_t column) const;

    /// Whether the value is far beyond those of training; a missing one is not.
    bool outside(std::size_t column, double value) const;
    bool outside_raw(std::size_t column, std::int32_t raw) const;
    /// Whether any of a row is; one value per column.
    bool outside(std::span<const double> values) const;
};

/// Weights as bits, row by row, the lowest bit first: 1 is +1, 0 is -1. Rows are padded with 0 to
/// whole words.
struct Layer {
    std::size_t neurons = 0;
    std::size_t fan_in = 0;
    bool reads_all = false;  // the whole layer below; else neuron i reads i*K .. i*K+K-1
    std::vector<std::uint64_t> bits;
    std::vector<std::int64_t> threshold;  // one per neuron if reads_all, else empty

    Layer() = default;
    Layer(std::size_t neuron_count, std::size_t fan_in_count, bool all)
        : neurons(neuron_count),
          fan_in(fan_in_count),
          reads_all(all),
          bits(neuron_count * row_words()) {}

    std::size_t row_words() const { return (fan_in + 63) / 64; }
    std::span<const std::uint64_t> row(std::size_t neuron) const {
        return std::span(bits).subspan(neuron * row_words(), row_words());
    }
    int weight(std::size_t neuron, std::size_t j) const {
        return (bits[neuron * row_words() + j / 64] >> (j % 64) & 1) != 0 ? 1 : -1;
    }
    /// Of a weight that is -1 so far. Without a branch: nobody can predict weights.
    void set_positive(std::size_t neuron, std::size_t j, bool positive = true) {
        bits[neuron * row_words() + j / 64] |= std::uint64_t{positive} << (j % 64);
    }
};

struct Answer {
    std::uint32_t class_index = 0;
    std::int64_t margin = 0;  // winner minus runner-up; one output: |score|
    bool legal = true;        // exactly one score is 0 or more; always true for one output
    bool outside = false;     // a value of the row is far beyond those of training
};

/// The answer to scores that are added class by class, in their order.
class ScoreTally {
  public:
    void add(std::int64_t score) {
        if (classes_ == 0 || score > best_) {
            runner_up_ = best_;
            best_ = score;
            winner_ = classes_;
        } else if (classes_ == 1 || score > runner_up_) {
            runner_up_ = score;
        }
        not_negative_ += score >= 0;
        ++classes_;
    }
    /// The scores that `later` has seen come after those of this one.
    void add(const ScoreTally& later) {
        if (later.classes_ == 0) return;
        if (classes_ == 0) {
            *this = later;
            return;
        }
        const bool wins = later.best_ > best_;
        const std::int64_t loser = wins ? best_ : later.best_;
        const ScoreTally& winner = wins ? later : *this;
        runner_up_ = winner.classes_ == 1 ? loser : std::max(loser, winner.runner_up_);
        if (wins) {
            best_ = later.best_;
            winner_ = classes_ + later.winner_;
        }
        not_negative_ += later.not_negative_;
        classes_ += later.classes_;
    }
    Answer answer() const {
        if (classes_ == 1) return {best_ >= 0 ? 1u : 0u, best_ >= 0 ? best_ : -best_, true, false};
        return {winner_, best_ - runner_up_, not_negative_ == 1, false};
    }

  private:
    std::int64_t best_ = 0, runner_up_ = 0;
    std::uint32_t winner_ = 0, not_negative_ = 0, classes_ = 0;
};

/// The columns of the network among those of a table.
struct SourceColumns {
    std::size_t features = 0;           // columns of the table
    std::vector<std::uint32_t> column;  // of each column of the network, ascending
};

struct Network {
    Quantiser quantiser;
    bool sparse = false;  // rows are given by their non-zero columns
    /// Sparse networks that have only some columns of the table; unset: all.
    std::optional<SourceColumns> source;
    std::vector<std::uint32_t> column;     // of each input of layer 1, ascending, in the quantiser
    std::vector<std::int16_t> comparator;  // per input; empty: the inputs are the columns
    std::vector<std::vector<Layer>> members;  // one, or a committee; all of the same shape
    bool adds_scores = false;                 // a committee: else its members vote
    std::vector<std::string> class_names;
    TableColumns table;                        // how tables for this network are read
    std::int64_t abstain_below = 0;            // a margin below it means "don't know"
    std::uint64_t seed = 0, samples_seen = 0;  // of the model it comes from

    std::size_t inputs() const { return column.size(); }
    /// Whether input k asks for equality: its column holds codes of words.
    bool asks_for_word(std::size_t k) const { return table.categorical(column[k]); }
    /// Columns of a table.
    std::size_t features() const { return source ? source->features : quantiser.columns(); }
    std::size_t outputs() const { return members.front().back().neurons; }
    /// Weights of all members.
    std::size_t weights() const;
    /// An upper bound on |sum - threshold| in layer 1.
    std::int64_t largest_sum() const;
    /// An upper bound on |score|.
    std::int64_t largest_score() const;

    std::vector<std::int16_t> inputs_of(std::span<const std::int16_t> columns) const;
    /// In plain loops, from the quantised columns.
    std::vector<std::int64_t> scores(std::span<const std::int16_t> columns) const;
    static Answer answer(std::span<const std::int64_t> scores);
    /// Adds the scores of one committee member, or its votes, to `scores`.
    void add_member(std::span<const std::int64_t> member, std::span<std::int64_t> scores) const;
};

}  // namespace bitbayes::packed

// From raw rows to the inputs of layer 1. Part of the model: fitted on training rows, stored,
// replayed.
//
//   center         u_j = (x_j - m_j) / s      s: root mean square of the centred training data
//   standardize    u_j = (x_j - m_j) / s_j
//   none           u_j = x_j
//   thermometer:N  u_jk = (b_jk - m_jk) / s,  b_jk = +1 if x_j > threshold_jk else -1;
//                  in a column of words        b_jk = +1 if x_j = threshold_jk, a code, else -1
//
// then a constant 1, if there is one. A column that was constant in training, a missing value, and a
// code that training did not see are 0.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "base/aligned.hpp"
#include "bitbayes/types/rows.hpp"
#include "data/shift.hpp"

namespace bitbayes::data {

enum class PreprocessKind { kNone, kCenter, kStandardize, kThermometer };

/// What the training rows looked like, one element per column of the model. A column is constant if minimum ==
/// maximum (or if all its values were missing: both 0). `integer`: every training value was a whole
/// number. The median of a column of words is its most frequent code.
struct ColumnStats {
    std::vector<double> minimum, maximum, median;
    std::vector<std::uint8_t> integer;
    bool signs = false;  // every column that varies holds -1 and +1 only

    std::size_t size() const { return integer.size(); }
    bool constant(std::size_t column) const { return minimum[column] == maximum[column]; }
    /// Whole numbers within int16: the clipped network reads them as they are.
    bool small_whole(std::size_t column) const {
        return integer[column] && minimum[column] >= -0x1p15 && maximum[column] < 0x1p15;
    }
    bool operator==(const ColumnStats&) const = default;
};

struct PreprocessOptions {
    std::string choice = "auto";  // auto, center, standardize, none, thermometer:N
    bool bias = true;             // ignored (false) for teacher data
    bool dense_ok = false;        // sparse data may be made dense
    /// How many thermometer inputs there may be, chosen by the label of each row; 0: no limit.
    std::uint64_t thermometer_budget = 0;
    std::span<const std::uint32_t> labels = {};
};

/// Rows as a table has them, one after another, as exactly as it has them.
using Cells = std::variant<std::vector<std::uint8_t>, std::vector<float>, std::vector<double>>;

/// A block of rows as layer 1 sees them: dense rows of the live inputs, padded with zeros to
/// `stride`, or, if `sparse`, entries row_start[r] .. row_start[r + 1] - 1 of index and value; or
/// instead of all values the cells that they follow from.
struct InputBlock {
    bool sparse = false;
    std::size_t rows = 0;
    std::size_t stride = 0;
    AlignedVector<float> value;
    std::optional<Cells> cells;
    std::vector<std::size_t> row_start;
    std::vector<std::uint32_t> index;
    std::vector<double> raw;  // scratch: one raw row
};

struct Preprocessing {
    PreprocessKind kind = PreprocessKind::kNone;
    std::size_t levels = 0;  // the N of thermometer:N
    bool sparse = false;     // inputs are sparse rows (kind is kNone then)
    bool bias = true;
    std::string reason;  // why it was chosen, for `info`
    ColumnStats columns;
    /// Sparse inputs: the columns of the table that varied in training, ascending, and how many
    /// columns the table has. Unset: all columns.
    struct Kept {
        std::vector<std::uint32_t> column;
        std::size_t features = 0;
        bool operator==(const Kept&) const = default;
    };
    std::optional<Kept> kept;
    /// Per column (center, standardize) or per threshold (thermometer); else empty.
    std::vector<double> mean;
    /// One element (center, thermometer), one per column (standardize); else empty.
    std::vector<double> scale;
    /// Per column: does it hold codes of words? Empty: none does. Only with thermometer.
    std::vector<std::uint8_t> categorical;
    /// Thermometer: column j has, ascending,
    /// thresholds[threshold_start[j]] .. [threshold_start[j + 1] - 1].
    std::vector<double> thresholds;
    std::vector<std::uint64_t> threshold_start;
    /// Real columns enter the clipped network in steps of powers of two (decision 24). False if there are
    /// none, and in models of before, which keep the quantiser that they had.
    bool binary_steps = false;

    bool operator==(const Preprocessing&) const = default;

    /// Columns of the table.
    std::size_t features() const { return kept ? kept->features : columns.size(); }
    /// Inputs of layer 1, the constant included.
    std::size_t inputs() const;
    /// Inputs that are not always 0, ascending: columns that were constant in training are left out
    /// of dense blocks, and their weights never move. Sparse blocks keep the numbers of all inputs.
    std::vector<std::uint32_t> live_inputs() const;
    bool holds_words(std::size_t column) const {
        return !categorical.empty() && categorical[column] != 0;
    }
    /// Whether the network reads the column.
    bool reads(std::size_t column) const {
        if (kind != PreprocessKind::kThermometer) return !columns.constant(column);
        return threshold_start[column] < threshold_start[column + 1];
    }
    /// "center", "thermometer:8", ...
    std::string name() const;

    /// u_j of column j for a value x; not for thermometer, and not aware of constant columns.
    double scaled(std::size_t column, double x) const {
        if (kind == PreprocessKind::kCenter) return (x - mean[column]) / scale[0];
        if (kind == PreprocessKind::kStandardize) return (x - mean[column]) / scale[column];
        return x;
    }

    /// The values of a row in the model's columns, one element each.
    void copy_row(const Rows& data, std::size_t row, std::span<double> out) const;

    /// Throws Error(kUsage) for an unknown choice, Error(kData) for data that does not suit it.
    static Preprocessing fit(const Rows& training, const PreprocessOptions& options);

    /// Error(kData) for the first row that apply() would refuse.
    void check(const Rows& data) const;

    /// The given rows of `data`, in that order, moved by `shift` before anything else. No libm function
    /// but sqrt and fma, so the bits are the same everywhere.
    void apply(const Rows& data, std::span<const std::size_t> rows, InputBlock& out,
               const Shift& shift = {}) const;

    /// The cells of the same rows, moved; of dense inputs only. Refuses what apply() refuses.
    void gather(const Rows& data, std::span<const std::size_t> rows, InputBlock& out,
                const Shift& shift = {}) const;
};

}  // namespace bitbayes::data

// A table of labelled rows in memory, in its original form: bytes stay bytes, sparse rows stay
// sparse.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "bitbayes/types/columns.hpp"
#include "bitbayes/types/export.hpp"

namespace bitbayes {

/// Compressed sparse rows. Row r holds entries row_start[r] .. row_start[r + 1] - 1, columns
/// ascending, from 0.
struct SparseRows {
    std::vector<std::uint64_t> row_start{0};
    std::vector<std::uint32_t> column;
    std::vector<float> value;
};

/// Where the rows came from; decides what `--preprocess auto` chooses.
enum class DataKind { kTable, kImages, kSparse, kTeacher };

/// Rows that are images have one column per pixel, line by line; 0 x 0: they are none.
struct ImageSize {
    std::size_t height = 0, width = 0;
    bool operator==(const ImageSize&) const = default;
};

struct BITBAYES_API Dataset {
    std::string name;  // used in error messages
    DataKind kind = DataKind::kTable;
    std::size_t rows = 0;
    std::size_t features = 0;
    /// Dense values are row-major, NaN where missing.
    std::variant<std::vector<std::uint8_t>, std::vector<float>, std::vector<double>, SparseRows>
        values;
    /// One per row, an index into class_names; empty if the data has no labels.
    std::vector<std::uint32_t> labels;
    /// Sorted numerically if all are integers, else by bytes.
    std::vector<std::string> class_names;
    /// One per feature, or empty if the data does not name them.
    std::vector<std::string> column_names;
    /// Notes of the reader, e.g. "12 missing values".
    std::vector<std::string> notes;
    /// Values of columns of words, as in TableColumns.
    std::vector<std::vector<std::string>> categories;
    /// Per row, or empty: a name to be copied to the answers; how many times the row counts; a group
    /// that a hold-out or fold must not divide; the line of the file, from 1.
    std::vector<std::string> ids;
    std::vector<float> weights;
    std::vector<std::uint32_t> groups;
    std::vector<std::uint32_t> lines;
    /// What the file's columns were used for, as in TableColumns.
    std::string roles;
    std::vector<std::string> other_names;
    ImageSize image;

    bool sparse() const { return std::holds_alternative<SparseRows>(values); }
    bool labelled() const { return !labels.empty(); }

    /// Writes a row into `out`, which has `features` elements; zeros where a sparse row has no
    /// entry.
    void copy_row(std::size_t row, std::span<double> out) const;

    /// The given rows, in the given order, with the same class names. Error(kUsage) for a row
    /// number out of range, or if the members are inconsistent.
    Dataset select(std::span<const std::size_t> chosen) const;
};

}  // namespace bitbayes

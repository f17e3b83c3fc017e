// Rows one at a time, and the data set built from them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "bitbayes/types/dataset.hpp"
#include "data/classes.hpp"
#include "data/input.hpp"

namespace bitbayes::data {

struct Row {
    std::vector<double> values;          // NaN where missing
    std::vector<std::uint32_t> columns;  // sparse rows: the column of each value, ascending
    bool labelled = false;
    std::string label;
};

/// Reads a text format row by row.
class RowReader {
  public:
    virtual ~RowReader() = default;
    /// Reads one row, waiting for it; false at the end.
    virtual bool next(Row& row) = 0;
    /// True if next() would not wait.
    virtual bool ready() = 0;
    /// Where the rows come from.
    virtual const Input& input() const = 0;
    virtual const std::string& name() const = 0;
    virtual DataKind kind() const = 0;
    /// Notes on the rows so far.
    virtual std::vector<std::string> notes() const = 0;
    /// Names of the feature columns, known once a row has been read; empty if there are none.
    virtual std::vector<std::string> column_names() const { return {}; }
};

using DenseValues =
    std::variant<std::vector<std::uint8_t>, std::vector<float>, std::vector<double>>;

/// Dense values in the smallest type that holds all of them exactly: bytes, float or double.
class ValueBuilder {
  public:
    void add(double value);
    std::size_t bytes() const;
    /// Moves the values into `data`, then starts again empty.
    void finish(Dataset& data);

  private:
    DenseValues values_;
};

class DatasetBuilder {
  public:
    explicit DatasetBuilder(const RowReader& reader)
        : input_(reader.input()), name_(reader.name()), kind_(reader.kind()) {}

    /// Error(kData) if the rows take more memory than the reader's input allows.
    void add(const Row& row);
    std::size_t rows() const { return rows_; }
    /// The rows added since the last finish().
    Dataset finish();

  private:
    std::size_t bytes() const;

    const Input& input_;
    std::string name_;
    DataKind kind_;
    std::size_t rows_ = 0;
    std::size_t features_ = 0;
    ValueBuilder dense_;
    SparseRows sparse_;
    LabelBuilder labels_;
};

/// Reads all rows; Error(kData) if there are none.
Dataset read_rows(RowReader& reader);

}  // namespace bitbayes::data

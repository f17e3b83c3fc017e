// Rows one at a time, and the data set that they add up to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "bitbayes/types/dataset.hpp"
#include "data/classes.hpp"

namespace bitbayes::data {

struct Row {
    std::vector<double> values;          // NaN where missing
    std::vector<std::uint32_t> columns;  // sparse rows: of each value, ascending
    bool labelled = false;
    std::string label;
};

/// A text format, row by row.
class RowReader {
  public:
    virtual ~RowReader() = default;
    /// Reads one row, waiting for it; false at the end.
    virtual bool next(Row& row) = 0;
    /// next() would not wait.
    virtual bool ready() = 0;
    virtual const std::string& name() const = 0;
    virtual DataKind kind() const = 0;
    /// On the rows so far.
    virtual std::vector<std::string> notes() const = 0;
    /// Of the columns of features, once a row was read; empty if they have none.
    virtual std::vector<std::string> column_names() const { return {}; }
};

using DenseValues =
    std::variant<std::vector<std::uint8_t>, std::vector<float>, std::vector<double>>;

/// Dense values in the smallest type that holds all of them exactly: bytes, float or double.
class ValueBuilder {
  public:
    void add(double value);
    /// Moves the values into `data`, and starts anew.
    void finish(Dataset& data);

  private:
    DenseValues values_;
};

class DatasetBuilder {
  public:
    explicit DatasetBuilder(const RowReader& reader) : name_(reader.name()), kind_(reader.kind()) {}

    void add(const Row& row);
    std::size_t rows() const { return rows_; }
    /// The rows added since the last finish().
    Dataset finish();

  private:
    std::string name_;
    DataKind kind_;
    std::size_t rows_ = 0;
    std::size_t features_ = 0;
    ValueBuilder dense_;
    SparseRows sparse_;
    LabelBuilder labels_;
};

/// All rows; Error(kData) if there is none.
Dataset read_rows(RowReader& reader);

}  // namespace bitbayes::data

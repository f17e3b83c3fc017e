// Rows one at a time, and the data set built from them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
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
    std::optional<std::string> id, group;
    std::optional<float> weight;
    std::size_t line = 0;  // where it begins in the file, from 1
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
    /// Fills in what is known of the columns once a row has been read.
    virtual void describe(Dataset&) const {}
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
    const LabelBuilder& labels() const { return labels_; }
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
    std::vector<std::string> ids_;
    std::size_t id_bytes_ = 0;
    std::vector<float> weights_;
    std::vector<std::uint32_t> groups_;
    std::unordered_map<std::string, std::uint32_t> group_of_;
    std::vector<std::uint32_t> lines_;
};

/// Reads all rows; Error(kData) if there are none. `training`: with notes on labels that were
/// probably not meant.
Dataset read_rows(RowReader& reader, bool training = false);

}  // namespace bitbayes::data

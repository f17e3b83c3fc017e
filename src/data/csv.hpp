// CSV: RFC 4180 quotes, the delimiter , ; or tab taken from the first line, an optional header,
// columns of numbers and of words, missing cells.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bitbayes/types/reading.hpp"
#include "data/cells.hpp"
#include "data/csv_plan.hpp"
#include "data/csv_records.hpp"
#include "data/rows.hpp"

namespace bitbayes::data {

class CsvReader : public RowReader {
  public:
    CsvReader(std::unique_ptr<Input> input, ReadOptions options)
        : records_(std::move(input), options.cut_short), options_(std::move(options)) {}

    bool next(Row& row) override;
    bool ready() override { return pending_ || records_.ready(); }
    const std::string& name() const override { return records_.name(); }
    const Input& input() const override { return records_.input(); }
    DataKind kind() const override { return DataKind::kTable; }
    std::vector<std::string> notes() const override;
    void describe(Dataset& data) const override;
    /// Columns of words that `categorical` named: to be kept, whatever they hold.
    const std::vector<bool>& forced() const { return forced_; }

  private:
    bool read_first_record();
    void start_columns();
    std::string column_text(std::size_t column) const;
    void read_row(Row& row);
    void read_label(Row& row);
    float read_weight() const;

    CsvRecords records_;
    ReadOptions options_;
    bool started_ = false;
    bool pending_ = false;  // the first record is a row that has not been returned yet
    std::size_t width_ = 0;
    CsvPlan plan_;
    std::vector<ColumnCells> columns_;  // one per feature
    std::vector<bool> forced_;
};

/// A table to train on: categories are sorted, columns that can only mislead are left out, and
/// notes say what may not be meant (table_review.hpp). With `options.known`: as the model has it.
Dataset read_csv(std::unique_ptr<Input> input, const ReadOptions& options);
Dataset read_csv(std::string_view bytes, const std::string& name, const ReadOptions& options = {});

}  // namespace bitbayes::data

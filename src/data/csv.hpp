// CSV: RFC 4180 quotes, the delimiter , ; or tab taken from the first line, an optional header,
// missing cells.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bitbayes/types/reading.hpp"
#include "data/input.hpp"
#include "data/rows.hpp"

namespace bitbayes::data {

class CsvReader : public RowReader {
  public:
    CsvReader(std::unique_ptr<Input> input, ReadOptions options)
        : lines_(std::move(input)), options_(std::move(options)) {}

    bool next(Row& row) override;
    bool ready() override { return pending_ || lines_.ready(); }
    const Input& input() const override { return lines_.input(); }
    const std::string& name() const override { return lines_.name(); }
    DataKind kind() const override { return DataKind::kTable; }
    std::vector<std::string> notes() const override;
    std::vector<std::string> column_names() const override { return column_names_; }

  private:
    struct Column {
        std::size_t index;
        bool by_name;
    };

    bool next_record();
    void split_record();
    std::size_t quoted_cell(std::size_t position);
    void read_first_record();
    void choose_columns();
    std::optional<std::size_t> choose_label(const std::vector<bool>& ignored);
    Column find_column(const std::string& wanted) const;
    bool is_header();
    double parse_cell(std::size_t column);
    std::string here() const { return lines_.where(line_); }

    LineReader lines_;
    ReadOptions options_;
    bool started_ = false;
    bool pending_ = false;  // the cells of the first row are held: the first line was not a header
    char delimiter_ = ',';
    bool named_columns_ = false;
    std::vector<std::size_t> features_;
    std::optional<std::size_t> label_;
    std::size_t width_ = 0;
    std::size_t missing_ = 0;
    std::vector<std::string> notes_;
    std::vector<std::string> column_names_;

    std::string record_;
    std::size_t line_ = 0;  // where the record begins, from 1
    std::string unquoted_;  // cells_ point into record_ or into this
    std::vector<std::string_view> cells_;
};

Dataset read_csv(std::string_view bytes, const std::string& name, const ReadOptions& options = {});

}  // namespace bitbayes::data

// LIBSVM text: "label index:value ...", indices from 1 and ascending; the label may be left out on
// all rows.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bitbayes/types/columns.hpp"
#include "bitbayes/types/dataset.hpp"
#include "data/input.hpp"
#include "data/rows.hpp"

namespace bitbayes::data {

inline constexpr std::uint32_t kMaxLibsvmIndex = 1u << 24;

class LibsvmReader : public RowReader {
  public:
    /// Entries of columns that `known` does not have are left out and counted in a note.
    explicit LibsvmReader(std::unique_ptr<Input> input, const TableColumns& known = {},
                          std::function<bool()> cut_short = {})
        : lines_(std::move(input), std::move(cut_short)),
          training_(known.features == 0),
          features_(known.features == 0 ? kMaxLibsvmIndex : known.features),
          kept_(known.kept) {}

    bool next(Row& row) override;
    bool ready() override { return lines_.ready(); }
    const Input& input() const override { return lines_.input(); }
    const std::string& name() const override { return lines_.name(); }
    DataKind kind() const override { return DataKind::kSparse; }
    std::vector<std::string> notes() const override;

  private:
    void parse_row(std::string_view line, Row& row);
    std::uint32_t parse_entry(std::string_view token, std::uint32_t previous, Row& row);
    void check_end() const;
    [[noreturn]] void fail(const std::string& what) const;

    bool is_kept(std::uint32_t column) const;

    LineReader lines_;
    bool training_;  // it decides what columns there are
    bool has_rows_ = false, has_values_ = false;
    std::size_t features_;
    std::optional<std::vector<std::uint32_t>> kept_;
    std::size_t above_ = 0, unseen_ = 0;  // entries left out: beyond features_, not in kept_
    std::optional<bool> labelled_;        // decided by the first row
};

/// True for a line that begins like "3:0.5" or "1 3:0.5"; used to tell LIBSVM from CSV.
bool looks_like_libsvm(std::string_view line);

Dataset read_libsvm(std::string_view bytes, const std::string& name);

}  // namespace bitbayes::data

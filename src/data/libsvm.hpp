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

#include "bitbayes/types/dataset.hpp"
#include "data/input.hpp"
#include "data/rows.hpp"

namespace bitbayes::data {

inline constexpr std::uint32_t kMaxLibsvmIndex = 1u << 24;

class LibsvmReader : public RowReader {
  public:
    /// Entries of columns from `known` on are left out and counted in a note; 0: no limit.
    explicit LibsvmReader(std::unique_ptr<Input> input, std::size_t known = 0,
                          std::function<bool()> cut_short = {})
        : lines_(std::move(input), std::move(cut_short)),
          known_(known == 0 ? kMaxLibsvmIndex : known) {}

    bool next(Row& row) override;
    bool ready() override { return lines_.ready(); }
    const std::string& name() const override { return lines_.name(); }
    DataKind kind() const override { return DataKind::kSparse; }
    std::vector<std::string> notes() const override;

  private:
    void parse_row(std::string_view line, Row& row);
    std::uint32_t parse_entry(std::string_view token, std::uint32_t previous, Row& row);
    [[noreturn]] void fail(const std::string& what) const;

    LineReader lines_;
    std::size_t known_;
    std::size_t unknown_ = 0;       // entries left out
    std::optional<bool> labelled_;  // decided by the first row
};

/// True for a line that begins like "3:0.5" or "1 3:0.5"; used to tell LIBSVM from CSV.
bool looks_like_libsvm(std::string_view line);

Dataset read_libsvm(std::string_view bytes, const std::string& name);

}  // namespace bitbayes::data

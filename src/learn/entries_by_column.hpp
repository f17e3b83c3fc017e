// Entries of sparse rows, column by column: what an update of dense layer 1 reads.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace bitbayes::learn::dense {

class EntriesByColumn {
  public:
    /// Rows r = 0, 1, ... have the entries start[r] .. start[r + 1] - 1 of `index`. Entries of a column stay in the order of rows.
    void sort(std::span<const std::size_t> start, std::span<const std::uint32_t> index) {
        const std::size_t first = start.front();
        entry_.clear();
        for (std::size_t r = 0; r + 1 < start.size(); ++r) {
            for (std::size_t k = start[r]; k < start[r + 1]; ++k)
                entry_.push_back({index[k], static_cast<std::uint32_t>(r), k - first});
        }
        if (start.size() > 2) {
            std::stable_sort(entry_.begin(), entry_.end(),
                             [](const Entry& a, const Entry& b) { return a.column < b.column; });
        }
        column_.clear();
        start_.clear();
        row_.clear();
        place_.clear();
        for (std::size_t k = 0; k < entry_.size(); ++k) {
            if (k == 0 || entry_[k].column != entry_[k - 1].column) {
                column_.push_back(entry_[k].column);
                start_.push_back(k);
            }
            row_.push_back(entry_[k].row);
            place_.push_back(entry_[k].place);
        }
        start_.push_back(entry_.size());
    }

    const std::vector<std::uint32_t>& column() const { return column_; }
    /// Of each column its first entry; the last one ends at start()[column().size()].
    const std::vector<std::size_t>& start() const { return start_; }
    /// Of each entry its row, and its place among all entries as they were given.
    const std::vector<std::uint32_t>& row() const { return row_; }
    const std::vector<std::size_t>& place() const { return place_; }

  private:
    struct Entry {
        std::uint32_t column, row;
        std::size_t place;
    };
    std::vector<Entry> entry_;
    std::vector<std::uint32_t> column_, row_;
    std::vector<std::size_t> start_, place_;
};

}  // namespace bitbayes::learn::dense

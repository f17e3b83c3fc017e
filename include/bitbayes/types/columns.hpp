// The columns of a table as training used them: enough to read another table alike.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace bitbayes {

struct TableColumns {
    std::size_t features = 0;  // 0: nothing is known
    /// One per feature; empty if the table did not name them.
    std::vector<std::string> names;
    /// One list per feature: the values of a column of words, which then holds indices into its
    /// list. An empty list: numbers. Empty as a whole: all columns are numbers.
    std::vector<std::vector<std::string>> categories;
    /// What each column of the training file was: 'f' a feature, 'l' the label, '-' left out. Empty
    /// if it was not a CSV file.
    std::string roles;
    /// Names of the columns that are not features, in their order; empty if they have none.
    std::vector<std::string> other_names;
    /// Sparse tables: the columns that varied in training, ascending; values of others are left out.
    /// Unset: all.
    std::optional<std::vector<std::uint32_t>> kept = std::nullopt;

    bool categorical(std::size_t feature) const {
        return !categories.empty() && !categories[feature].empty();
    }
    bool operator==(const TableColumns&) const = default;
};

}  // namespace bitbayes

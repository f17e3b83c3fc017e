// What HTML and Markdown ask of a table.
#pragma once

#include <cstddef>

#include "report/document.hpp"

namespace bitbayes::report {

/// Of the header or the longest row; shorter rows end in empty cells.
std::size_t column_count(const Table& table);

/// All its cells are numbers, units or empty: set flush right.
bool is_numeric_column(const Table& table, std::size_t column);

}  // namespace bitbayes::report

// What HTML and Markdown need to know about a table.
#pragma once

#include <cstddef>

#include "report/document.hpp"

namespace bitbayes::report {

/// Columns of the header or of the longest row; shorter rows end in empty cells.
std::size_t column_count(const Table& table);

/// True if all cells of the column are numbers, units or empty: it is aligned right.
bool is_numeric_column(const Table& table, std::size_t column);

}  // namespace bitbayes::report

#include "report/table.hpp"

#include <algorithm>

namespace bitbayes::report {
namespace {

bool is_numeric(const Cell& cell) {
    return cell.tone == Tone::kPlain &&
           cell.text.find_first_not_of("0123456789.,+-e% \u2212\u00b1\u00a0") == cell.text.npos;
}

}  // namespace

std::size_t column_count(const Table& table) {
    std::size_t columns = table.header.size();
    for (const auto& row : table.rows) columns = std::max(columns, row.size());
    return columns;
}

bool is_numeric_column(const Table& table, std::size_t column) {
    bool any = false;
    for (const auto& row : table.rows) {
        if (column >= row.size() || row[column].text.empty()) continue;
        if (!is_numeric(row[column])) return false;
        any = true;
    }
    return any;
}

}  // namespace bitbayes::report

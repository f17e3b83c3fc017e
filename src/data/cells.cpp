#include "data/cells.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "base/text.hpp"
#include "bitbayes/types/error.hpp"

namespace bitbayes::data {

namespace {

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();
/// 1,5 and 1,200 and 10% and $5: numbers to people, but not as we read them.
bool is_number_in_other_notation(std::string_view cell) {
    for (const std::string_view sign : {"$", "\u20ac", "\u00a3"}) {
        if (cell.starts_with(sign)) cell.remove_prefix(sign.size());
    }
    if (cell.ends_with('%')) cell.remove_suffix(1);
    std::string digits(cell);
    std::erase(digits, ',');
    return parse_number(digits).has_value();
}

bool like_a_number(std::string_view cell) {
    return is_nan_or_infinity(cell) || is_number_in_other_notation(cell);
}

}  // namespace

bool is_missing(std::string_view cell) {
    constexpr std::array<std::string_view, 8> kWords{"",    "?",    "NA",   "nan",
                                                     "NaN", "NULL", "null", "None"};
    return cell.size() <= 4 && std::find(kWords.begin(), kWords.end(), cell) != kWords.end();
}

ColumnCells::ColumnCells(Kind kind, std::vector<std::string> categories)
    : kind_(kind), categories_(std::move(categories)) {
    for (std::uint32_t k = 0; k < categories_.size(); ++k) code_of_[categories_[k]] = k;
}

std::optional<double> ColumnCells::value(std::string_view cell, std::size_t line) {
    const auto number = words() ? std::nullopt : parse_number(cell);
    if (number && kind_ == Kind::kNumbers) return number;
    if (is_missing(cell)) {
        ++missing_;
        return kMissing;
    }
    if (kind_ == Kind::kUndecided) {
        kind_ = like_a_number(cell) ? Kind::kNumbers : Kind::kWords;
        first_word_ = cell;
        first_line_ = line;
    }
    if (kind_ == Kind::kNumbers) return number;
    if (kind_ == Kind::kWords && like_a_number(cell)) return std::nullopt;
    return code(cell);
}

void ColumnCells::refuse(std::string_view cell, const std::string& where,
                         const std::string& column) const {
    const char* hint =
        is_number_in_other_notation(cell) && !parse_number(cell)
            ? "write numbers like 1234.5"
            : "a missing value is an empty cell, ?, NA, nan, NULL or None; `categorical` makes "
              "every value of a column a category";
    const std::string what = fmt::format("{}{} in column {} is ", where, in_quotes(cell), column);
    if (kind_ == Kind::kWords) {
        throw Error(ErrorCode::kData,
                    fmt::format("{}a number, but {} in line {} is a word", what,
                                in_quotes(first_word_), first_line_),
                    hint);
    }
    const bool finite = !is_nan_or_infinity(cell);
    throw Error(ErrorCode::kData, what + (finite ? "not a number" : "not a finite number"), hint);
}

double ColumnCells::code(std::string_view word) {
    const auto found = code_of_.find(std::string(word));
    if (found != code_of_.end()) return found->second;
    if (kind_ == Kind::kKnownWords) {
        if (unknown_++ == 0) first_unknown_ = word;
        return kMissing;
    }
    too_many_ = too_many_ || categories_.size() == kMaxCategories;
    if (too_many_) return kMissing;
    const auto next = static_cast<std::uint32_t>(categories_.size());
    code_of_.emplace(word, next);
    categories_.emplace_back(word);
    return next;
}

}  // namespace bitbayes::data

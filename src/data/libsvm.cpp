#include "data/libsvm.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/text.hpp"
#include "bitbayes/types/error.hpp"

namespace bitbayes::data {

namespace {

/// Cuts the next word off `line`; empty at the end.
std::string_view next_token(std::string_view& line) {
    line = trimmed(line);
    const std::string_view token = line.substr(0, std::min(line.find_first_of(" \t"), line.size()));
    line.remove_prefix(token.size());
    return token;
}

std::string_view without_comment(std::string_view line) { return line.substr(0, line.find('#')); }

}  // namespace

void LibsvmReader::fail(const std::string& what) const {
    throw Error(ErrorCode::kData, lines_.where(lines_.number()) + what);
}

bool LibsvmReader::next(Row& row) {
    std::string_view line;
    do {
        if (!lines_.next(line)) {
            check_end();
            return false;
        }
        line = trimmed(without_comment(line));
    } while (line.empty());
    row.line = lines_.number();
    parse_row(line, row);
    has_rows_ = true;
    has_values_ = has_values_ || !row.columns.empty();
    return true;
}

void LibsvmReader::check_end() const {
    if (!training_ || !has_rows_ || has_values_ || lines_.cut_short()) return;
    throw Error(ErrorCode::kData, name() + ": no column of features",
                "rows are LABEL INDEX:VALUE INDEX:VALUE ...");
}

void LibsvmReader::parse_row(std::string_view line, Row& row) {
    row.values.clear();
    row.columns.clear();
    std::string_view rest = line;
    std::string_view token = next_token(rest);
    row.labelled = token.find(':') == token.npos;
    if (labelled_.value_or(row.labelled) != row.labelled) {
        fail(row.labelled ? "a label, where the rows before have none" : "no label");
    }
    labelled_ = row.labelled;
    if (row.labelled) {
        row.label = token;
        token = next_token(rest);
    }
    for (std::uint32_t previous = 0; !token.empty(); token = next_token(rest)) {
        previous = parse_entry(token, previous, row);
    }
}

/// Adds one index:value to the row, unless the value is 0; returns the index.
std::uint32_t LibsvmReader::parse_entry(std::string_view token, std::uint32_t previous, Row& row) {
    const std::size_t colon = token.find(':');
    const auto index = parse_index(token.substr(0, colon));
    if (colon == token.npos || !index) fail(in_quotes(token) + " is not index:value");
    if (*index == 0) fail("index 0: indices count from 1");
    if (*index > kMaxLibsvmIndex)
        fail(fmt::format("index {} is above {}", *index, kMaxLibsvmIndex));
    if (*index <= previous)
        fail(fmt::format("index {} after {}: indices must ascend", *index, previous));
    const auto value = parse_number(token.substr(colon + 1));
    if (!value || std::abs(*value) > std::numeric_limits<float>::max()) {
        fail(in_quotes(token.substr(colon + 1)) + " is not a finite number");
    }
    const auto column = static_cast<std::uint32_t>(*index - 1);
    if (*index > features_) {
        ++above_;
    } else if (static_cast<float>(*value) != 0) {
        if (is_kept(column)) {
            row.columns.push_back(column);
            row.values.push_back(*value);
        } else {
            ++unseen_;
        }
    }
    return static_cast<std::uint32_t>(*index);
}

bool LibsvmReader::is_kept(std::uint32_t column) const {
    return !kept_ || std::binary_search(kept_->begin(), kept_->end(), column);
}

std::vector<std::string> LibsvmReader::notes() const {
    std::vector<std::string> notes;
    const auto values = [&](std::size_t count) {
        return fmt::format("{}: {} value{}", name(), count, count == 1 ? "" : "s");
    };
    if (above_ > 0) {
        notes.push_back(fmt::format("{} of indices above {}, unknown to the model, ignored",
                                    values(above_), features_));
    }
    if (unseen_ > 0) {
        notes.push_back(fmt::format(
            "{} of columns that were absent or constant in training, ignored", values(unseen_)));
    }
    return notes;
}

bool looks_like_libsvm(std::string_view line) {
    std::string_view rest = without_comment(line);
    std::string_view token = next_token(rest);
    if (token.find(':') == token.npos) token = next_token(rest);
    return token.find(':') != token.npos && token.find_first_of(",;") == token.npos &&
           parse_index(token.substr(0, token.find(':'))).has_value();
}

Dataset read_libsvm(std::string_view bytes, const std::string& name) {
    LibsvmReader reader(std::make_unique<Input>(bytes, name));
    return read_rows(reader);
}

}  // namespace bitbayes::data

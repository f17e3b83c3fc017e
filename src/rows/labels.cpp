#include "rows/labels.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "bitbayes/types/error.hpp"

namespace bitbayes {

ClassIndex::ClassIndex(std::vector<std::string> names) : names_(std::move(names)) {
    for (std::uint32_t k = 0; k < names_.size(); ++k) {
        index_[names_[k]] = k;
        if (const auto number = parse_integer(names_[k])) index_of_integer_[*number] = k;
    }
}

std::uint32_t ClassIndex::find(std::string_view name) const {
    if (const auto found = index_.find(std::string(name)); found != index_.end()) {
        return found->second;
    }
    const auto number = parse_integer(name);
    const auto found = number ? index_of_integer_.find(*number) : index_of_integer_.end();
    return found == index_of_integer_.end() ? kUnknown : found->second;
}

std::string ClassIndex::hint() const {
    constexpr std::size_t kShown = 10;
    std::vector<std::string> shown;
    for (std::size_t k = 0; k < std::min(kShown, names_.size()); ++k) {
        shown.push_back(printable(names_[k], kLongestName));
    }
    return fmt::format("it was trained on {}{}", fmt::join(shown, ", "),
                       names_.size() > kShown ? ", ..." : "");
}

std::vector<std::uint32_t> ClassIndex::labels_of(const LabelledRows& data,
                                                 const std::string& remedy) const {
    std::vector<std::uint32_t> matched;
    for (const std::string& name : data.class_names) matched.push_back(find(name));
    std::vector<std::uint32_t> labels(data.labels.size());
    for (std::size_t r = 0; r < labels.size(); ++r) {
        labels[r] = matched[data.labels[r]];
        if (labels[r] != kUnknown) continue;
        throw Error(ErrorCode::kData,
                    fmt::format("{}: class {} is unknown to the model", data.rows.where(r),
                                in_quotes(data.class_names[data.labels[r]])),
                    remedy.empty() ? hint() : hint() + "; " + remedy);
    }
    return labels;
}

std::vector<std::uint32_t> labels_among(const LabelledRows& data,
                                        const std::vector<std::string>& class_names) {
    return ClassIndex(class_names).labels_of(data);
}

void check_columns(const Rows& rows, std::size_t features, const TableColumns& table) {
    if (rows.sparse()) return;
    if (rows.features() != features) {
        throw Error(ErrorCode::kData, fmt::format("{}: {} columns, but the model was trained on {}",
                                                  rows.name(), rows.features(), features));
    }
    constexpr const char* kHint = "read the table with the options that reading() gives";
    const auto names = rows.column_names();
    for (std::size_t j = 0; j < std::min(names.size(), table.names.size()); ++j) {
        if (names[j] == table.names[j]) continue;
        throw Error(ErrorCode::kData,
                    fmt::format("{}: column {} is {}, but the model was trained on {}", rows.name(),
                                j, in_quotes(names[j]), in_quotes(table.names[j])),
                    kHint);
    }
    for (std::size_t j = 0; j < rows.categories().size(); ++j) {
        const bool words = table.categorical(j);
        if (words ? rows.categories()[j] == table.categories[j] : rows.categories()[j].empty()) {
            continue;
        }
        throw Error(ErrorCode::kData,
                    fmt::format("{}: column {} does not hold what the model was trained on: {}",
                                rows.name(), j, words ? "other words" : "words, not numbers"),
                    kHint);
    }
}

}  // namespace bitbayes

#include "data/table_review.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "base/text.hpp"
#include "bitbayes/types/rows.hpp"
#include "data/categories.hpp"
#include "data/cells.hpp"

namespace bitbayes::data {

namespace {

constexpr std::size_t kMinRows = 20;  // fewer rows tell little about a column
constexpr std::size_t kManyValues = 100;

/// Keeps the features that `keep` marks; the others count as left out.
void drop_columns(Dataset& data, const std::vector<bool>& keep) {
    std::visit(
        [&]<class V>(V& values) {
            if constexpr (!std::is_same_v<V, SparseRows>) {
                std::size_t to = 0;
                for (std::size_t i = 0; i < values.size(); ++i) {
                    if (keep[i % data.features]) values[to++] = values[i];
                }
                values.resize(to);
            }
        },
        data.values);
    std::vector<std::string> names, others;
    std::vector<std::vector<std::string>> categories;
    auto other = data.other_names.begin();
    std::size_t j = 0;
    for (char& role : data.roles) {
        if (role != 'f') {
            if (!data.column_names.empty()) others.push_back(*other++);
            continue;
        }
        if (!data.column_names.empty()) {
            (keep[j] ? names : others).push_back(std::move(data.column_names[j]));
        }
        if (keep[j] && !data.categories.empty()) {
            categories.push_back(std::move(data.categories[j]));
        }
        if (!keep[j++]) role = '-';
    }
    data.features = static_cast<std::size_t>(std::count(keep.begin(), keep.end(), true));
    data.column_names = std::move(names);
    data.other_names = std::move(others);
    const bool any = std::any_of(categories.begin(), categories.end(),
                                 [](const auto& words) { return !words.empty(); });
    data.categories = any ? std::move(categories) : std::vector<std::vector<std::string>>();
}

/// The values of a column that are not missing.
std::vector<double> present_values(Dataset& data, std::size_t j) {
    std::vector<double> values;
    for_each_value(data, j, [&](double value) {
        if (!std::isnan(value)) values.push_back(value);
    });
    return values;
}

/// Whole numbers, each one more than that of the row before.
bool counts_rows(Dataset& data, std::size_t j) {
    const auto values = present_values(data, j);
    if (values.size() != data.rows || values.size() < 2) return false;
    for (std::size_t r = 0; r < values.size(); ++r) {
        if (values[r] != values[0] + static_cast<double>(r)) return false;
    }
    return values[0] == std::floor(values[0]);
}

/// Whole numbers, a different one in every row.
bool numbers_rows(Dataset& data, std::size_t j) {
    auto values = present_values(data, j);
    std::sort(values.begin(), values.end());
    return values.size() >= kMinRows &&
           std::adjacent_find(values.begin(), values.end()) == values.end() &&
           std::all_of(values.begin(), values.end(), [](double v) { return v == std::floor(v); });
}

bool is_date(std::string_view word) {
    const auto among = [&](std::string_view set) {
        return std::count_if(word.begin(), word.end(),
                             [&](char c) { return set.find(c) != set.npos; });
    };
    return word.size() >= 8 && word.size() <= 32 && among("0123456789") >= 6 &&
           among("-/.:") >= 2 && word.find_first_not_of("0123456789-/.: TZ+") == word.npos;
}

bool named_like_an_id(std::string_view name) {
    for (const std::string_view end : {"_id", "_ID", "Id", "ID", "-id", " id"}) {
        if (name.size() > end.size() && name.ends_with(end)) return true;
    }
    return name == "id" || name == "Id" || name == "ID" || name == "index" || name == "Index";
}

class Reviewer {
  public:
    Reviewer(Dataset& data, const std::vector<bool>& keep) : data_(data), keep_(keep) {
        for (std::size_t column = 0; column < data.roles.size(); ++column) {
            if (data.roles[column] == 'f') column_of_.push_back(column);
        }
    }

    void review() {
        look_for_numeric_header();
        std::vector<bool> good;
        for (std::size_t j = 0; j < data_.features; ++j) good.push_back(keep_[j] || is_good(j));
        if (std::find(good.begin(), good.end(), true) == good.end()) {
            data_.notes.push_back(fmt::format(
                "{}: every column looks like an id or an index; none is left out", data_.name));
            return;
        }
        add_notes(dropped_);
        add_notes(doubts_);
        if (std::find(good.begin(), good.end(), false) != good.end()) drop_columns(data_, good);
    }

  private:
    bool is_good(std::size_t j) {
        if (!data_.categories.empty() && !data_.categories[j].empty()) return are_good_words(j);
        const bool named = !data_.column_names.empty();
        const std::string name = named ? data_.column_names[j] : "";
        const bool unnamed = named && (name.empty() || name.starts_with("Unnamed: "));
        if (unnamed && counts_rows(data_, j)) {
            drop(j, "counts the rows and has no name, like the index of pandas");
            return false;
        }
        if (named_like_an_id(name) && numbers_rows(data_, j)) {
            doubt(j, fmt::format("has another whole number in every row; `ignore` {0} leaves it "
                                 "out, `id` {0} also copies it to the answers",
                                 flag_value(j)));
        }
        return true;
    }

    bool are_good_words(std::size_t j) {
        const auto& words = data_.categories[j];
        const std::size_t present = present_values(data_, j).size();
        const bool dates = std::all_of(words.begin(), words.end(), is_date);
        const char* what = dates ? "date" : "word";
        if (words.size() >= kMaxCategories) {
            drop(j, fmt::format("has more than {} different {}s", kMaxCategories, what));
            return false;
        }
        if (words.size() == present && present >= kMinRows) {
            drop(j, fmt::format("has a different {} in every row, like an id", what));
            return false;
        }
        if (dates) {
            doubt(j, fmt::format("holds dates: each of {} is a category of its own, new ones will "
                                 "count as missing; turn them into numbers, or `ignore` {}",
                                 words.size(), flag_value(j)));
        } else if (words.size() > kManyValues) {
            doubt(j,
                  fmt::format("has {} different words, one input each; `ignore` {} leaves it out",
                              words.size(), flag_value(j)));
        }
        if (!data_.column_names.empty() &&
            std::binary_search(words.begin(), words.end(), data_.column_names[j])) {
            doubt(j, "has its own name as a value; `header` no if the first line is a row");
        }
        return true;
    }

    void drop(std::size_t j, const std::string& why) {
        dropped_.push_back(fmt::format("{}: column {} {}: left out", data_.name, text(j), why));
    }
    void doubt(std::size_t j, const std::string& what) {
        doubts_.push_back(fmt::format("{}: column {} {}", data_.name, text(j), what));
    }

    /// The first few, and how many more there are.
    void add_notes(const std::vector<std::string>& notes) {
        constexpr std::size_t kShown = 8;
        const std::size_t shown = std::min(kShown, notes.size());
        data_.notes.insert(data_.notes.end(), notes.begin(),
                           notes.begin() + static_cast<std::ptrdiff_t>(shown));
        if (notes.size() == shown) return;
        data_.notes.push_back(
            fmt::format("{}: and {} more columns like these", data_.name, notes.size() - shown));
    }

    /// Its name in quotes, or its number in the file.
    std::string text(std::size_t feature) const {
        const bool named = !data_.column_names.empty() && !data_.column_names[feature].empty();
        return named ? in_quotes(data_.column_names[feature]) : std::to_string(column_of_[feature]);
    }
    std::string flag_value(std::size_t feature) const {
        const bool named = !data_.column_names.empty() && !data_.column_names[feature].empty();
        return named ? data_.column_names[feature] : std::to_string(column_of_[feature]);
    }

    /// "0,1,label" above rows of numbers: without a header by the rule, and hardly a row.
    void look_for_numeric_header() {
        if (!data_.column_names.empty() || !data_.labelled()) return;
        std::vector<double> first(data_.features);
        Rows(data_).copy_row(0, first);
        for (std::size_t j = 0; j < first.size(); ++j) {
            if (first[j] != first[0] + static_cast<double>(j) || (first[0] != 0 && first[0] != 1))
                return;
        }
        const auto rows_alike =
            std::count(data_.labels.begin(), data_.labels.end(), data_.labels[0]);
        const std::string& label = data_.class_names[data_.labels[0]];
        const bool goes_on = label == fmt::format("{}", first.back() + 1);
        if (rows_alike > 1 && !(goes_on && first.size() > 2)) return;
        data_.notes.push_back(
            fmt::format("{}: the first line looks like a header of numbers, but is read as a row; "
                        "`header` yes makes it a header",
                        data_.name));
    }

    Dataset& data_;
    const std::vector<bool>& keep_;
    std::vector<std::size_t> column_of_;  // in the file, of each feature
    std::vector<std::string> dropped_, doubts_;
};

void note_equal_numbers(const Dataset& data, std::vector<std::string>& notes) {
    std::map<double, std::vector<std::string>> spelled;
    for (const std::string& name : data.class_names) {
        if (const auto number = parse_number(name)) spelled[*number].push_back(name);
    }
    for (const auto& [number, names] : spelled) {
        if (names.size() < 2) continue;
        notes.push_back(
            fmt::format("{}: the labels {} and {} are equal as numbers, but different "
                        "classes; write them alike",
                        data.name, in_quotes(names[0]), in_quotes(names[1])));
        return;
    }
}

void note_changed_labels(const Dataset& data, const std::vector<std::string>& spellings,
                         std::vector<std::string>& notes) {
    const std::set<std::string_view> kept(data.class_names.begin(), data.class_names.end());
    for (const std::string& label : spellings) {
        if (kept.contains(label) || label.starts_with('+')) continue;
        notes.push_back(fmt::format(
            "{}: labels are whole numbers: {} will come back as {}; add a letter to keep it",
            data.name, in_quotes(label), in_quotes(std::to_string(*parse_integer(label)))));
        return;
    }
}

void note_single_rows(const Dataset& data, std::vector<std::string>& notes) {
    std::vector<std::size_t> count(data.class_names.size());
    for (const std::uint32_t label : data.labels) ++count[label];
    const auto single = static_cast<std::size_t>(std::count(count.begin(), count.end(), 1));
    if (single == 0 || data.rows < kMinRows) return;
    const auto first = std::find(count.begin(), count.end(), 1) - count.begin();
    const std::string& name = data.class_names[static_cast<std::size_t>(first)];
    notes.push_back(fmt::format(
        "{}: {} of {} classes {} one row only, e.g. {}: too few to learn "
        "and to test; is `label` the right column?",
        data.name, single, count.size(), single == 1 ? "has" : "have", in_quotes(name)));
}

}  // namespace

void review_table(Dataset& data, const std::vector<bool>& keep) {
    sort_categories(data);
    Reviewer(data, keep).review();
}

std::vector<std::string> label_notes(const Dataset& data,
                                     const std::vector<std::string>& spellings) {
    std::vector<std::string> notes;
    note_equal_numbers(data, notes);
    note_changed_labels(data, spellings, notes);
    note_single_rows(data, notes);
    return notes;
}

}  // namespace bitbayes::data

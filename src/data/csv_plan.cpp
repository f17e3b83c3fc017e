#include "data/csv_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "base/text.hpp"
#include "bitbayes/types/error.hpp"
#include "data/cells.hpp"

namespace bitbayes::data {

namespace {

constexpr char kOpen = '?';  // a column whose role is not yet decided

bool is_word(std::string_view cell) {
    return !is_missing(cell) && !parse_number(cell) && !is_nan_or_infinity(cell);
}

/// Repeated names get a number: x, x.1, x.2.
std::vector<std::string> distinct_names(const std::vector<std::string_view>& cells) {
    const std::unordered_set<std::string_view> given(cells.begin(), cells.end());
    std::unordered_map<std::string_view, std::size_t> repeats;  // numbers used so far
    std::vector<std::string> names;
    for (const std::string_view cell : cells) {
        const auto [times, is_first] = repeats.try_emplace(cell, 0);
        std::string name(cell);
        while (!is_first && given.contains(name)) {
            name = fmt::format("{}.{}", cell, ++times->second);
        }
        names.push_back(std::move(name));
    }
    return names;
}

/// Letters and digits alone, in lower case: finds columns that were renamed a little.
std::string skeleton(std::string_view name) {
    std::string out;
    for (const char c : name) {
        const auto byte = static_cast<unsigned char>(c);
        if (std::isalnum(byte)) out += static_cast<char>(std::tolower(byte));
    }
    return out;
}

std::string list_of(const std::vector<std::string>& names) {
    constexpr std::size_t kShown = 5;
    std::string text;
    for (std::size_t i = 0; i < std::min(kShown, names.size()); ++i) {
        text += (i == 0 ? "" : ", ") + in_quotes(names[i]);
    }
    return names.size() > kShown ? text + ", ..." : text;
}

class Planner {
  public:
    Planner(const std::vector<std::string_view>& first, const ReadOptions& options,
            const std::string& file, const std::string& where)
        : cells_(first), options_(options), known_(options.known), file_(file), where_(where) {}

    CsvPlan plan() {
        names_ = distinct_names(cells_);
        for (std::size_t column = 0; column < names_.size(); ++column) {
            column_of_[names_[column]] = column;
        }
        plan_.header = known_by_name() && names_match();
        if (plan_.header) {
            find_by_name();
        } else {
            decide_by_position();
            plan_.header = is_header();
            if (plan_.header && known_by_name()) find_by_name();
            check_width();
        }
        if (plan_.features.empty()) {
            throw Error(ErrorCode::kData, where_ + "no column of features",
                        "columns are separated by a comma, a semicolon or a tab");
        }
        if (plan_.header) plan_.names = std::move(names_);
        return std::move(plan_);
    }

  private:
    bool known_by_name() const { return !known_.names.empty() && options_.header != "no"; }

    std::optional<std::size_t> find_name(const std::string& name) const {
        const auto found = column_of_.find(name);
        return found == column_of_.end() ? std::nullopt : std::optional(found->second);
    }

    /// The first record holds names of the model's columns: one that is no number, or all of them.
    bool names_match() const {
        const auto is_there = [&](const std::string& name) { return find_name(name).has_value(); };
        const auto tells = [&](const std::string& name) { return is_word(name) && is_there(name); };
        return std::any_of(known_.names.begin(), known_.names.end(), tells) ||
               std::all_of(known_.names.begin(), known_.names.end(), is_there);
    }

    /// By index or name; a name makes the first record a header.
    std::size_t find_column(const std::string& wanted) {
        if (const auto found = find_name(wanted); found && (plan_.header || !parse_index(wanted))) {
            by_name_ = true;
            return *found;
        }
        if (const auto index = parse_index(wanted)) {
            if (*index < cells_.size()) return *index;
            throw Error(ErrorCode::kUsage,
                        fmt::format("{}: no column {}: there are {}, counted from 0", file_, wanted,
                                    cells_.size()));
        }
        throw Error(ErrorCode::kUsage, fmt::format("{}: no column named {} in the first line",
                                                   file_, in_quotes(wanted)));
    }

    /// A column with a job of its own, which is no feature.
    std::optional<std::size_t> take(const std::string& wanted, const char* job) {
        if (wanted.empty()) return std::nullopt;
        const std::size_t column = find_column(wanted);
        if (column == plan_.label) {
            throw Error(ErrorCode::kUsage, fmt::format("{}: the label column {} is also `{}`",
                                                       file_, in_quotes(wanted), job));
        }
        plan_.roles[column] = '-';
        return column;
    }

    /// The columns that options name, in plan_.roles.
    void take_named_columns() {
        if (!options_.label.empty() && options_.label != "first" && options_.label != "last") {
            std::replace(plan_.roles.begin(), plan_.roles.end(), 'l', '-');
            plan_.label = find_column(options_.label);
            plan_.roles[*plan_.label] = 'l';
        }
        for (const auto& wanted : options_.ignore) take(wanted, "ignore");
        plan_.id = take(options_.id, "id");
        plan_.group = take(options_.group, "group");
        plan_.weight = take(options_.row_weight, "row_weight");
    }

    void find_by_name() {
        plan_ = CsvPlan{true, {}, {}, {}, {}, {}, std::string(cells_.size(), kOpen), {}, {}};
        take_named_columns();
        for (const std::string& name : known_.names) {
            const auto column = find_name(name);
            if (!column) refuse_missing(name);
            if (plan_.roles[*column] != kOpen && column != plan_.id) {
                throw Error(ErrorCode::kUsage,
                            fmt::format("{}: the model needs column {}", file_, in_quotes(name)));
            }
            plan_.roles[*column] = 'f';
            plan_.features.push_back(*column);
        }
        find_other_columns();
    }

    /// The label where the model had it; columns that nobody asked for.
    void find_other_columns() {
        const std::string others = known_other_roles();
        for (std::size_t k = 0; k < known_.other_names.size(); ++k) {
            const auto column = find_name(known_.other_names[k]);
            if (!column || plan_.roles[*column] != kOpen) continue;
            const bool is_label = others[k] == 'l' && !plan_.label;
            if (is_label) plan_.label = column;
            plan_.roles[*column] = is_label ? 'l' : '-';
        }
        std::vector<std::string> unknown;
        for (std::size_t column = 0; column < cells_.size(); ++column) {
            if (plan_.roles[column] != kOpen) continue;
            plan_.roles[column] = '-';
            unknown.push_back(names_[column]);
        }
        if (unknown.empty()) return;
        plan_.notes.push_back(fmt::format("{}: {} column{} unknown to the model, ignored: {}",
                                          file_, unknown.size(), unknown.size() == 1 ? "" : "s",
                                          list_of(unknown)));
    }

    std::string known_other_roles() const {
        std::string others = known_.roles;
        others.erase(std::remove(others.begin(), others.end(), 'f'), others.end());
        return others;
    }

    [[noreturn]] void refuse_missing(const std::string& name) const {
        std::vector<std::string> extra;
        std::set<std::string> known(known_.names.begin(), known_.names.end());
        known.insert(known_.other_names.begin(), known_.other_names.end());
        for (const auto& there : names_) {
            if (!known.contains(there)) extra.push_back(there);
        }
        const auto alike = std::find_if(extra.begin(), extra.end(), [&](const std::string& there) {
            return skeleton(there) == skeleton(name);
        });
        const std::string hint = alike != extra.end() ? fmt::format("is it {}?", in_quotes(*alike))
                                 : extra.empty()
                                     ? std::string()
                                     : "the file has " + list_of(extra) + ", unknown to the model";
        throw Error(ErrorCode::kData,
                    fmt::format("{}no column named {}, which the model was trained on", where_,
                                in_quotes(name)),
                    hint);
    }

    void decide_by_position() {
        plan_.roles.assign(cells_.size(), kOpen);
        start_from_known_roles();
        take_named_columns();
        decide_open_columns();
        for (std::size_t column = 0; column < cells_.size(); ++column) {
            if (plan_.roles[column] == 'l') plan_.label = column;
            if (plan_.roles[column] == 'f') plan_.features.push_back(column);
        }
    }

    /// A file as wide as the training file, or without its label.
    void start_from_known_roles() {
        const std::string& roles = known_.roles;
        if (roles.size() == cells_.size()) plan_.roles = roles;
        if (roles.size() != cells_.size() + 1 || known_.features == cells_.size()) return;
        const std::size_t label = roles.find('l');
        if (label == roles.npos) return;
        plan_.roles = roles;
        plan_.roles.erase(label, 1);
    }

    /// One column more than the model wants, or no model: the first or last open one is the label.
    void decide_open_columns() {
        auto& roles = plan_.roles;
        const auto open = static_cast<std::size_t>(std::count(roles.begin(), roles.end(), kOpen));
        const bool has_label = roles.find('l') != roles.npos;
        if (open > 0 && !has_label && open != known_.features) {
            const std::size_t label =
                options_.label == "first" ? roles.find(kOpen) : roles.rfind(kOpen);
            roles[label] = 'l';
        }
        std::replace(roles.begin(), roles.end(), kOpen, 'f');
    }

    void check_width() const {
        if (known_.features == 0 || plan_.features.size() == known_.features) return;
        throw Error(ErrorCode::kData,
                    fmt::format("{}{} columns of features, but the model was trained on {}", where_,
                                plan_.features.size(), known_.features),
                    "`ignore` leaves columns out; with a header columns are found by name");
    }

    /// A first record whose feature cells are not all numbers or missing. In a column of words, as
    /// a model knows it, a word tells nothing.
    bool is_header() {
        if (options_.header == "yes") return true;
        if (options_.header == "no") {
            if (!by_name_) return false;
            throw Error(ErrorCode::kUsage,
                        file_ + ": a column is chosen by name, but the first line is no header",
                        "choose it by index, from 0");
        }
        if (by_name_) return true;
        std::size_t numbers = 0;
        std::string_view word;
        for (std::size_t j = 0; j < plan_.features.size(); ++j) {
            const std::string_view cell = cells_[plan_.features[j]];
            numbers += parse_number(cell).has_value();
            const bool tells = j >= known_.features || !known_.categorical(j);
            if (tells && is_word(cell)) word = cell;
        }
        if (word.empty()) return false;
        if (numbers > 0) {
            plan_.notes.push_back(
                fmt::format("{}taken as a header: {} is not a number; `header` no makes it a row",
                            where_, in_quotes(word)));
        }
        return true;
    }

    const std::vector<std::string_view>& cells_;
    const ReadOptions& options_;
    const TableColumns& known_;
    const std::string& file_;
    const std::string& where_;
    std::vector<std::string> names_;
    std::unordered_map<std::string, std::size_t> column_of_;
    bool by_name_ = false;  // an option found its column by name
    CsvPlan plan_;
};

}  // namespace

CsvPlan plan_csv(const std::vector<std::string_view>& first, const ReadOptions& options,
                 const std::string& file, const std::string& where) {
    return Planner(first, options, file, where).plan();
}

}  // namespace bitbayes::data

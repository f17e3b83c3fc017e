#include "data/classes.hpp"

#include <algorithm>
#include <utility>

#include "base/text.hpp"

namespace bitbayes::data {

namespace {

/// Integers in their shortest form and numerical order if all names are integers ("+1" is "1"),
/// else by bytes.
std::vector<std::string> sorted_names(std::vector<std::string> names) {
    std::vector<std::int64_t> numbers;
    for (const auto& name : names) {
        const auto number = parse_integer(name);
        if (!number) break;
        numbers.push_back(*number);
    }
    if (numbers.size() == names.size()) {
        std::sort(numbers.begin(), numbers.end());
        std::transform(numbers.begin(), numbers.end(), names.begin(),
                       [](std::int64_t number) { return std::to_string(number); });
    } else {
        std::sort(names.begin(), names.end());
    }
    names.erase(std::unique(names.begin(), names.end()), names.end());
    return names;
}

/// Renumbers labels that index `old_names` as indices into `names`, which has all of them.
void renumber(std::vector<std::uint32_t>& labels, const std::vector<std::string>& old_names,
              const std::vector<std::string>& names) {
    std::unordered_map<std::string, std::uint32_t> index;
    for (std::uint32_t i = 0; i < names.size(); ++i) index[names[i]] = i;
    std::vector<std::uint32_t> new_index;
    for (const auto& name : old_names) {
        const auto found = index.find(name);
        new_index.push_back(found != index.end() ? found->second
                                                 : index.at(std::to_string(*parse_integer(name))));
    }
    for (auto& label : labels) label = new_index[label];
}

}  // namespace

void LabelBuilder::add(std::string_view label) {
    const auto [entry, is_new] =
        index_.try_emplace(std::string(label), static_cast<std::uint32_t>(names_.size()));
    if (is_new) {
        constexpr std::size_t kPerName = 150;  // entries of maps and lists, here and in finish()
        names_.emplace_back(label);
        name_bytes_ += kPerName + 2 * label.size();
    }
    labels_.push_back(entry->second);
}

void LabelBuilder::finish(Dataset& data) {
    data.class_names = sorted_names(names_);
    renumber(labels_, names_, data.class_names);
    data.labels = std::move(labels_);
    *this = LabelBuilder();
}

void unite_classes(Dataset& a, Dataset& b) {
    std::vector<std::string> names = a.class_names;
    names.insert(names.end(), b.class_names.begin(), b.class_names.end());
    names = sorted_names(std::move(names));
    renumber(a.labels, a.class_names, names);
    renumber(b.labels, b.class_names, names);
    a.class_names = b.class_names = std::move(names);
}

}  // namespace bitbayes::data

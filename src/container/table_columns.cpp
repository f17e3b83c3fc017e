#include "container/table_columns.hpp"

#include <algorithm>
#include <set>

#include "container/encoding.hpp"

namespace bitbayes::container {
namespace {

using nlohmann::json;

constexpr const char* kNumbers = "number";
constexpr const char* kMixed = "mixed";

bool all_different(const std::vector<std::string>& names) {
    return std::set<std::string>(names.begin(), names.end()).size() == names.size();
}

std::string problem_of_roles(const TableColumns& columns, std::size_t features) {
    const auto count = [&](char role) {
        return static_cast<std::size_t>(
            std::count(columns.roles.begin(), columns.roles.end(), role));
    };
    const std::size_t others = count('l') + count('-');
    if (count('f') != features || count('l') > 1 || features + others != columns.roles.size()) {
        return "the roles of the columns do not fit the features";
    }
    const bool named = columns.other_names.empty() || columns.other_names.size() == others;
    return named ? "" : "the names of the columns do not fit their roles";
}

void read_categories(const ContainerReader& reader, TableColumns& columns) {
    const json lists = reader.json_of("categories", 4);
    reader.require(lists.is_object() && !lists.empty(), "categories is not an object");
    columns.categories.resize(columns.features);
    for (const auto& [key, list] : lists.items()) {
        const std::size_t feature = reader.parsed<std::size_t>(key, "a feature of categories");
        reader.require(feature < columns.features, "categories of a column that is not there");
        columns.categories[feature] = reader.names("categories", list);
        reader.require(!columns.categories[feature].empty(), "a column of words without values");
    }
}

void read_table(const ContainerReader& reader, TableColumns& columns) {
    const json table = reader.json_of("table", 4);
    reader.require(table.is_object() && table.contains("roles") && table["roles"].is_string() &&
                       table.contains("other_names"),
                   "table needs roles and other_names");
    columns.roles = table["roles"].get<std::string>();
    columns.other_names = reader.names("table", table["other_names"]);
    reader.require(!columns.roles.empty(), "the roles of the columns do not fit the features");
}

}  // namespace

void add_columns(Metadata& metadata, const TableColumns& columns) {
    json lists = json::object();
    for (std::size_t j = 0; j < columns.categories.size(); ++j) {
        if (columns.categorical(j)) lists[std::to_string(j)] = names_json(columns.categories[j]);
    }
    metadata["column_kinds"] = lists.empty() ? kNumbers : kMixed;
    if (!lists.empty()) metadata["categories"] = lists.dump();
    if (!columns.names.empty()) metadata["column_names"] = names_json(columns.names).dump();
    if (!columns.roles.empty()) {
        metadata["table"] =
            json{{"roles", columns.roles}, {"other_names", names_json(columns.other_names)}}.dump();
    }
}

std::string problem_of(const TableColumns& columns, std::size_t features) {
    if (!columns.categories.empty() && columns.categories.size() != features) {
        return "the columns of words do not fit the features";
    }
    if (!std::all_of(columns.categories.begin(), columns.categories.end(), all_different)) {
        return "the values of a column of words are not all different";
    }
    if (!columns.names.empty() && columns.names.size() != features) {
        return "the names of the columns do not fit the features";
    }
    return columns.roles.empty() ? "" : problem_of_roles(columns, features);
}

TableColumns read_columns(const ContainerReader& reader, std::size_t features) {
    TableColumns columns;
    columns.features = features;
    if (!reader.has("column_kinds")) return columns;
    const bool mixed = reader.text("column_kinds") == kMixed;
    reader.require(mixed || reader.text("column_kinds") == kNumbers, "unknown kinds of columns");
    if (mixed) read_categories(reader, columns);
    if (reader.has("column_names")) {
        columns.names = reader.names("column_names");
        reader.require(!columns.names.empty(), "the names of the columns do not fit the features");
    }
    if (reader.has("table")) read_table(reader, columns);
    const std::string problem = problem_of(columns, features);
    reader.require(problem.empty(), problem);
    return columns;
}

}  // namespace bitbayes::container

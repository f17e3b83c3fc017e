#include "sweep/results.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "bitbayes/types/error.hpp"
#include "options/options.hpp"

namespace bitbayes::cli::sweep {

namespace {

constexpr const char* kColumns[] = {"error_map", "error_mean", "nll", "brier", "ece", "validity"};

std::string csv_cell(const std::string& text) {
    if (text.find_first_of(",\"\n\r") == text.npos) return text;
    std::string cell = "\"";
    for (const char c : text) cell += c == '"' ? std::string("\"\"") : std::string(1, c);
    return cell + "\"";
}

std::string csv_line(const std::vector<std::string>& cells) {
    std::string line;
    for (const auto& cell : cells) line += (line.empty() ? "" : ",") + csv_cell(cell);
    return line + "\n";
}

/// Enough digits to be read back as the same number.
std::string csv_number(const Json& results, const std::string& key) {
    const auto found = results.find(key);
    return found == results.end() || found->is_null() ? "" : found->dump();
}

bool cross_validated(const Results& results) {
    return std::any_of(results.rows.begin(), results.rows.end(),
                       [](const Row& row) { return row.results.contains("std"); });
}

void choose_best(Results& results) {
    for (std::size_t k = 0; k < results.rows.size(); ++k) {
        const auto value = results.rows[k].figure(results.figure);
        if (!value) continue;
        if (!results.best || *value < *results.rows[*results.best].figure(results.figure)) {
            results.best = k;
        }
    }
}

/// Columns as wide as their widest cell, numbers to the right.
std::string aligned(const std::vector<std::vector<std::string>>& lines) {
    std::vector<std::size_t> widths(lines.front().size());
    for (const auto& line : lines) {
        for (std::size_t c = 0; c < line.size(); ++c) {
            widths[c] = std::max(widths[c], line[c].size());
        }
    }
    std::string text;
    for (const auto& line : lines) {
        std::string row;
        for (std::size_t c = 0; c < line.size(); ++c) {
            row += fmt::format("{:>{}}  ", line[c], widths[c]);
        }
        row.erase(row.find_last_not_of(' ') + 1);
        text += row + "\n";
    }
    return text;
}

Json row_json(const Config& config, const Data& data, const Results& results, std::size_t k) {
    const Row& row = results.rows[k];
    Json object{
        {"run", k + 1}, {"name", row.run->name}, {"status", row.failed() ? "failed" : "done"}};
    for (std::size_t v = 0; v < row.values.size(); ++v) {
        object["options"][std::string(results.varied[v]->name)] = row.values[v];
    }
    object["results"] = row.results;
    object["seconds"] = row.seconds;
    object["command"] = command_of(config, data, *row.run);
    return object;
}

}  // namespace

std::optional<double> Row::figure(const std::string& name) const {
    const auto found = results.find(name);
    if (found == results.end() || !found->is_number()) return std::nullopt;
    return found->get<double>();
}

Results collect(const Config& config, const std::vector<Run>& runs, const RunFolder& folder) {
    Results results;
    results.varied = config.varied();
    results.figure = config.best;
    for (const Run& run : runs) {
        const auto stored = folder.find(run.name, run.settings);
        if (!stored) throw Error(ErrorCode::kInternal, folder.path() + ": a run has disappeared");
        Row row{&run, {}, (*stored)["results"], (*stored)["seconds"].get<double>()};
        for (const TrainOption* option : results.varied) {
            row.values.push_back(options::text(run.options, *option));
        }
        results.failed += row.failed() ? 1 : 0;
        results.rows.push_back(std::move(row));
    }
    choose_best(results);
    return results;
}

std::string to_csv(const Results& results) {
    const bool folds = cross_validated(results);
    std::vector<std::string> header{"run", "name", "status"};
    for (const auto* option : results.varied) header.emplace_back(option->name);
    for (const char* column : kColumns) header.emplace_back(column);
    if (folds) {
        for (const char* column : kColumns) header.push_back(std::string(column) + "_std");
    }
    header.emplace_back("message");
    std::string text = csv_line(header);
    for (std::size_t k = 0; k < results.rows.size(); ++k) {
        const Row& row = results.rows[k];
        std::vector<std::string> cells{std::to_string(k + 1), row.run->name,
                                       row.failed() ? "failed" : "done"};
        cells.insert(cells.end(), row.values.begin(), row.values.end());
        for (const char* column : kColumns) cells.push_back(csv_number(row.results, column));
        for (const char* column : kColumns) {
            if (folds)
                cells.push_back(csv_number(row.results.value("std", Json::object()), column));
        }
        cells.push_back(row.results.value("failed", ""));
        text += csv_line(cells);
    }
    return text;
}

std::string figure_text(const Row& row, const std::string& figure) {
    const auto value = row.figure(figure);
    if (!value) return "-";
    const bool share = figure.starts_with("error") || figure == "ece";
    return share ? percent(*value) : fmt::format("{:.4f}", *value);
}

std::string to_table(const Results& results) {
    std::vector<std::vector<std::string>> lines{{"", "run"}};
    for (const auto* option : results.varied) lines[0].emplace_back(option->name);
    for (const char* figure : kFigures) lines[0].emplace_back(figure);
    for (std::size_t k = 0; k < results.rows.size(); ++k) {
        const Row& row = results.rows[k];
        auto& line = lines.emplace_back();
        line = {results.best == k ? "*" : "", std::to_string(k + 1)};
        line.insert(line.end(), row.values.begin(), row.values.end());
        for (const char* figure : kFigures) line.push_back(figure_text(row, figure));
    }
    std::string text = aligned(lines);
    for (std::size_t k = 0; k < results.rows.size(); ++k) {
        const Row& row = results.rows[k];
        if (!row.failed()) continue;
        text += fmt::format("run {} failed: {}\n", k + 1, row.results["failed"].get<std::string>());
    }
    return text;
}

Json to_json(const Config& config, const Data& data, const Results& results) {
    Json object{{"config", config.name}, {"data", config.data}, {"rows", data.rows().rows}};
    if (data.hold_out() > 0) object["hold_out"] = data.hold_out();
    if (data.folds() > 0) object["folds"] = data.folds();
    if (!config.test.empty()) object["test"] = config.test;
    object["figure"] = results.figure;
    object["failed"] = results.failed;
    object["runs"] = Json::array();
    for (std::size_t k = 0; k < results.rows.size(); ++k) {
        object["runs"].push_back(row_json(config, data, results, k));
    }
    object["best"] = results.best ? object["runs"][*results.best] : Json();
    return object;
}

std::string settings_text(const Results& results, const Row& row) {
    std::vector<std::string> parts;
    for (std::size_t v = 0; v < row.values.size(); ++v) {
        const bool empty = row.values[v].empty();
        parts.push_back(fmt::format("{} {}", results.varied[v]->name, empty ? "-" : row.values[v]));
    }
    return parts.empty() ? "default options" : fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace bitbayes::cli::sweep

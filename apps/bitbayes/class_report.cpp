#include "class_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.hpp"

namespace bitbayes::cli {

namespace {

/// As a terminal may show them.
std::vector<std::string> shown(const std::vector<std::string>& classes) {
    std::vector<std::string> names;
    for (const auto& name : classes) names.push_back(printable(name, kLongestName));
    return names;
}

std::size_t name_width(const std::vector<std::string>& names) {
    std::size_t width = 5;
    for (const auto& name : names) width = std::max(width, std::min<std::size_t>(name.size(), 12));
    return width;
}

Json figures_json(const ClassFigures& figures) {
    return {{"precision", figures.precision},
            {"recall", figures.recall},
            {"f1", figures.f1},
            {"auc", figures.auc}};
}

std::string class_row(const std::string& name, std::size_t width, const ClassFigures& figures) {
    const auto auc = std::isnan(figures.auc) ? "-" : fmt::format("{:.4f}", figures.auc);
    return fmt::format("{:<{}.{}} {:>8} {:>10} {:>10} {:>10} {:>8}\n", name, width, width,
                       figures.rows, percent(figures.precision), percent(figures.recall),
                       percent(figures.f1), auc);
}

}  // namespace

std::string confusion_table(const Confusion& confusion, const std::vector<std::string>& classes) {
    if (classes.size() > kLargestTable) return "";
    const auto names = shown(classes);
    const std::size_t width = name_width(names);
    std::string table = fmt::format("\n{:<{}}", "truth", width);
    for (const auto& name : names) table += fmt::format(" {:>{}.{}}", name, width, width);
    table += "  (columns: answers)\n";
    for (std::size_t truth = 0; truth < names.size(); ++truth) {
        table += fmt::format("{:<{}.{}}", names[truth], width, width);
        for (std::size_t answer = 0; answer < names.size(); ++answer) {
            const auto count = confusion.count(static_cast<std::uint32_t>(truth),
                                               static_cast<std::uint32_t>(answer));
            table += fmt::format(" {:>{}}", count, width);
        }
        table += "\n";
    }
    return table;
}

std::string class_table(std::span<const ClassFigures> per_class, const ClassFigures& macro,
                        const std::vector<std::string>& classes) {
    if (classes.size() > kLargestTable) return "";
    const auto names = shown(classes);
    const std::size_t width = name_width(names);
    std::string table = fmt::format("\n{:<{}} {:>8} {:>10} {:>10} {:>10} {:>8}\n", "class", width,
                                    "rows", "precision", "recall", "F1", "AUC");
    for (std::size_t k = 0; k < names.size(); ++k)
        table += class_row(names[k], width, per_class[k]);
    return table + class_row("mean", width, macro);
}

void add_confusion(Json& object, const Confusion& confusion) {
    if (confusion.classes() <= kLargestMatrix) {
        object["confusion"] = confusion.dense();
        return;
    }
    object["confusion"] = Json();
    Json& entries = object["confusion_entries"] = Json::array();
    for (const auto& [pair, count] : confusion.entries()) {
        entries.push_back({pair.first, pair.second, count});
    }
}

void add_class_figures(Json& object, std::span<const ClassFigures> per_class,
                       const ClassFigures& macro, const std::vector<std::string>& names) {
    object["per_class"] = Json::array();
    for (std::size_t k = 0; k < names.size(); ++k) {
        Json entry{{"class", names[k]}, {"n", per_class[k].rows}};
        entry.update(figures_json(per_class[k]));
        object["per_class"].push_back(std::move(entry));
    }
    object["macro"] = figures_json(macro);
}

}  // namespace bitbayes::cli

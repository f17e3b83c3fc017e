#include "sweep/page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/text.hpp"

namespace bitbayes::cli::sweep {

namespace {

using namespace report;

constexpr std::size_t kRunColour = 0, kMedianColour = 6, kBestColour = 1;  // of the palette

bool is_share(const std::string& figure) { return figure.starts_with("error") || figure == "ece"; }

bool is_whole(double value) {
    constexpr double kMaxExact = 1e15;
    return value == std::floor(value) && std::fabs(value) <= kMaxExact;
}

/// Values of one option along an axis: as numbers, or, if some are not, in order of appearance.
class Places {
  public:
    Places(const Results& results, std::size_t v) {
        for (const Row& row : results.rows) {
            const std::string& text = row.values[v];
            if (place_.count(text) > 0) continue;
            place_[text] = static_cast<double>(names_.size());
            names_.push_back(text);
            numeric_ = numeric_ && parse_number(text);
            whole_ = whole_ && numeric_ && is_whole(*parse_number(text));
        }
        if (!numeric_) return;
        for (auto& [text, place] : place_) place = *parse_number(text);
    }

    std::size_t count() const { return names_.size(); }
    double at(const std::string& text) const { return place_.at(text); }

    Axis axis(const std::string& label) const {
        Axis axis{label, Scale::kLinear, {}, {}, false, {}, numeric_ && whole_};
        if (!numeric_) {
            for (const std::string& name : names_) {
                axis.names.push_back(name.empty() ? "none" : name);
            }
            return axis;
        }
        double low = at(names_[0]), high = low;
        for (const auto& [text, place] : place_) {
            low = std::min(low, place);
            high = std::max(high, place);
        }
        constexpr double kWide = 8;
        if (low > 0 && high / low >= kWide) axis.scale = Scale::kLog;
        return axis;
    }

  private:
    std::vector<std::string> names_;
    std::map<std::string, double> place_;
    bool numeric_ = true, whole_ = true;
};

double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    const std::size_t half = values.size() / 2;
    return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

Panel panel_of(const Results& results, std::size_t v, const Places& places) {
    Panel panel;
    panel.title = std::string(results.varied[v]->name);
    panel.x = places.axis(panel.title);
    panel.y = {results.figure, Scale::kLinear, {}, {}, is_share(results.figure)};
    Series runs{"runs", kRunColour, {}, Mark::kDots, false};
    Series medians{"median", kMedianColour, {}, Mark::kLine, true};
    Series best{"best", kBestColour, {}, Mark::kDots, false};
    std::map<double, std::vector<double>> figures;
    for (std::size_t k = 0; k < results.rows.size(); ++k) {
        const Row& row = results.rows[k];
        const auto y = row.figure(results.figure);
        if (!y) continue;
        const double x = places.at(row.values[v]);
        (results.best == k ? best : runs).points.push_back({x, *y, {}, {}});
        figures[x].push_back(*y);
    }
    for (auto& [x, values] : figures) medians.points.push_back({x, median(values), {}, {}});
    panel.series = {std::move(medians), std::move(runs), std::move(best)};
    return panel;
}

Section plots(const Results& results) {
    Figure figure{
        "options",
        fmt::format("{} by option", results.figure),
        "A dot is a run; the dashed line joins the medians over all runs with the same value.",
        {},
        2};
    for (std::size_t v = 0; v < results.varied.size(); ++v) {
        const Places places(results, v);
        if (places.count() < 2) continue;
        figure.panels.push_back(panel_of(results, v, places));
    }
    figure.columns = std::clamp<std::size_t>(figure.panels.size(), 1, 2);
    Section section{"What each option does", {}};
    if (figure.panels.empty()) {
        section.blocks.push_back(Paragraph{"All runs have the same options."});
    } else {
        section.blocks.push_back(std::move(figure));
    }
    return section;
}

Section best_section(const Config& config, const Data& data, const Results& results) {
    Section section{"The best run", {}};
    if (!results.best) {
        section.blocks.push_back(Paragraph{fmt::format("No run has a figure {}.", results.figure)});
        return section;
    }
    const Row& row = results.rows[*results.best];
    Table table{{"figure", "value"}, {}};
    for (const char* figure : kFigures) table.rows.push_back({figure, figure_text(row, figure)});
    section.blocks = {
        Paragraph{fmt::format("Run {}: {}. Its model is `best.bb`; this command trains it again:",
                              *results.best + 1, settings_text(results, row))},
        Listing{command_of(config, data, *row.run) + " -o best.bb"}, std::move(table)};
    return section;
}

Section all_runs(const Results& results) {
    Table table{{"run"}, {}}, reasons{{"failed run", "reason"}, {}};
    for (const auto* option : results.varied) table.header.emplace_back(option->name);
    for (const char* figure : kFigures) table.header.emplace_back(figure);
    if (results.failed > 0) table.header.emplace_back("status");
    for (std::size_t k = 0; k < results.rows.size(); ++k) {
        const Row& row = results.rows[k];
        std::vector<Cell> cells{std::to_string(k + 1)};
        for (const auto& value : row.values) cells.emplace_back(value);
        for (const char* figure : kFigures) {
            cells.emplace_back(figure_text(row, figure));
            if (results.best == k && figure == results.figure) cells.back().heat = 1;
        }
        if (row.failed()) {
            cells.emplace_back("failed", Tone::kBad);
            reasons.rows.push_back(
                {std::to_string(k + 1), row.results["failed"].get<std::string>()});
        }
        table.rows.push_back(std::move(cells));
    }
    Section section{"All runs", {std::move(table)}};
    if (results.failed > 0) section.blocks.push_back(std::move(reasons));
    return section;
}

std::string testing_text(const Config& config, const Data& data) {
    if (data.folds() > 0) return fmt::format("{} folds", data.folds());
    if (data.hold_out() > 0) {
        return fmt::format("{} of the rows, held out by the seed of the run", data.hold_out());
    }
    return config.test.empty() ? "the test split" : config.test;
}

}  // namespace

Document page_of(const Config& config, const Data& data, const Results& results) {
    return {fmt::format("Sweep over {}", config.data),
            fmt::format("{} runs, {} failed; {} rows, tested on {}.", results.rows.size(),
                        results.failed, data.rows().rows, testing_text(config, data)),
            {best_section(config, data, results), plots(results), all_runs(results)}};
}

}  // namespace bitbayes::cli::sweep

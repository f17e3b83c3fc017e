#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "base/text.hpp"
#include "class_report.hpp"
#include "eval_report.hpp"

namespace bitbayes::cli {

namespace {

using namespace report;

/// Indices into the palette.
constexpr std::size_t kKnown = 0, kUnknown = 1, kRows = 2, kCalibrated = 6;

std::string number(double value) { return std::isnan(value) ? "-" : fmt::format("{:.4f}", value); }

std::string count_text(std::uint64_t count) { return fmt::format("{}", count); }

/// From 0 to 1.
Axis unit_axis(const std::string& label) { return {label, Scale::kLinear, 0.0, 1.0, false}; }

/// The outline of bars of equal width over 0 to 1.
Series bars(const std::string& name, std::size_t colour, const std::vector<double>& heights) {
    Series series{name, colour, {}, Mark::kLine, false};
    const auto width = 1 / static_cast<double>(heights.size());
    for (std::size_t b = 0; b < heights.size(); ++b) {
        const double left = static_cast<double>(b) * width;
        for (const double x : {left, left + width}) {
            series.points.push_back({x, heights[b], 0.0, {}});
        }
    }
    return series;
}

std::string answerer(const EvalReport& report) {
    return report.probabilities ? "the Bayes average" : "the network on real weights";
}

Section figures_section(const EvalReport& report) {
    const Evaluation& e = report.evaluation;
    Table table{{"figure", "value", "what it is"}, {}};
    const auto add = [&](const char* name, const std::string& value, const std::string& meaning) {
        if (value != "-") table.rows.push_back({name, value, meaning});
    };
    add("rows", count_text(e.rows), "");
    add("error, mean", percent(e.error_mean), "wrong answers of " + answerer(report));
    add("error, clipped", percent(e.error_map), "of the network with weights +1 and -1");
    add("NLL", number(e.nll), "mean -ln of the probability that the true class got");
    add("Brier", number(e.brier), "squared error of the probabilities, summed over classes");
    add("ECE", percent(e.ece), "how far confidence is from accuracy, below");
    add("validity", percent(e.validity),
        report.one_output      ? "always 1 with two classes"
        : report.probabilities ? "mean probability that exactly one class says \"yes\""
                               : "share of rows for which exactly one class says \"yes\"");
    add("AURC", number(report.risk.area),
        "area under the risk-coverage curve, below: the lower the better");
    add("AUROC, errors", number(report.auroc_errors),
        "how often a right answer is more confident than a wrong one; 0.5 tells nothing");
    Section section{"Figures", {std::move(table)}};
    if (!report.probabilities) {
        section.blocks.push_back(Paragraph{
            "BackProp has no probabilities, so figures and diagrams that need them are left out."});
    }
    return section;
}

Section reliability_section(const EvalReport& report) {
    Panel diagram, rows;
    diagram.title = "accuracy by confidence";
    diagram.x = rows.x = unit_axis("confidence");
    diagram.y = unit_axis("accuracy");
    Series found{"answers", kKnown, {}, Mark::kLineAndDots, false};
    std::vector<double> counts;
    for (const auto& bin : report.reliability) {
        if (bin.rows > 0) found.points.push_back({bin.confidence, bin.accuracy, {}, {}});
        counts.push_back(static_cast<double>(bin.rows));
    }
    diagram.series = {
        {"calibrated", kCalibrated, {{0, 0, {}, {}}, {1, 1, {}, {}}}, Mark::kLine, true},
        std::move(found)};
    rows.title = "rows per bin";
    rows.y = {"rows", Scale::kLog, {}, {}, false};
    rows.series = {bars("rows", kRows, counts)};
    return {
        "Reliability",
        {Paragraph{fmt::format("Of answers with confidence p a share p should be right. "
                               "ECE, the mean distance from that, is {}.",
                               percent(report.evaluation.ece))},
         Figure{"reliability",
                "Reliability diagram",
                "Below the diagonal answers are too sure, above it not sure enough. Bins with few "
                "rows say little.",
                {std::move(diagram), std::move(rows)},
                2}}};
}

Section risk_section(const EvalReport& report) {
    Panel panel;
    panel.x = unit_axis("coverage: share of rows, most confident first");
    panel.y = {"risk: error among them", Scale::kLinear, 0.0, {}, true};
    Series curve{"answers", kKnown, {}, Mark::kLine, false};
    for (const auto& point : report.risk.curve) {
        curve.points.push_back({point.coverage, point.risk, {}, {}});
    }
    panel.series = {std::move(curve)};
    const double error = report.evaluation.error_mean;
    panel.references = {{fmt::format("all rows: {}", percent(error)), error, {}}};
    const std::string finding =
        std::isnan(report.auroc_errors)
            ? std::string("Right and wrong answers cannot be compared: there is only one kind.")
            : fmt::format("A right answer is more confident than a wrong one in {} of such pairs.",
                          percent(report.auroc_errors));
    return {"Risk and coverage",
            {Paragraph{finding},
             Figure{"risk-coverage",
                    "Error if only the most confident rows are answered",
                    fmt::format("Area under the curve (AURC): {}.", number(report.risk.area)),
                    {std::move(panel)},
                    1}}};
}

Table confusion_matrix(const Confusion& confusion, const std::vector<std::string>& names) {
    Table table{{"truth \\ answer"}, {}};
    table.header.insert(table.header.end(), names.begin(), names.end());
    for (std::uint32_t truth = 0; truth < names.size(); ++truth) {
        double all = 0;
        for (std::uint32_t answer = 0; answer < names.size(); ++answer) {
            all += static_cast<double>(confusion.count(truth, answer));
        }
        std::vector<Cell> row{names[truth]};
        for (std::uint32_t answer = 0; answer < names.size(); ++answer) {
            const auto count = confusion.count(truth, answer);
            row.emplace_back(count_text(count));
            // A root, so that rare confusions are seen too.
            if (count > 0) row.back().heat = std::sqrt(static_cast<double>(count) / all);
        }
        table.rows.push_back(std::move(row));
    }
    return table;
}

Table most_confused(const Confusion& confusion, const std::vector<std::string>& names) {
    constexpr std::size_t kMaxPairs = 30;
    std::vector<std::pair<Confusion::Pair, std::uint64_t>> pairs;
    for (const auto& entry : confusion.entries()) {
        if (entry.first.first != entry.first.second) pairs.push_back(entry);
    }
    std::stable_sort(pairs.begin(), pairs.end(),
                     [](const auto& a, const auto& b) { return a.second > b.second; });
    Table table{{"truth", "answer", "rows"}, {}};
    for (std::size_t k = 0; k < std::min(kMaxPairs, pairs.size()); ++k) {
        const auto& [pair, count] = pairs[k];
        table.rows.push_back({names[pair.first], names[pair.second], count_text(count)});
    }
    return table;
}

Section confusion_section(const EvalReport& report) {
    std::vector<std::string> names;
    for (const auto& name : report.classes) names.push_back(printable(name, kLongestName));
    const Confusion& confusion = report.evaluation.confusion;
    if (names.size() <= kLargestTable) {
        return {"Confusion", {confusion_matrix(confusion, names)}};
    }
    return {"Confusion",
            {Paragraph{fmt::format(
                 "The most frequent wrong answers among {} classes; report.json has all.",
                 names.size())},
             most_confused(confusion, names)}};
}

double mean(const std::vector<double>& values) {
    double sum = 0;
    for (const double value : values) sum += value;
    return sum / static_cast<double>(values.size());
}

Panel distribution(const std::string& what, const EvalReport& report,
                   std::vector<double> Trust::*values) {
    constexpr std::size_t kBins = 20;
    const auto shares = [&](const std::vector<double>& all) {
        std::vector<double> bins(kBins);
        for (const double value : all) {
            bins[std::min(kBins - 1, static_cast<std::size_t>(value * kBins))] +=
                1 / static_cast<double>(all.size());
        }
        return bins;
    };
    Panel panel;
    panel.title = what;
    panel.x = unit_axis(what);
    panel.y = {"share of rows", Scale::kLinear, 0.0, {}, true};
    panel.series = {bars("known", kKnown, shares(report.trust.*values)),
                    bars("unknown", kUnknown, shares(report.unknown->trust.*values))};
    return panel;
}

Section unknown_section(const EvalReport& report) {
    const UnknownRows& unknown = *report.unknown;
    Figure figure{
        "unknown",
        "Known and unknown rows",
        fmt::format("Known: {} rows of {}. Unknown: {} rows of {}.", report.evaluation.rows,
                    report.data, unknown.trust.validity.size(), unknown.name),
        {},
        2};
    Table table{{"measure", "AUROC", "mean, known", "mean, unknown"}, {}};
    const auto add = [&](const char* name, double auroc, std::vector<double> Trust::*values) {
        table.rows.push_back({name, number(auroc), number(mean(report.trust.*values)),
                              number(mean(unknown.trust.*values))});
        figure.panels.push_back(distribution(name, report, values));
    };
    if (!report.one_output) add("validity", unknown.auroc_validity, &Trust::validity);
    if (report.probabilities) {
        add("confidence", unknown.auroc_confidence, &Trust::confidence);
    }
    Section section{"Unknown data",
                    {Paragraph{fmt::format("The rows of {} mean nothing to this network. AUROC is "
                                           "the probability that a known row has a higher value "
                                           "than an unknown one; 0.5 tells nothing.",
                                           unknown.name)}}};
    if (!unknown.note.empty()) section.blocks.push_back(Paragraph{unknown.note});
    if (table.rows.empty()) return section;
    section.blocks.push_back(std::move(table));
    section.blocks.push_back(std::move(figure));
    return section;
}

}  // namespace

report::Document to_document(const EvalReport& report) {
    const Evaluation& evaluation = report.evaluation;
    Document document{
        fmt::format("Evaluation of {}", std::filesystem::path(report.model).filename().string()),
        fmt::format(
            "Of {} rows of {}, {} are answered wrongly by {} and {} by the clipped network.",
            evaluation.rows, report.data, percent(evaluation.error_mean), answerer(report),
            percent(evaluation.error_map)),
        {figures_section(report)}};
    if (report.probabilities) {
        document.sections.push_back(reliability_section(report));
        document.sections.push_back(risk_section(report));
    }
    document.sections.push_back(confusion_section(report));
    if (report.unknown) document.sections.push_back(unknown_section(report));
    return document;
}

}  // namespace bitbayes::cli

#include "reproduce/pages.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "reproduce/findings.hpp"

namespace bitbayes::cli::reproduce {

namespace {

using report::Cell;
using report::Paragraph;
using report::Section;
using report::Table;
using report::Tone;

std::string text(const Json& object, const char* key) { return object[key].get<std::string>(); }

Tone tone_of(const std::string& verdict) {
    if (verdict == "does not hold") return Tone::kBad;
    return verdict == "not judged" ? Tone::kOpen : Tone::kGood;
}

std::string minutes(double seconds) {
    return seconds < 120 ? fmt::format("{:.1f} s", seconds)
                         : fmt::format("{:.1f} min", seconds / 60);
}

constexpr std::pair<const char*, const char*> kExperiments[] = {
    {"teacher-student", "Teacher and student"},
    {"mnist", "MNIST"},
    {"single-layer", "Single layer"},
    {"claims", "In words"},
    {"dense", "Beyond the paper: dense"}};

Section verdict_page(const Json& results) {
    Section page{"Paper and reproduction", {}};
    if (results["quick"]) {
        page.blocks.push_back(
            Paragraph{"A quick run uses a part of the data: it judges orderings and exact claims; "
                      "the paper's figures stand beside it, not judged."});
    }
    for (const auto& [key, title] : kExperiments) {
        Table table{{title, "paper", "here", "verdict", "why"}, {}};
        for (const Json& v : results["verdicts"]) {
            if (v["experiment"] != key) continue;
            const std::string verdict = text(v, "verdict");
            table.rows.push_back({text(v, "claim"), text(v, "paper"), text(v, "here"),
                                  Cell(verdict, tone_of(verdict)), text(v, "why")});
        }
        if (!table.rows.empty()) page.blocks.push_back(std::move(table));
    }
    return page;
}

/// Every run with its seed, command and time.
Section runs_page(const Json& results) {
    const Json& machine = results["machine"];
    Section page{"Runs", {}};
    page.blocks.push_back(Paragraph{fmt::format(
        "bitbayes {}, {}, {} cores, {} threads, {} kernels. The same seeds give the same numbers "
        "on any machine; times are of this one, whatever else it had to do.",
        text(results, "version"), text(machine, "cpu"), machine["cores"].get<int>(),
        machine["threads"].get<int>(), text(machine, "kernels"))});
    page.blocks.push_back(report::Listing{text(results, "command")});
    Table table{{"run", "seed", "time", "the same by hand"}, {}};
    const auto add = [&](const std::string& name, const Json& seed, double seconds,
                         const std::string& command) {
        table.rows.push_back({name, seed.dump(), minutes(seconds),
                              command.empty() ? std::string("-") : "`" + command + "`"});
    };
    if (results.contains("teacher_student")) {
        for (const Json& run : results["teacher_student"]) {
            const Json& s = run["settings"];
            const int m = s["M"];
            add(fmt::format("teacher and student, M = {}, {} trials", m, s["trials"].get<int>()),
                s["seed"], run["seconds"],
                fmt::format("bitbayes train teacher:{}:{} --seed {} --no-shuffle", m,
                            s["seed"].dump(), s["seed"].dump()));
        }
    }
    for (const char* experiment : {"mnist", "single_layer", "dense"}) {
        if (!results.contains(experiment)) continue;
        for (const Json& run : results[experiment]["runs"]) {
            add(text(run, "name"), run["seed"], run["seconds"], text(run, "command"));
        }
    }
    if (results.contains("claims")) {
        for (const auto& [name, run] : results["claims"].items()) {
            add("claim: " + name, run["settings"]["seed"], run["seconds"], "");
        }
    }
    page.blocks.push_back(std::move(table));
    return page;
}

/// "15 claims hold, 5 hold better, ..." of the paper's claims, or of ours; empty if there are none.
std::string counts(const Json& verdicts, bool ours) {
    std::size_t held = 0, better = 0, failed = 0, open = 0;
    for (const Json& v : verdicts) {
        if ((v["experiment"] == "dense") != ours) continue;
        const std::string verdict = text(v, "verdict");
        ++(verdict == "holds"          ? held
           : verdict == "holds better" ? better
           : verdict == "not judged"   ? open
                                       : failed);
    }
    if (held + better + failed + open == 0) return "";
    const auto are = [](std::size_t count, const char* one, const char* many) {
        return fmt::format("{} {}", count, count == 1 ? one : many);
    };
    return fmt::format(
        "{}, {}{}{}", are(held, "claim holds", "claims hold"),
        ours ? "" : are(better, "holds better", "hold better") + ", ",
        are(failed, "does not hold", "do not hold"),
        open > 0 ? ", " + are(open, "is", "are") + " not judged by a quick run" : "");
}

std::string summary_of(const Json& results) {
    const auto paper = counts(results["verdicts"], false), ours = counts(results["verdicts"], true);
    return fmt::format(
        "The experiments of Soudry and Meir, Mean Field Bayes Backpropagation (2013), run again by "
        "bitbayes{}{}.{}",
        paper.empty() ? "" : ": ", paper,
        ours.empty() ? "" : fmt::format(" Beyond the paper, about dense networks: {}.", ours));
}

}  // namespace

void make_room_for_dots(report::Panel& panel) {
    constexpr double kRoom = 1.05;
    if (!panel.y.high) return;
    double highest = 0;
    for (const report::Series& series : panel.series) {
        if (series.mark == report::Mark::kLine) continue;
        for (const report::Point& point : series.points) highest = std::max(highest, point.y);
    }
    if (highest > *panel.y.high) panel.y.high = kRoom * highest;
}

report::Document report_of(const Json& results) {
    report::Document document{"MFB-BackProp reproduced", summary_of(results), {}};
    document.sections.push_back(verdict_page(results));
    if (results.contains("teacher_student")) {
        document.sections.push_back(teacher_student_page(results["teacher_student"]));
    }
    if (results.contains("mnist")) document.sections.push_back(mnist_page(results["mnist"]));
    if (results.contains("single_layer")) {
        document.sections.push_back(single_layer_page(results["single_layer"]));
    }
    if (results.contains("claims")) document.sections.push_back(claims_page(results["claims"]));
    if (results.contains("dense")) document.sections.push_back(dense_page(results));
    document.sections.push_back(runs_page(results));
    return document;
}

}  // namespace bitbayes::cli::reproduce

#include <fmt/format.h>

#include "reproduce/findings.hpp"
#include "reproduce/pages.hpp"

namespace bitbayes::cli::reproduce {

namespace {

using namespace report;

/// Fig. 1A, top: test error against M.
Figure test_figure(const Json& runs) {
    Panel panel;
    panel.x = {"M, inputs and hidden neurons of teacher and student", Scale::kLog, {}, {}, false};
    panel.y = {"test error", Scale::kLinear, 0.0, 0.5, true};
    for (const Subject& subject : kSubjects) {
        Series median{subject.name, subject.colour, {}, Mark::kLine, true};
        Series best{
            fmt::format("{}, best", subject.name), subject.colour, {}, Mark::kLineAndDots, false};
        for (const Json& run : runs) {
            const Json& test = run["results"]["test"][subject.key];
            const double m = run["settings"]["M"];
            median.points.push_back({m, test["median"], test["q1"], test["q3"]});
            best.points.push_back({m, test["best"], {}, {}});
        }
        median.name += ", median";
        panel.series.push_back(std::move(best));
        panel.series.push_back(std::move(median));
    }
    make_room_for_dots(panel);
    return {"teacher-student-test",
            "Teacher and student: test error (Fig. 1A, top)",
            fmt::format("10,000 fresh samples after {} for training. Solid with dots: the best of "
                        "{} trials, as in the paper. Dashed: their median, with the quartiles as a "
                        "band.",
                        runs.front()["settings"]["samples"].get<std::size_t>(),
                        runs.front()["settings"]["trials"].get<int>()),
            {std::move(panel)},
            1};
}

/// Fig. 1A, bottom: error while training.
Figure training_figure(const Json& runs) {
    Figure figure{
        "teacher-student-training",
        "Teacher and student: error during training (Fig. 1A, bottom)",
        "Each sample is answered before it is learned; averaged over the last 5,000. Lines: the "
        "trial with the best test error. Bands: quartiles over the trials.",
        {},
        2};
    for (const Json& run : runs) {
        const Json& training = run["results"]["training"];
        Panel panel;
        panel.title = fmt::format("M = {}", run["settings"]["M"].get<int>());
        panel.x = {"samples", Scale::kLog, {}, {}, false};
        panel.y = {"error", Scale::kLinear, 0.0, 0.5, true};
        for (const SubjectIndex index : {kMfb, kBackprop}) {
            const Subject& subject = kSubjects[index];
            const Json& curve = training[subject.key];
            Series series{subject.name, subject.colour, {}, Mark::kLine, false};
            for (std::size_t k = 0; k < training["samples"].size(); ++k) {
                series.points.push_back(
                    {training["samples"][k], curve["best"][k], curve["q1"][k], curve["q3"][k]});
            }
            panel.series.push_back(std::move(series));
        }
        figure.panels.push_back(std::move(panel));
    }
    return figure;
}

Table table_of(const Json& runs) {
    Table table{{"M"}, {}};
    for (const Subject& subject : kSubjects) {
        table.header.push_back(subject.name);
    }
    for (const Json& run : runs) {
        std::vector<Cell> row{Cell(run["settings"]["M"].dump())};
        for (const Subject& subject : kSubjects) {
            const Json& test = run["results"]["test"][subject.key];
            row.emplace_back(fmt::format("{} / {}, {} of {}", short_percent(test["best"]),
                                         short_percent(test["median"]), test["solved"].get<int>(),
                                         run["settings"]["trials"].get<int>()));
        }
        table.rows.push_back(std::move(row));
    }
    return table;
}

}  // namespace

report::Section teacher_student_page(const Json& runs) {
    return {
        "Teacher and student",
        {Paragraph{"A random MxMx1 network of sign neurons with weights of +1 and -1 labels random "
                   "samples; a student of the same shape learns from them, one at a time, without "
                   "a constant input. BackProp uses the paper's learning rate for each M."},
         test_figure(runs),
         Paragraph{"Best / median test error, and how many trials were solved without error:"},
         table_of(runs), training_figure(runs)}};
}

}  // namespace bitbayes::cli::reproduce

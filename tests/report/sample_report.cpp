// Writes a report with everything that a report can hold into the folder given as argument. Its
// numbers are made up; its figures look like those of `bitbayes reproduce`.
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <exception>
#include <limits>
#include <random>

#include "report/document.hpp"

namespace bitbayes::report {
namespace {

constexpr std::array<const char*, 4> kAlgorithms = {"MFB", "PMFB", "BackProp", "Clipped BackProp"};
constexpr std::array<double, 4> kHardness = {1.0, 0.8, 0.55, 1.9};

/// Uniform in [0, 1): the same numbers with every standard library.
class Noise {
  public:
    double operator()() { return static_cast<double>(engine_()) / 4294967296.0; }

  private:
    std::mt19937 engine_{7};
};

Figure error_against_width(Noise& noise) {
    Figure figure{
        "teacher-error",
        "Teacher-student task: test error against width",
        "Median over trials with quartiles as band; dots are the best trial. A value of 0 "
        "stands below the decades. Written by `bitbayes reproduce teacher-student`.",
        {},
        1};
    Panel panel;
    panel.x = {"width M of the teacher", Scale::kLog, {}, {}, false};
    panel.y = {"test error", Scale::kLog, {}, {}, true};
    for (std::size_t a = 0; a < kAlgorithms.size(); ++a) {
        Series median{kAlgorithms[a], a, {}, Mark::kLine, a == 3};
        Series best{fmt::format("{}, best trial", kAlgorithms[a]), a, {}, Mark::kDots, false};
        for (const int m : {3, 5, 7, 9, 15, 21, 31, 51, 71, 101}) {
            double error = kHardness[a] * 0.28 * (1 - std::exp(-std::pow(m / 24.0, 1.6)));
            if (m == 3) error = 0;
            const double spread = 1.2 + 0.5 * noise();
            median.points.push_back({double(m), error, error / spread, error * spread});
            best.points.push_back({double(m), m < 7 ? 0 : error / spread / 1.4, {}, {}});
        }
        panel.series.push_back(std::move(median));
        panel.series.push_back(std::move(best));
    }
    figure.panels.push_back(std::move(panel));
    return figure;
}

Figure curves_per_width(Noise& noise) {
    Figure figure{"teacher-curves",
                  "Training error while learning",
                  "One panel for each width; error over the last 1,000 samples.",
                  {},
                  4};
    for (const int m : {3, 5, 7, 9, 21, 31, 51, 101}) {
        Panel panel;
        panel.title = fmt::format("M = {}", m);
        panel.x = {"samples", Scale::kLinear, 0.0, {}, false};
        panel.y = {"training error", Scale::kLinear, 0.0, 0.5, true};
        for (std::size_t a = 0; a < 2; ++a) {
            Series series{kAlgorithms[a], a, {}, Mark::kLine, false};
            for (int n = 1000; n <= 200000; n += 2000) {
                const double floor = 0.3 * (1 - std::exp(-m / 30.0)) * kHardness[a];
                const double error = floor + (0.5 - floor) * std::exp(-n / (700.0 * m));
                series.points.push_back({double(n), error + 0.012 * (noise() - 0.5), {}, {}});
            }
            panel.series.push_back(std::move(series));
        }
        figure.panels.push_back(std::move(panel));
    }
    return figure;
}

Panel mnist_panel(const char* title, double high, Noise noise) {
    constexpr std::array<double, 4> kLast = {0.038, 0.0197, 0.0205, 0.29};
    Panel panel;
    panel.title = title;
    panel.x = {"epoch", Scale::kLinear, {}, {}, false};
    panel.y = {"test error", Scale::kLinear, 0.0, high, true};
    for (std::size_t a = 0; a < kAlgorithms.size(); ++a) {
        Series series{kAlgorithms[a], a, {}, Mark::kLineAndDots, false};
        for (int epoch = 1; epoch <= 30; ++epoch) {
            const double error = kLast[a] * (1 + 2.2 * std::exp(-epoch / 4.0)) + 0.004 * noise();
            series.points.push_back({double(epoch), error, {}, {}});
        }
        panel.series.push_back(std::move(series));
    }
    panel.references = {{"paper: MFB 4.68 %", 0.0468, 0},
                        {"paper: PMFB 4.26 %", 0.0426, 1},
                        {"paper: BackProp 2.14 %", 0.0214, 2},
                        {"paper: Clipped BackProp 30.95 %", 0.3095, 3},
                        {"single-layer network 4.7 %", 0.047, {}}};
    return panel;
}

Figure error_per_epoch(const Noise& noise) {
    return {"mnist-error",
            "MNIST: test error per epoch",
            "Below, the same curves from 0 to 10 %.",
            {mnist_panel("all algorithms", 0.5, noise), mnist_panel("zoomed", 0.1, noise)},
            1};
}

Figure learning_rate_scan() {
    constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
    Figure figure{"learning-rates",
                  "Learning rates of back-propagation",
                  "Each dot is the median error after one epoch; runs that diverged are gaps.",
                  {},
                  2};
    for (const int hidden : {51, 301}) {
        Panel panel;
        panel.title = fmt::format("{} hidden neurons per output", hidden);
        panel.x = {"learning rate", Scale::kLog, {}, {}, false};
        panel.y = {"test error", Scale::kLog, {}, {}, true};
        Series series{"BackProp", 2, {}, Mark::kLineAndDots, false};
        Series clipped{"Clipped BackProp", 3, {}, Mark::kLineAndDots, true};
        for (int k = -14; k <= 2; ++k) {
            const double rate = std::pow(2.0, k), off = std::log2(rate) + 5;
            const double error = 0.02 * std::exp(0.045 * off * off) * 51 / (hidden * 0.3 + 36);
            series.points.push_back({rate, k == 0 ? kNone : std::fmin(0.9, error), {}, {}});
            if (k % 2 == 0)
                clipped.points.push_back({rate, std::fmin(0.9, 6 * error),
                                          std::fmin(0.9, 4 * error), std::fmin(0.9, 9 * error)});
        }
        panel.series = {std::move(series), std::move(clipped)};
        figure.panels.push_back(std::move(panel));
    }
    return figure;
}

Section verdicts() {
    Table table{{"quantity", "paper", "here", "verdict"},
                {{"MFB, MNIST, test error", "4.68 %", "3.81 %", {"better", Tone::kGood}},
                 {"PMFB, MNIST, test error", "4.26 %", "1.97 %", {"better", Tone::kGood}},
                 {"Clipped BackProp, MNIST, test error of the network with `sign(W)` as weights",
                  "30.95 %",
                  "32.10 %",
                  {"worse", Tone::kBad}},
                 {"`teacher:101`, best of 10", "", "26.7 %", {"not in the paper", Tone::kOpen}}}};
    return {"Verdicts",
            {Paragraph{"The test error of `error_map` and `error_mean` beside the paper's, 5 < 7 & "
                       "so on."},
             std::move(table),
             Listing{"$ bitbayes reproduce all -o report --quick\nreport: 4 figures\n"}}};
}

Document sample() {
    Noise noise;
    return {
        "Reproduction of MFB-BackProp",
        "Two tasks of the paper, run with `bitbayes reproduce all`. These numbers are made up.",
        {verdicts(),
         {"Teacher and student",
          {Paragraph{"A random network teaches another of the same shape. The student sees each "
                     "sample once; after 200,000 samples it is compared with its teacher on "
                     "10,000 new ones."},
           error_against_width(noise), curves_per_width(noise)}},
         {"MNIST", {Paragraph{"Ten trees of 301 neurons."}, error_per_epoch(noise)}},
         {"Learning rates", {learning_rate_scan()}}}};
}

}  // namespace
}  // namespace bitbayes::report

int main(int argc, char** argv) try {
    if (argc != 2) {
        fmt::print(stderr, "usage: sample_report FOLDER\n");
        return 2;
    }
    bitbayes::report::write_report(bitbayes::report::sample(), argv[1]);
    return 0;
} catch (const std::exception& error) {
    fmt::print(stderr, "sample_report: {}\n", error.what());
    return 1;
}

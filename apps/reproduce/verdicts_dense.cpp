// Claims that are ours, not the paper's: its trees against dense networks.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "reproduce/findings.hpp"
#include "reproduce/verdict.hpp"

namespace bitbayes::cli::reproduce {

namespace {

constexpr const char* kName = "dense";

const char* error_name(const Subject& subject) {
    return subject.colour == kMfb ? "clipped error" : "error of the Bayes average";
}

std::string described(const Json& run, const Subject& subject) {
    return fmt::format("{} of {}: {}", run["architecture"].get<std::string>(),
                       kilobytes(bytes_of(run)), percent(last_error(run, subject.figure)));
}

/// The smallest network that errs as little as `goal`, else the one that errs least.
const Json& smallest_reaching(const std::vector<Json>& networks, const char* figure, double goal) {
    const auto reached = std::find_if(networks.begin(), networks.end(), [&](const Json& run) {
        return last_error(run, figure) <= goal;
    });
    if (reached != networks.end()) return *reached;
    return *std::min_element(networks.begin(), networks.end(), [&](const Json& a, const Json& b) {
        return last_error(a, figure) < last_error(b, figure);
    });
}

/// What the network found saves; `reached`: its error is as low as the tree's.
std::string bytes_text(const Json& dense, const Json& tree, bool reached) {
    const double ratio = bytes_of(tree) / bytes_of(dense);
    const auto size = ratio >= 1 ? fmt::format("{:.1f} times fewer bytes of weights", ratio)
                                 : fmt::format("{:.1f} times as many bytes of weights", 1 / ratio);
    return reached ? size + ", one seed each."
                   : "No dense network here has it; the one with the lowest error has " + size +
                         ", one seed each.";
}

Verdict fewer_bytes(const Json& results, const Subject& subject) {
    const Json tree = trees_of(results["dense"]).back();
    const auto networks = dense_networks_of(results["dense"]);
    const double goal = last_error(tree, subject.figure), rows = tree["test_rows"];
    const Json& dense = smallest_reaching(networks, subject.figure, goal);
    const double error = last_error(dense, subject.figure);
    const bool reached = error <= goal, holds = reached && bytes_of(dense) < bytes_of(tree);
    return {
        kName,
        fmt::format("A smaller dense network has the {} of the paper's tree", error_name(subject)),
        percent(subject.paper),
        fmt::format("{}{}; {}", reached ? "" : "none, the best is ", described(dense, subject),
                    described(tree, subject)),
        results["quick"] ? kNotJudged : whether(holds),
        fmt::format(
            "{} Two standard errors of the difference are {}.", bytes_text(dense, tree, reached),
            percent(2 * std::hypot(standard_error(goal, rows), standard_error(error, rows))))};
}

Verdict same_bytes(const Json& results, const Subject& subject) {
    const auto networks = dense_networks_of(results["dense"]);
    std::string here;
    bool holds = true;
    for (const Json& tree : trees_of(results["dense"])) {
        if (bytes_of(networks.front()) > bytes_of(tree)) continue;
        const double goal = last_error(tree, subject.figure);
        double best = 1;
        for (const Json& dense : networks) {
            if (bytes_of(dense) > bytes_of(tree)) break;
            best = std::min(best, last_error(dense, subject.figure));
        }
        holds = holds && best < goal;
        here += fmt::format("{}{}: tree {}, dense {}", here.empty() ? "" : "; ",
                            kilobytes(bytes_of(tree)), percent(goal), percent(best));
    }
    return {kName,
            fmt::format("At the size of every tree a dense network has a lower {}",
                        error_name(subject)),
            "trees alone",
            here,
            whether(holds),
            "Of the dense networks no larger than the tree, the best on the test set. Trees "
            "smaller than every dense network are left out."};
}

Verdict second_layer(const Json& results) {
    const Json& runs = results["dense"]["runs"];
    std::string here;
    bool holds = true;
    for (const Json& two : runs) {
        if (two["dense"].size() != 2) continue;
        const auto one = std::find_if(runs.begin(), runs.end(), [&](const Json& run) {
            return run["tree"].empty() && run["dense"] == Json::array({two["dense"].front()});
        });
        here += here.empty() ? "" : "; ";
        here += fmt::format("{} neurons", two["dense"].front().get<std::size_t>());
        for (const SubjectIndex index : {kMfb, kPmfb}) {
            const char* figure = kSubjects[index].figure;
            const double before = last_error(*one, figure), after = last_error(two, figure);
            holds = holds && after < before;
            here += fmt::format("{} {} to {}", index == kMfb ? ": clipped" : ", mean",
                                percent(before), percent(after));
        }
    }
    return {kName,          "A second dense layer of the same width lowers both errors",
            "trees alone",  here,
            whether(holds), "The same epochs, batches and evidence."};
}

}  // namespace

std::vector<Verdict> dense_verdicts(const Json& results) {
    std::vector<Verdict> list;
    for (const SubjectIndex index : {kMfb, kPmfb}) {
        list.push_back(fewer_bytes(results, kSubjects[index]));
        list.push_back(same_bytes(results, kSubjects[index]));
    }
    list.push_back(second_layer(results));
    return list;
}

}  // namespace bitbayes::cli::reproduce

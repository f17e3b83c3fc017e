#include "terminal/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.hpp"
#include "base/thread_team.hpp"
#include "options/options.hpp"

namespace bitbayes::cli {

namespace {

template <class T>
Json or_null(const std::optional<T>& value) {
    return value ? Json(*value) : Json();
}

void add_evaluation(Json& object, const std::optional<Evaluation>& evaluation) {
    const auto add = [&](const char* key, double Evaluation::*figure) {
        object[key] = evaluation ? Json((*evaluation).*figure) : Json();
    };
    add("error_map", &Evaluation::error_map);
    add("error_mean", &Evaluation::error_mean);
    add("nll", &Evaluation::nll);
    add("brier", &Evaluation::brier);
    add("ece", &Evaluation::ece);
    add("validity", &Evaluation::validity);
}

bool is_dense(const learn::LayerShape& layer) {
    return layer.connectivity == learn::Connectivity::kDense;
}

/// "tree", also without hidden layers; "dense"; "mixed": trees on dense layers.
const char* kind_of(const learn::Architecture& architecture) {
    if (architecture.is_tree()) return "tree";
    return is_dense(architecture.layers.back()) ? "dense" : "mixed";
}

unsigned threads_meant(unsigned asked) { return asked == 0 ? ThreadTeam::usable_cores() : asked; }

}  // namespace

Json learning_rate_json(const learn::ModelState& model) {
    return model.algorithm() == Algorithm::kBackprop ? Json(model.learning_rate) : Json();
}

Json run_json(const RunFigures& run) {
    const learn::ModelState& model = run.network.description();
    Json object;
    object["n"] = run.rows;
    object["algorithm"] = options::name_of(model.algorithm());
    object["architecture"] = kind_of(model.architecture);
    object["features"] = model.preprocessing.features();
    object["inputs"] = model.architecture.inputs;
    object["classes"] = model.classes();
    object["class_names"] = model.class_names;
    object["members"] = run.members;
    object["weights"] = run.members * model.architecture.weights();
    object["samples_seen"] = run.network.learner().samples_seen();
    object["seed"] = model.seed;
    object["evidence"] = model.algorithm() == Algorithm::kMfb ? Json(model.evidence) : Json();
    object["learning_rate"] = learning_rate_json(model);
    object["memory"] = or_null(model.memory);
    object["threads"] = run.threads;
    const std::string level = run.network.learner().backend();
    const bool simd = level != "scalar" && level != "cuda";
    object["backend"] = simd ? "simd" : level;
    object["simd_level"] = simd ? Json(level) : Json();
    object["seconds"] = or_null(run.seconds);
    add_evaluation(object, run.evaluation);
    object["error_progressive"] = or_null(run.error_progressive);
    return object;
}

void note_clipping(const Common& common, double error_map, double error_mean) {
    constexpr double kFactor = 1.5, kAtLeast = 0.01;
    if (!(error_map > kFactor * error_mean && error_map > error_mean + kAtLeast)) return;
    note(common,
         fmt::format("the clipped network errs on {}, the Bayes average on {}: more hidden "
                     "neurons, more rounds of polishing (train --polish 20), or a committee "
                     "(pack --ensemble 10) come closer",
                     percent(error_map), percent(error_mean)));
}

std::string validity_text(double share, std::size_t classes) {
    return classes == 2 ? "- (two classes)" : percent(share);
}

std::string evaluation_table(const Evaluation& evaluation) {
    const auto share = [&](double Evaluation::*figure) { return percent(evaluation.*figure); };
    const auto number = [&](double Evaluation::*figure) {
        const double value = evaluation.*figure;
        return std::isnan(value) ? std::string("-") : fmt::format("{:.4f}", value);
    };
    return table_row("error, MAP", share(&Evaluation::error_map)) +
           table_row("error, mean", share(&Evaluation::error_mean)) +
           table_row("NLL", number(&Evaluation::nll)) +
           table_row("Brier", number(&Evaluation::brier)) +
           table_row("ECE", share(&Evaluation::ece)) +
           table_row("validity",
                     validity_text(evaluation.validity, evaluation.confusion.classes()));
}

std::string run_table(const RunFigures& run) {
    const learn::ModelState& model = run.network.description();
    std::string table;
    if (run.error_progressive)
        table += table_row("error, progressive", percent(*run.error_progressive));
    table += table_row("rows", std::to_string(run.rows));
    table += table_row("samples seen", std::to_string(run.network.learner().samples_seen()));
    if (model.algorithm() == Algorithm::kBackprop) {
        table += table_row("algorithm", algorithm_text(model));
    }
    table += table_row("network", architecture_text(model.architecture));
    if (run.members > 1) table += table_row("members", std::to_string(run.members));
    table += table_row("weights", std::to_string(run.members * model.architecture.weights()));
    const auto add_seconds = [&](const char* name, double seconds) {
        table += table_row(name, fmt::format("{:.2f}", seconds));
    };
    if (run.seconds) add_seconds("seconds", *run.seconds);
    if (run.seconds_auto > 0) add_seconds("seconds, choosing", run.seconds_auto);
    if (run.seconds_polish > 0) add_seconds("seconds, polishing", run.seconds_polish);
    return table;
}

Json epoch_json(const EpochReport& report) {
    Json object;
    object["epoch"] = report.epoch;
    object["samples_seen"] = report.samples_seen;
    object["seconds"] = report.seconds;
    object["error_progressive"] = report.error_progressive;
    add_evaluation(object, report.test);
    return object;
}

std::string table_row(const std::string& name, const std::string& value) {
    constexpr std::size_t kLongest = 2000;
    return fmt::format("{:<20} {}\n", name, printable(value, kLongest));
}

std::string algorithm_text(const learn::ModelState& model) {
    if (model.algorithm() == Algorithm::kMfb) return "mfb";
    return fmt::format("backprop, learning rate {}", model.learning_rate);
}

std::string architecture_text(const learn::Architecture& architecture) {
    const auto& layers = architecture.layers;
    std::vector<std::string> sizes;
    std::vector<std::size_t> tree{architecture.outputs()};  // V_l as a product, input side first
    for (std::size_t l = layers.size(); l-- > 0;) {
        const auto product = fmt::format("{}", fmt::join(tree, "x"));
        sizes.push_back(tree.size() > 1 ? "(" + product + ")" : product);
        if (l == 0) break;
        if (is_dense(layers[l])) {
            tree = {layers[l - 1].neurons};
            continue;
        }
        if (tree == std::vector<std::size_t>{1}) tree.clear();
        tree.insert(tree.begin(), layers[l].fan_in);
    }
    sizes.push_back(std::to_string(architecture.inputs));
    std::reverse(sizes.begin(), sizes.end());
    const bool trees = std::none_of(layers.begin() + 1, layers.end(), is_dense);
    return fmt::format("{}", fmt::join(sizes, trees ? "x" : "-"));
}

std::string names_text(const std::vector<std::string>& names) {
    constexpr std::size_t kLongest = 1000;
    std::string text;
    for (std::size_t k = 0; k < names.size(); ++k) {
        if (text.size() > kLongest) return text + fmt::format(" and {} more", names.size() - k);
        text += (k > 0 ? " " : "") + printable(names[k], kLongestName);
    }
    return text;
}

unsigned threads_used(unsigned asked) {
    return std::min(threads_meant(asked), ThreadTeam::limit());
}

bool note_threads(const Common& common, unsigned asked) {
    const unsigned used = threads_used(asked), meant = threads_meant(asked);
    if (used == meant) return false;
    note(common, fmt::format("only {} of {} threads could be started", used, meant));
    return true;
}

}  // namespace bitbayes::cli

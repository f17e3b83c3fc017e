#include "model/problem.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <vector>

#include "container/encoding.hpp"
#include "container/table_columns.hpp"

namespace bitbayes::model {
namespace {

using data::Preprocessing;
using data::PreprocessKind;
using learn::ModelState;

bool finite(const std::vector<double>& values) {
    return std::all_of(values.begin(), values.end(), [](double x) { return std::isfinite(x); });
}

bool finite(const std::vector<float>& values) {
    return std::all_of(values.begin(), values.end(), [](float x) { return std::isfinite(x); });
}

std::string in_rates(const ModelState& model) {
    const auto positive = [](double x) { return std::isfinite(x) && x > 0; };
    if (!positive(model.evidence)) return "evidence must be positive";
    if (!positive(model.prior_scale)) return "prior_scale must be positive";
    if (model.memory == std::uint64_t{0}) return "memory must be positive";
    const bool backprop = model.algorithm() == Algorithm::kBackprop;
    if (backprop && model.memory) return "BackProp has no memory";
    return backprop && !positive(model.learning_rate) ? "learning_rate must be positive" : "";
}

std::string in_columns(const ModelState& model) {
    const data::ColumnStats& columns = model.preprocessing.columns;
    const std::size_t features = columns.integer.size();
    if (columns.minimum.size() != features || columns.maximum.size() != features ||
        columns.median.size() != features) {
        return "the tensors of columns differ in length";
    }
    for (std::size_t j = 0; j < features; ++j) {
        if (columns.integer[j] > 1 || !(columns.minimum[j] <= columns.maximum[j])) {
            return fmt::format("column {} is described wrongly", j);
        }
        const bool signs = columns.minimum[j] == -1 && columns.maximum[j] == 1;
        if (columns.signs && !columns.constant(j) && !signs) {
            return "signs, but a column holds other values";
        }
    }
    return "";
}

std::string in_numbers(const ModelState& model) {
    const Preprocessing& p = model.preprocessing;
    for (const auto& [name, values] :
         {std::pair("columns.minimum", &p.columns.minimum),
          std::pair("columns.maximum", &p.columns.maximum),
          std::pair("columns.median", &p.columns.median), std::pair("preprocess.mean", &p.mean),
          std::pair("preprocess.scale", &p.scale),
          std::pair("preprocess.thresholds", &p.thresholds)}) {
        if (!finite(*values)) {
            return fmt::format("tensor {} holds a value that is not finite", name);
        }
    }
    return "";
}

std::string in_kept(const ModelState& model) {
    const Preprocessing& p = model.preprocessing;
    if (!p.kept) return "";
    if (!p.sparse) return "columns are kept of sparse tables only";
    if (p.kept->column.size() != p.columns.size()) return "columns.index does not fit the columns";
    return container::problem_of_kept(p.kept->column, p.kept->features, "columns.index");
}

std::string in_thresholds(const Preprocessing& p) {
    const auto& start = p.threshold_start;
    if (start.front() != 0 || start.back() != p.thresholds.size() ||
        !std::is_sorted(start.begin(), start.end())) {
        return "the thresholds of the columns are mixed up";
    }
    for (std::size_t j = 0; j + 1 < start.size(); ++j) {
        const auto first = p.thresholds.begin() + static_cast<std::ptrdiff_t>(start[j]);
        const auto last = p.thresholds.begin() + static_cast<std::ptrdiff_t>(start[j + 1]);
        if ((!p.holds_words(j) && start[j + 1] - start[j] > p.levels) ||
            std::adjacent_find(first, last, std::greater_equal<>{}) != last) {
            return fmt::format("the thresholds of column {} are not ascending", j);
        }
    }
    return "";
}

std::string in_preprocessing(const ModelState& model) {
    const Preprocessing& p = model.preprocessing;
    const bool none = p.kind == PreprocessKind::kNone;
    const bool thermometer = p.kind == PreprocessKind::kThermometer;
    if (p.sparse && !none) return "sparse inputs need preprocessing none";
    if (thermometer && p.levels == 0) return "unknown preprocessing";
    if (p.binary_steps && p.kind == PreprocessKind::kStandardize) return "unknown quantiser";
    const std::size_t means = none ? 0 : thermometer ? p.thresholds.size() : p.columns.size();
    const std::size_t scales = none                                     ? 0
                               : p.kind == PreprocessKind::kStandardize ? p.columns.size()
                                                                        : 1;
    if (p.mean.size() != means || p.scale.size() != scales) {
        return "means and scales do not fit the preprocessing";
    }
    if (!std::all_of(p.scale.begin(), p.scale.end(), [](double s) { return s > 0; })) {
        return "a scale must be positive";
    }
    if (p.threshold_start.size() != (thermometer ? p.columns.size() + 1 : 0) ||
        (!thermometer && !p.thresholds.empty())) {
        return "thresholds do not fit the preprocessing";
    }
    return thermometer ? in_thresholds(p) : "";
}

std::string in_shapes(const ModelState& model) {
    const learn::Architecture& architecture = model.architecture;
    if (!architecture.is_whole()) return "a layer does not fit the one below";
    if (model.rule().name != learn::rule_of(model.algorithm(), architecture.is_tree()).name) {
        return "the rule does not fit the architecture";
    }
    if (architecture.inputs != model.preprocessing.inputs()) {
        return "preprocessing and architecture do not agree on the number of inputs";
    }
    const std::size_t classes = model.class_names.size();
    if (architecture.outputs() != (classes == 2 ? 1 : classes)) {
        return "the number of classes does not fit the outputs";
    }
    const auto& layers = model.posterior.layers;
    bool fits = layers.size() == architecture.depth();
    const bool some_trees =
        fits && architecture.is_tree() && layers.back().shape.neurons < architecture.outputs();
    const learn::Architecture held =
        some_trees ? architecture.part({model.posterior.first_tree, layers.back().shape.neurons})
                   : architecture;
    for (std::size_t l = 0; fits && l < layers.size(); ++l) {
        const std::size_t carried = layers[l].carried.size(), weights = layers[l].shape.weights();
        const bool may_carry = l == 0 && !model.rule().carried.empty();
        fits = layers[l].shape == held.layers[l] && layers[l].learned.size() == weights &&
               (carried == 0 || (may_carry && carried == weights));
    }
    return fits ? "" : "the weights do not have the shape that architecture says";
}

std::string in_label_noise(const ModelState& model) {
    const auto& eps = model.label_noise.eps;
    if (model.algorithm() == Algorithm::kBackprop && !eps.empty()) {
        return "label noise is for algorithm mfb";
    }
    if ((model.label_noise.automatic || !eps.empty()) &&
        eps.size() != model.architecture.outputs()) {
        return "output.label_noise does not fit the outputs";
    }
    const auto possible = [](float x) { return x >= 0 && x < 0.5f; };
    return std::all_of(eps.begin(), eps.end(), possible)
               ? ""
               : "a label noise is not from 0 to below 0.5";
}

/// Bits beyond the last weight are 0.
std::string in_polished(const ModelState& model) {
    if (!model.polished) return "";
    bool fits = model.polished->layers.size() == model.architecture.depth();
    for (std::size_t l = 0; fits && l < model.architecture.depth(); ++l) {
        const auto& bytes = model.polished->layers[l];
        const std::size_t weights = model.architecture.layers[l].weights();
        fits = bytes.size() == (weights + 7) / 8 &&
               (weights % 8 == 0 || bytes.back() >> weights % 8 == 0);
    }
    return fits ? "" : "the polished weights do not have the shape that architecture says";
}

std::string in_classes(const ModelState& model) {
    return container::problem_of_classes(model.class_names);
}

/// Categories must be those of the thermometer, and its codes those of the words.
std::string in_words(const ModelState& model) {
    const Preprocessing& p = model.preprocessing;
    const auto& categories = model.columns.categories;
    if (p.categorical.size() != categories.size()) return "categories do not fit the preprocessing";
    if (categories.empty()) return "";
    if (p.kind != PreprocessKind::kThermometer) return "categories need a thermometer";
    for (std::size_t j = 0; j < p.features(); ++j) {
        if (p.holds_words(j) != model.columns.categorical(j)) {
            return "categories do not fit the preprocessing";
        }
        const auto first = p.thresholds.begin() + static_cast<std::ptrdiff_t>(p.threshold_start[j]);
        const auto last =
            p.thresholds.begin() + static_cast<std::ptrdiff_t>(p.threshold_start[j + 1]);
        const auto is_code = [&](double x) {
            return x >= 0 && x < static_cast<double>(categories[j].size()) && x == std::floor(x);
        };
        if (p.holds_words(j) &&
            !(is_code(p.columns.minimum[j]) && is_code(p.columns.maximum[j]) &&
              is_code(p.columns.median[j]) && std::all_of(first, last, is_code))) {
            return "codes of words that are not there";
        }
    }
    return "";
}

std::string in_table(const ModelState& model) {
    return container::problem_of(model.columns, model.preprocessing.features());
}

}  // namespace

std::string problem_of(const ModelState& model) {
    constexpr std::array kQuestions{in_rates,         in_numbers,     in_columns, in_kept,
                                    in_preprocessing, in_classes,     in_table,   in_words,
                                    in_shapes,        in_label_noise, in_polished};
    for (const auto question : kQuestions) {
        if (std::string problem = question(model); !problem.empty()) return problem;
    }
    return "";
}

std::string problem_of(const learn::Posterior& posterior) {
    for (std::size_t l = 0; l < posterior.layers.size(); ++l) {
        const learn::LayerPosterior& layer = posterior.layers[l];
        if (!finite(layer.learned) || !finite(layer.carried)) {
            return fmt::format("layer {} holds a weight that is not finite", l + 1);
        }
        if (std::any_of(layer.carried.begin(), layer.carried.end(),
                        [](float w) { return std::fabs(w) > 1; })) {
            return fmt::format("layer{}.{} holds a mean beyond 1", l + 1, posterior.rule.carried);
        }
    }
    return "";
}

}  // namespace bitbayes::model

#include "learn/add_class.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <span>
#include <vector>

#include "base/text.hpp"
#include "bitbayes/types/error.hpp"
#include "rows/labels.hpp"

namespace bitbayes::learn {

namespace {

Architecture with_outputs(const Architecture& from, std::size_t outputs) {
    Architecture result = from;
    for (std::size_t l = from.shared_layers(); l < result.depth(); ++l) {
        result.layers[l].neurons = from.layers[l].neurons / from.outputs() * outputs;
    }
    return result;
}

void copy_tree(std::span<const float> from, std::span<float> to, bool mirrored) {
    std::transform(from.begin(), from.end(), to.begin(),
                   [&](float value) { return mirrored ? -value : value; });
}

/// The new output gets the mean of the others.
void add_output(std::vector<float>& eps, bool one_tree) {
    if (eps.empty()) return;
    const float mean =
        std::accumulate(eps.begin(), eps.end(), 0.0f) / static_cast<float>(eps.size());
    if (one_tree) eps.push_back(eps[0]);
    eps.push_back(mean);
}

}  // namespace

ModelState with_class(const ModelState& model, const std::string& name) {
    if (ClassIndex(model.class_names).find(name) != ClassIndex::kUnknown) {
        throw Error(ErrorCode::kUsage,
                    fmt::format("name: the model has a class {} already", in_quotes(name)));
    }
    const std::size_t old_trees = model.architecture.outputs();
    const bool one_tree = old_trees == 1;
    ModelState result = model;
    result.polished.reset();
    result.class_names.push_back(name);
    result.architecture = with_outputs(model.architecture, result.classes());
    result.posterior = Posterior(result.architecture, model.algorithm());
    result.posterior.draw_prior(model.seed, model.prior_scale);
    add_output(result.label_noise.eps, one_tree);
    const std::size_t shared = model.architecture.shared_layers();
    for (std::size_t l = 0; l < result.posterior.layers.size(); ++l) {
        const LayerPosterior& from = model.posterior.layers[l];
        LayerPosterior& to = result.posterior.layers[l];
        if (l < shared) {
            to = from;
            continue;
        }
        const std::size_t tree = from.learned.size() / old_trees;
        const bool top = l + 1 == result.posterior.layers.size();
        const auto copy = [&](const std::vector<float>& old, std::vector<float>& fresh) {
            if (one_tree) copy_tree(old, std::span(fresh).first(tree), top);
            copy_tree(old, std::span(fresh).subspan(one_tree ? tree : 0, old.size()), false);
        };
        copy(from.learned, to.learned);
        if (from.carried.empty()) continue;
        to.carried = weight_means(to.learned);
        copy(from.carried, to.carried);
    }
    return result;
}

}  // namespace bitbayes::learn

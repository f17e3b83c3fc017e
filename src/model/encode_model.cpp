#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "bitbayes/bitbayes.hpp"
#include "model/encoding.hpp"
#include "model/model_codec.hpp"
#include "model/model_file.hpp"

namespace bitbayes::model {
namespace {

using nlohmann::json;

json architecture_json(const learn::Architecture& architecture) {
    json layers = json::array();
    for (const auto& layer : architecture.layers) {
        const bool dense = layer.connectivity == learn::Connectivity::kDense;
        layers.push_back({{"neurons", layer.neurons},
                          {"fan_in", layer.fan_in},
                          {"connectivity", dense ? "dense" : "tree"}});
    }
    return {{"inputs", architecture.inputs}, {"layers", layers}};
}

/// What decode_model would refuse is not written in the first place.
void check_finite(const learn::Posterior& posterior) {
    for (std::size_t l = 0; l < posterior.layers.size(); ++l) {
        const auto& learned = posterior.layers[l].learned();
        if (std::all_of(learned.begin(), learned.end(), [](float x) { return std::isfinite(x); }))
            continue;
        throw Error(ErrorCode::kUsage,
                    fmt::format("layer {} has a weight that is not finite: nothing written", l + 1),
                    "train with a smaller --learning-rate or --evidence");
    }
}

}  // namespace

EncodedModel encode_model(const learn::ModelState& model) {
    check_finite(model.posterior);
    const auto& preprocessing = model.preprocessing;
    const bool mfb = model.algorithm() == Algorithm::kMfb;
    EncodedModel out;
    out.metadata = {{"format", "bitbayes"},
                    {"format_version", mfb ? "1" : "2"},
                    {"library_version", version()},
                    {"architecture", architecture_json(model.architecture).dump()},
                    {"preprocess", preprocessing.name()},
                    {"preprocess_reason", preprocessing.reason},
                    {"bias", flag(preprocessing.bias)},
                    {"sparse", flag(preprocessing.sparse)},
                    {"class_names", class_names_json(model.class_names).dump()},
                    {"seed", std::to_string(model.seed)},
                    {"samples_seen", std::to_string(model.samples_seen)},
                    {"evidence", fmt::format("{}", model.evidence)}};
    if (preprocessing.columns.signs) out.metadata["signs"] = flag(true);
    if (!mfb) {
        out.metadata["algorithm"] = learn::algorithm_name(model.algorithm());
        out.metadata["learning_rate"] = fmt::format("{}", model.learning_rate);
    }
    add_vector(out.tensors, "columns.minimum", preprocessing.columns.minimum);
    add_vector(out.tensors, "columns.maximum", preprocessing.columns.maximum);
    add_vector(out.tensors, "columns.median", preprocessing.columns.median);
    add_vector(out.tensors, "preprocess.mean", preprocessing.mean);
    add_vector(out.tensors, "preprocess.scale", preprocessing.scale);
    add_vector(out.tensors, "preprocess.thresholds", preprocessing.thresholds);
    add_vector(out.tensors, "preprocess.threshold_start", preprocessing.threshold_start);
    for (std::size_t l = 0; l < model.posterior.layers.size(); ++l) {
        const auto& layer = model.posterior.layers[l];
        out.tensors.push_back({fmt::format("layer{}.{}", l + 1, mfb ? "h" : "w"),
                               ElementType::kF32,
                               {layer.shape.neurons, layer.shape.fan_in},
                               reinterpret_cast<const std::byte*>(layer.learned().data()),
                               layer.shape.neurons,
                               layer.shape.fan_in * sizeof(float),
                               layer.stride * sizeof(float)});
    }
    add_vector(out.tensors, "columns.integer", preprocessing.columns.integer);
    return out;
}

}  // namespace bitbayes::model

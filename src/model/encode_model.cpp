#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "bitbayes/types/version.hpp"
#include "container/encoding.hpp"
#include "container/table_columns.hpp"
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

container::OutgoingTensor layer_tensor(std::size_t l, std::string_view name,
                                       const learn::LayerShape& shape,
                                       const std::vector<float>& values) {
    return {fmt::format("layer{}.{}", l + 1, name),
            container::ElementType::kF32,
            {shape.neurons, shape.fan_in},
            reinterpret_cast<const std::byte*>(values.data()),
            1,
            values.size() * sizeof(float),
            values.size() * sizeof(float)};
}

}  // namespace

EncodedModel encode_model(const learn::ModelState& model) {
    using container::add_vector;
    using container::flag;
    using container::names_json;
    const auto& preprocessing = model.preprocessing;
    const learn::Rule& rule = model.rule();
    EncodedModel out;
    out.metadata = {{"format", "bitbayes"},
                    {"format_version", std::to_string(kFormatVersion)},
                    {"library_version", version()},
                    {"algorithm", std::string(rule.algorithm_name)},
                    {"rule", std::string(rule.name)},
                    {"architecture", architecture_json(model.architecture).dump()},
                    {"prior_scale", fmt::format("{}", model.prior_scale)},
                    {"evidence", fmt::format("{}", model.evidence)},
                    {"preprocess", preprocessing.name()},
                    {"preprocess_reason", preprocessing.reason},
                    {"bias", flag(preprocessing.bias)},
                    {"sparse", preprocessing.kept ? container::kKept : flag(preprocessing.sparse)},
                    {"class_names", names_json(model.class_names).dump()},
                    {"seed", std::to_string(model.seed)},
                    {"samples_seen", std::to_string(model.samples_seen)}};
    if (preprocessing.columns.signs) out.metadata["signs"] = flag(true);
    container::add_columns(out.metadata, model.columns);
    if (model.algorithm() == Algorithm::kBackprop) {
        out.metadata["learning_rate"] = fmt::format("{}", model.learning_rate);
    }
    if (model.label_noise.automatic) out.metadata["label_noise"] = "auto";
    if (model.memory) out.metadata["memory"] = std::to_string(*model.memory);
    add_vector(out.tensors, "columns.minimum", preprocessing.columns.minimum);
    add_vector(out.tensors, "columns.maximum", preprocessing.columns.maximum);
    add_vector(out.tensors, "columns.median", preprocessing.columns.median);
    add_vector(out.tensors, "preprocess.mean", preprocessing.mean);
    add_vector(out.tensors, "preprocess.scale", preprocessing.scale);
    add_vector(out.tensors, "preprocess.thresholds", preprocessing.thresholds);
    add_vector(out.tensors, "preprocess.threshold_start", preprocessing.threshold_start);
    if (preprocessing.kept) {
        out.metadata["features"] = std::to_string(preprocessing.kept->features);
        add_vector(out.tensors, "columns.index", preprocessing.kept->column);
    }
    for (std::size_t l = 0; l < model.posterior.layers.size(); ++l) {
        const auto& layer = model.posterior.layers[l];
        out.tensors.push_back(layer_tensor(l, rule.learned, layer.shape, layer.learned));
        if (layer.carried.empty()) continue;
        out.tensors.push_back(layer_tensor(l, rule.carried, layer.shape, layer.carried));
    }
    add_vector(out.tensors, "output.label_noise", model.label_noise.eps);
    add_vector(out.tensors, "columns.integer", preprocessing.columns.integer);
    for (std::size_t l = 0; model.polished && l < model.polished->layers.size(); ++l) {
        add_vector(out.tensors, fmt::format("layer{}.polished", l + 1), model.polished->layers[l]);
    }
    return out;
}

}  // namespace bitbayes::model

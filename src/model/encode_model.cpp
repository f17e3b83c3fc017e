#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <span>
#include <utility>

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

/// Weights of all ranks in their order, a piece at a time; `of_rank` is how many each has.
void send_weights(const std::vector<float>& own, const std::vector<std::size_t>& of_rank,
                  dist::Communicator& ranks, const FileSink& sink) {
    constexpr std::size_t kPiece = 1 << 18;
    std::vector<float> piece;
    for (std::size_t r = 0; r < of_rank.size(); ++r) {
        for (std::size_t at = 0; at < of_rank[r]; at += kPiece) {
            const std::size_t count = std::min(kPiece, of_rank[r] - at);
            piece.resize(count);
            if (r == ranks.rank()) std::copy_n(own.data() + at, count, piece.data());
            ranks.collect(r, std::as_writable_bytes(std::span(piece)));
            sink({reinterpret_cast<const char*>(piece.data()), count * sizeof(float)});
        }
    }
}

class LayerTensors {
  public:
    LayerTensors(const learn::ModelState& model, dist::Communicator& ranks)
        : network_(model.architecture), ranks_(ranks) {}

    container::OutgoingTensor tensor(std::size_t l, std::string_view name,
                                     const std::vector<float>& values) const {
        const learn::LayerShape& shape = network_.layers[l];
        const std::size_t bytes = values.size() * sizeof(float);
        auto send = container::rows_in_memory(values.data(), 1, bytes, bytes);
        if (ranks_.several() && network_.is_tree()) {
            send = [&ranks = ranks_, &values, sizes = of_rank(l)](const FileSink& sink) {
                send_weights(values, sizes, ranks, sink);
            };
        }
        return {fmt::format("layer{}.{}", l + 1, name),
                container::ElementType::kF32,
                {shape.neurons, shape.fan_in},
                std::move(send)};
    }

  private:
    std::vector<std::size_t> of_rank(std::size_t l) const {
        std::vector<std::size_t> weights(ranks_.size());
        for (std::size_t r = 0; r < weights.size(); ++r) {
            const Range trees = share_of(network_.outputs(), r, weights.size());
            weights[r] = network_.part(trees).layers[l].weights();
        }
        return weights;
    }

    const learn::Architecture& network_;
    dist::Communicator& ranks_;
};

}  // namespace

EncodedModel encode_model(const learn::ModelState& model, dist::Communicator& ranks) {
    using container::add_vector;
    using container::flag;
    using container::names_json;
    const auto& preprocessing = model.preprocessing;
    const learn::Rule& rule = model.rule();
    EncodedModel out;
    out.metadata = {
        {"format", "bitbayes"},
        {"format_version",
         std::to_string(preprocessing.binary_steps ? kBinaryStepsFormat : kFormatVersion)},
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
    if (preprocessing.binary_steps) out.metadata["quantiser"] = kBinarySteps;
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
    const LayerTensors weights(model, ranks);
    for (std::size_t l = 0; l < model.posterior.layers.size(); ++l) {
        const auto& layer = model.posterior.layers[l];
        out.tensors.push_back(weights.tensor(l, rule.learned, layer.learned));
        if (layer.carried.empty()) continue;
        out.tensors.push_back(weights.tensor(l, rule.carried, layer.carried));
    }
    add_vector(out.tensors, "output.label_noise", model.label_noise.eps);
    add_vector(out.tensors, "columns.integer", preprocessing.columns.integer);
    for (std::size_t l = 0; model.polished && l < model.polished->layers.size(); ++l) {
        add_vector(out.tensors, fmt::format("layer{}.polished", l + 1), model.polished->layers[l]);
    }
    return out;
}

}  // namespace bitbayes::model

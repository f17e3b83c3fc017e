#include <fmt/format.h>

#include <charconv>
#include <cstring>
#include <optional>
#include <string_view>
#include <utility>

#include "bitbayes/types/error.hpp"
#include "container/container_reader.hpp"
#include "container/encoding.hpp"
#include "container/table_columns.hpp"
#include "model/model_codec.hpp"
#include "model/model_file.hpp"
#include "model/problem.hpp"

namespace bitbayes::model {
namespace {

using container::ContainerReader;
using container::ElementType;
using nlohmann::json;

class Decoder : private ContainerReader {
  public:
    using ContainerReader::ContainerReader;

    learn::ModelState model() {
        read_rule();
        learn::ModelState state;
        state.architecture = architecture();
        state.preprocessing = preprocessing();
        state.columns = container::read_columns(*this, state.preprocessing.features());
        if (state.preprocessing.kept) state.columns.kept = state.preprocessing.kept->column;
        mark_words(state.columns, state.preprocessing);
        state.class_names = class_names();
        state.seed = number<std::uint64_t>("seed");
        state.samples_seen = number<std::uint64_t>("samples_seen");
        state.evidence = number<double>("evidence");
        if (version_ >= 3) state.prior_scale = number<double>("prior_scale");
        if (rule_.algorithm == Algorithm::kBackprop) {
            state.learning_rate = number<double>("learning_rate");
        }
        state.label_noise.automatic = has("label_noise") && text("label_noise") == "auto";
        state.label_noise.eps = vector<float>("output.label_noise", ElementType::kF32);
        if (has("memory")) state.memory = number<std::uint64_t>("memory");
        state.polished = polished(state.architecture.depth());
        state.posterior = posterior(state.architecture);
        refuse(problem_of(state));
        refuse(problem_of(state.posterior));
        return state;
    }

  private:
    /// Format 1 was MFB, format 2 BackProp; since format 3 the file names its algorithm.
    void read_rule() {
        version_ = format_version("bitbayes", "model", kBinaryStepsFormat);
        require(version_ != kMembersFormat, "several members, where one model is expected");
        if (version_ == 1) return;
        for (const learn::Rule& rule : learn::kRules) {
            const bool named = version_ == 2 || text("rule") == rule.name;
            if (!named || text("algorithm") != rule.algorithm_name) continue;
            require(version_ > 2 || rule.algorithm == Algorithm::kBackprop, "unknown algorithm");
            rule_ = rule;
            return;
        }
        fail("unknown algorithm or rule");
    }

    void refuse(const std::string& problem) const { require(problem.empty(), problem); }

    learn::LayerShape layer_shape(const json& layer) const {
        require(layer.is_object() && layer.contains("neurons") && layer.contains("fan_in") &&
                    layer.contains("connectivity") && layer["neurons"].is_number_unsigned() &&
                    layer["fan_in"].is_number_unsigned() && layer["neurons"] > 0 &&
                    layer["fan_in"] > 0,
                "a layer needs neurons, fan_in and connectivity");
        const json& connectivity = layer["connectivity"];
        require(connectivity == "dense" || connectivity == "tree", "unknown connectivity");
        return {layer["neurons"], layer["fan_in"],
                connectivity == "dense" ? learn::Connectivity::kDense : learn::Connectivity::kTree};
    }

    learn::Architecture architecture() const {
        const json parsed = json_of("architecture", 3);
        require(parsed.is_object() && parsed.contains("inputs") && parsed.contains("layers") &&
                    parsed["inputs"].is_number_unsigned() && parsed["layers"].is_array() &&
                    !parsed["layers"].empty(),
                "architecture needs inputs and layers");
        learn::Architecture result{parsed["inputs"], {}};
        for (const json& entry : parsed["layers"]) {
            const auto layer = layer_shape(entry);
            const auto stored = tensor(layer_name(result.depth()), ElementType::kF32);
            require(stored.shape == std::vector<std::uint64_t>{layer.neurons, layer.fan_in},
                    "the weights do not have the shape that architecture says");
            result.layers.push_back(layer);
        }
        require(result.is_whole(), "a layer does not fit the one below");
        return result;
    }

    std::string layer_name(std::size_t l) const {
        return fmt::format("layer{}.{}", l + 1, rule_.learned);
    }

    data::ColumnStats column_stats() const {
        data::ColumnStats columns;
        columns.minimum = vector<double>("columns.minimum", ElementType::kF64);
        columns.maximum = vector<double>("columns.maximum", ElementType::kF64);
        columns.median = vector<double>("columns.median", ElementType::kF64);
        columns.integer = vector<std::uint8_t>("columns.integer", ElementType::kU8);
        columns.signs = has("signs") && flag("signs");
        return columns;
    }

    void read_preprocess_name(data::Preprocessing& out) const {
        using data::PreprocessKind;
        const std::string& choice = text("preprocess");
        const std::string thermometer = "thermometer:";
        if (choice.starts_with(thermometer)) {
            const char* end = choice.data() + choice.size();
            out.kind = PreprocessKind::kThermometer;
            const auto read = std::from_chars(choice.data() + thermometer.size(), end, out.levels);
            require(read.ec == std::errc{} && read.ptr == end && out.levels > 0,
                    "unknown preprocessing");
        } else {
            require(choice == "none" || choice == "center" || choice == "standardize",
                    "unknown preprocessing");
            out.kind = choice == "none"     ? PreprocessKind::kNone
                       : choice == "center" ? PreprocessKind::kCenter
                                            : PreprocessKind::kStandardize;
        }
    }

    data::Preprocessing preprocessing() const {
        data::Preprocessing out;
        read_preprocess_name(out);
        const bool kept = text("sparse") == container::kKept;
        out.sparse = kept || flag("sparse");
        out.bias = flag("bias");
        out.reason = text("preprocess_reason");
        out.columns = column_stats();
        if (kept) out.kept = kept_part();
        out.mean = vector<double>("preprocess.mean", ElementType::kF64);
        out.scale = vector<double>("preprocess.scale", ElementType::kF64);
        out.thresholds = vector<double>("preprocess.thresholds", ElementType::kF64);
        out.threshold_start =
            vector<std::uint64_t>("preprocess.threshold_start", ElementType::kI64);
        out.binary_steps = version_ >= kBinaryStepsFormat;
        require(!out.binary_steps || text("quantiser") == kBinarySteps, "unknown quantiser");
        return out;
    }

    data::Preprocessing::Kept kept_part() const {
        const auto features = number<std::uint32_t>("features");
        return {vector<std::uint32_t>("columns.index", ElementType::kI32), features};
    }

    static void mark_words(const TableColumns& columns, data::Preprocessing& p) {
        for (const auto& words : columns.categories) p.categorical.push_back(!words.empty());
    }

    std::vector<float> weights(const std::string& name, const learn::LayerShape& shape) const {
        const auto view = tensor(name, ElementType::kF32);
        require(view.shape == std::vector<std::uint64_t>{shape.neurons, shape.fan_in},
                "the weights do not have the shape that architecture says");
        std::vector<float> values(shape.weights());
        std::memcpy(values.data(), view.bytes.data(), view.bytes.size());
        return values;
    }

    learn::Posterior posterior(const learn::Architecture& shapes) const {
        learn::Posterior result;
        result.rule = rule_;
        for (std::size_t l = 0; l < shapes.depth(); ++l) {
            learn::LayerPosterior& layer = result.layers.emplace_back();
            layer.shape = shapes.layers[l];
            layer.learned = weights(layer_name(l), layer.shape);
        }
        const std::string carried = fmt::format("layer1.{}", rule_.carried);
        if (rule_.carried.empty() || !has_tensor(carried)) return result;
        learn::LayerPosterior& first = result.layers.front();
        first.carried = weights(carried, first.shape);
        return result;
    }

    std::optional<learn::SignPattern> polished(std::size_t depth) const {
        learn::SignPattern pattern;
        bool any = false;
        for (std::size_t l = 0; l < depth; ++l) {
            const std::string name = fmt::format("layer{}.polished", l + 1);
            any = any || has_tensor(name);
            pattern.layers.push_back(vector<std::uint8_t>(name, ElementType::kU8));
        }
        return any ? std::optional(std::move(pattern)) : std::nullopt;
    }

    int version_ = 0;
    learn::Rule rule_ = learn::kMfbTree;
};

}  // namespace

int model_format(const container::Container& file, const std::string& name) {
    return ContainerReader(file, name).format_version("bitbayes", "model", kBinaryStepsFormat);
}

learn::ModelState decode_model(const container::Container& file, const std::string& name) {
    return Decoder(file, name).model();
}

}  // namespace bitbayes::model

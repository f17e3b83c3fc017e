#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <functional>
#include <set>
#include <string_view>

#include "bitbayes/types/error.hpp"
#include "container/container_reader.hpp"
#include "container/encoding.hpp"
#include "container/table_columns.hpp"
#include "model/model_codec.hpp"
#include "model/model_file.hpp"

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
        state.class_names = class_names();
        state.columns = container::read_columns(*this, state.preprocessing.features());
        if (state.preprocessing.kept) state.columns.kept = state.preprocessing.kept->column;
        state.seed = number<std::uint64_t>("seed");
        state.samples_seen = number<std::uint64_t>("samples_seen");
        state.evidence = positive("evidence");
        if (version_ >= 3) state.prior_scale = positive("prior_scale");
        if (rule_.algorithm == Algorithm::kBackprop)
            state.learning_rate = positive("learning_rate");
        require(state.architecture.inputs == state.preprocessing.inputs(),
                "preprocessing and architecture do not agree on the number of inputs");
        const std::size_t classes = state.class_names.size();
        require(state.architecture.outputs() == (classes == 2 ? 1 : classes),
                "the number of classes does not fit the outputs");
        state.posterior = posterior(state.architecture);
        return state;
    }

  private:
    /// Format 1 was MFB, format 2 BackProp; since format 3 the file names its algorithm.
    void read_rule() {
        version_ = format_version("bitbayes", "model", kFormatVersion);
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

    double positive(const std::string& key) const {
        const auto value = number<double>(key);
        require(std::isfinite(value) && value > 0, fmt::format("{} must be positive", key));
        return value;
    }

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
        std::size_t below = result.inputs;
        for (const json& entry : parsed["layers"]) {
            const auto layer = layer_shape(entry);
            const auto stored = tensor(layer_name(result.depth()), ElementType::kF32);
            require(stored.shape == std::vector<std::uint64_t>{layer.neurons, layer.fan_in},
                    "the weights do not have the shape that architecture says");
            const bool dense = layer.connectivity == learn::Connectivity::kDense;
            require((dense ? layer.fan_in : layer.weights()) == below,
                    "a layer does not fit the one below");
            below = layer.neurons;
            result.layers.push_back(layer);
        }
        require(result.is_tree(), "the first layer must be dense and all others trees");
        return result;
    }

    std::string layer_name(std::size_t l) const {
        return fmt::format("layer{}.{}", l + 1, rule_.learned);
    }

    data::ColumnStats column_stats() const {
        data::ColumnStats columns;
        columns.minimum = reals("columns.minimum");
        columns.maximum = reals("columns.maximum");
        columns.median = reals("columns.median");
        columns.integer = vector<std::uint8_t>("columns.integer", ElementType::kU8);
        columns.signs = has("signs") && flag("signs");
        const std::size_t features = columns.integer.size();
        require(columns.minimum.size() == features && columns.maximum.size() == features &&
                    columns.median.size() == features,
                "the tensors of columns differ in length");
        for (std::size_t j = 0; j < features; ++j) {
            if (columns.integer[j] > 1 || columns.minimum[j] > columns.maximum[j]) {
                fail(fmt::format("column {} is described wrongly", j));
            }
            const bool signs = columns.minimum[j] == -1 && columns.maximum[j] == 1;
            require(!columns.signs || columns.constant(j) || signs,
                    "signs, but a column holds other values");
        }
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
        if (kept) out.kept = kept_part(out.columns.size());
        out.mean = reals("preprocess.mean");
        out.scale = reals("preprocess.scale");
        out.thresholds = reals("preprocess.thresholds");
        out.threshold_start =
            vector<std::uint64_t>("preprocess.threshold_start", ElementType::kI64);
        check_preprocessing(out);
        return out;
    }

    data::Preprocessing::Kept kept_part(std::size_t columns) const {
        const auto features = number<std::uint32_t>("features");
        data::Preprocessing::Kept kept{kept_columns("columns.index", features), features};
        require(kept.column.size() == columns, "columns.index does not fit the columns");
        return kept;
    }

    void check_preprocessing(const data::Preprocessing& p) const {
        using data::PreprocessKind;
        const bool none = p.kind == PreprocessKind::kNone;
        const bool thermometer = p.kind == PreprocessKind::kThermometer;
        require(!p.sparse || none, "sparse inputs need preprocessing none");
        const std::size_t means = none ? 0 : thermometer ? p.thresholds.size() : p.columns.size();
        const std::size_t scales = none                                     ? 0
                                   : p.kind == PreprocessKind::kStandardize ? p.columns.size()
                                                                            : 1;
        require(p.mean.size() == means && p.scale.size() == scales,
                "means and scales do not fit the preprocessing");
        require(std::all_of(p.scale.begin(), p.scale.end(), [](double s) { return s > 0; }),
                "a scale must be positive");
        require(p.threshold_start.size() == (thermometer ? p.columns.size() + 1 : 0) &&
                    (thermometer || p.thresholds.empty()),
                "thresholds do not fit the preprocessing");
        if (thermometer) check_thresholds(p);
    }

    void check_thresholds(const data::Preprocessing& p) const {
        const auto& start = p.threshold_start;
        require(start.front() == 0 && start.back() == p.thresholds.size() &&
                    std::is_sorted(start.begin(), start.end()),
                "the thresholds of the columns are mixed up");
        for (std::size_t j = 0; j + 1 < start.size(); ++j) {
            const auto first = p.thresholds.begin() + static_cast<std::ptrdiff_t>(start[j]);
            const auto last = p.thresholds.begin() + static_cast<std::ptrdiff_t>(start[j + 1]);
            if (start[j + 1] - start[j] > p.levels ||
                std::adjacent_find(first, last, std::greater_equal<>{}) != last) {
                fail(fmt::format("the thresholds of column {} are not ascending", j));
            }
        }
    }

    /// All finite.
    std::vector<float> weights(const std::string& name, std::size_t l,
                               const learn::LayerShape& shape) const {
        const auto view = tensor(name, ElementType::kF32);
        require(view.shape == std::vector<std::uint64_t>{shape.neurons, shape.fan_in},
                "the weights do not have the shape that architecture says");
        std::vector<float> values(shape.weights());
        std::memcpy(values.data(), view.bytes.data(), view.bytes.size());
        require(std::all_of(values.begin(), values.end(), [](float x) { return std::isfinite(x); }),
                fmt::format("layer {} holds a weight that is not finite", l + 1));
        return values;
    }

    learn::Posterior posterior(const learn::Architecture& shapes) const {
        learn::Posterior result;
        result.rule = rule_;
        for (std::size_t l = 0; l < shapes.depth(); ++l) {
            learn::LayerPosterior& layer = result.layers.emplace_back();
            layer.shape = shapes.layers[l];
            layer.learned = weights(layer_name(l), l, layer.shape);
        }
        const std::string carried = fmt::format("layer1.{}", rule_.carried);
        if (rule_.carried.empty() || !has_tensor(carried)) return result;
        learn::LayerPosterior& first = result.layers.front();
        first.carried = weights(carried, 0, first.shape);
        require(std::all_of(first.carried.begin(), first.carried.end(),
                            [](float w) { return std::fabs(w) <= 1; }),
                fmt::format("{} holds a mean beyond 1", carried));
        return result;
    }

    int version_ = 0;
    learn::Rule rule_ = learn::kMfbTree;
};

}  // namespace

learn::ModelState decode_model(const container::Container& file, const std::string& name) {
    return Decoder(file, name).model();
}

}  // namespace bitbayes::model

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <functional>
#include <set>
#include <string_view>

#include "bitbayes/error.hpp"
#include "model/container_reader.hpp"
#include "model/model_codec.hpp"
#include "model/model_file.hpp"

namespace bitbayes::model {
namespace {

using nlohmann::json;

class Decoder : private ContainerReader {
  public:
    using ContainerReader::ContainerReader;

    learn::ModelState model() {
        check_format();
        learn::ModelState state;
        state.architecture = architecture();
        state.preprocessing = preprocessing();
        state.class_names = class_names();
        state.seed = number<std::uint64_t>("seed");
        state.samples_seen = number<std::uint64_t>("samples_seen");
        state.evidence = number<double>("evidence");
        require(std::isfinite(state.evidence) && state.evidence > 0, "evidence must be positive");
        if (algorithm_ == Algorithm::kBackprop) {
            state.learning_rate = number<double>("learning_rate");
            require(std::isfinite(state.learning_rate) && state.learning_rate > 0,
                    "learning_rate must be positive");
        }
        require(state.architecture.inputs == state.preprocessing.inputs(),
                "preprocessing and architecture do not agree on the number of inputs");
        const std::size_t classes = state.class_names.size();
        require(state.architecture.outputs() == (classes == 2 ? 1 : classes),
                "the number of classes does not fit the outputs");
        state.posterior = posterior(state.architecture);
        return state;
    }

  private:
    void check_format() {
        const int version = format_version("bitbayes", "model", kFormatVersion);
        if (version == 1) return;
        require(text("algorithm") == "backprop", "unknown algorithm");
        algorithm_ = Algorithm::kBackprop;
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
            const auto weights = tensor(layer_name(result.depth()), ElementType::kF32);
            require(weights.shape == std::vector<std::uint64_t>{layer.neurons, layer.fan_in},
                    "the weights do not have the shape that architecture says");
            const bool first = result.layers.empty();
            require((layer.connectivity == learn::Connectivity::kDense) == first,
                    "the first layer must be dense and all others trees");
            require((first ? layer.fan_in : layer.weights()) == below,
                    "a layer does not fit the one below");
            below = layer.neurons;
            result.layers.push_back(layer);
        }
        return result;
    }

    std::string layer_name(std::size_t l) const {
        return fmt::format("layer{}.{}", l + 1, algorithm_ == Algorithm::kMfb ? "h" : "w");
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
        out.sparse = flag("sparse");
        out.bias = flag("bias");
        out.reason = text("preprocess_reason");
        out.columns = column_stats();
        out.mean = reals("preprocess.mean");
        out.scale = reals("preprocess.scale");
        out.thresholds = reals("preprocess.thresholds");
        out.threshold_start =
            vector<std::uint64_t>("preprocess.threshold_start", ElementType::kI64);
        check_preprocessing(out);
        return out;
    }

    void check_preprocessing(const data::Preprocessing& p) const {
        using data::PreprocessKind;
        const bool none = p.kind == PreprocessKind::kNone;
        const bool thermometer = p.kind == PreprocessKind::kThermometer;
        require(!p.sparse || none, "sparse inputs need preprocessing none");
        const std::size_t means = none ? 0 : thermometer ? p.thresholds.size() : p.features();
        const std::size_t scales = none                                     ? 0
                                   : p.kind == PreprocessKind::kStandardize ? p.features()
                                                                            : 1;
        require(p.mean.size() == means && p.scale.size() == scales,
                "means and scales do not fit the preprocessing");
        require(std::all_of(p.scale.begin(), p.scale.end(), [](double s) { return s > 0; }),
                "a scale must be positive");
        require(p.threshold_start.size() == (thermometer ? p.features() + 1 : 0) &&
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

    learn::Posterior posterior(const learn::Architecture& shapes) const {
        learn::Posterior result(shapes, algorithm_);
        for (std::size_t l = 0; l < shapes.depth(); ++l) {
            const char* source = tensor(layer_name(l), ElementType::kF32).bytes.data();
            for (std::size_t i = 0; i < shapes.layers[l].neurons; ++i) {
                const auto row = result.layers[l].row(i);
                std::memcpy(row.data(), source, row.size_bytes());
                source += row.size_bytes();
                require(
                    std::all_of(row.begin(), row.end(), [](float h) { return std::isfinite(h); }),
                    fmt::format("layer {} holds a weight that is not finite", l + 1));
            }
        }
        result.refresh_means();
        return result;
    }

    Algorithm algorithm_ = Algorithm::kMfb;
};

}  // namespace

learn::ModelState decode_model(const Container& container, const std::string& name) {
    return Decoder(container, name).model();
}

}  // namespace bitbayes::model

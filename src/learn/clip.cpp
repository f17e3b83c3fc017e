#include "learn/clip.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <iterator>
#include <limits>

namespace bitbayes::learn {
namespace {

using data::Preprocessing;
using data::PreprocessKind;

constexpr double kLowest = std::numeric_limits<std::int16_t>::min();
constexpr double kHighest = std::numeric_limits<std::int16_t>::max();
constexpr double kColumnSteps = kHighest - kLowest;

std::int16_t to_int16(double v) {
    return static_cast<std::int16_t>(std::clamp(std::round(v), kLowest, kHighest));
}

bool fits_as_it_is(const data::ColumnStats& columns, std::size_t j) {
    return columns.integer[j] && columns.minimum[j] >= kLowest && columns.maximum[j] <= kHighest;
}

/// The largest |u_j| of the training rows goes to the largest int16.
double common_step(const Preprocessing& p) {
    double largest = 0;
    for (std::size_t j = 0; j < p.features(); ++j) {
        if (p.columns.constant(j)) continue;
        largest = std::max({largest, std::fabs(p.scaled(j, p.columns.minimum[j])),
                            std::fabs(p.scaled(j, p.columns.maximum[j]))});
    }
    return std::max(largest / kHighest, std::numeric_limits<double>::min());
}

/// The weights of one neuron of layer 1 and what its inputs stand for: u_j = (unit x_j - mean_j) /
/// scale, mean empty: 0. `constant_weight` is 0 without a constant.
struct Fold {
    std::span<const std::int8_t> weight;
    std::span<const double> mean;
    double scale = 1;
    double unit = 1;
    int constant_weight = 0;
};

/// sum_j W_j u_j + W_c >= 0  iff  sum_j W_j x_j >= t = ceil((sum_j W_j m_j - W_c s) / unit)
std::int64_t fold_threshold(const Fold& fold) {
    constexpr double kLimit = 0x1p60;  // beyond every sum of inputs
    double sum = 0;
    for (std::size_t j = 0; j < fold.mean.size(); ++j) sum += fold.weight[j] * fold.mean[j];
    const double t = std::ceil((sum - fold.constant_weight * fold.scale) / fold.unit);
    return static_cast<std::int64_t>(std::clamp(t, -kLimit, kLimit));
}

std::int8_t clipped(float h) { return h >= 0 ? 1 : -1; }

/// Means of the integer inputs; those of constant columns, which are always 0, are 0.
std::vector<double> input_means(const IntegerInputs& inputs) {
    const Preprocessing& p = *inputs.preprocessing;
    if (!inputs.raw || p.kind == PreprocessKind::kNone) return {};
    std::vector<double> mean = p.mean;
    if (p.kind == PreprocessKind::kCenter) {
        for (std::size_t j = 0; j < mean.size(); ++j) {
            if (p.columns.constant(j)) mean[j] = 0;
        }
    }
    return mean;
}

/// Neurons first .. first + count - 1 of a layer.
struct NeuronRange {
    std::size_t first, count;
};

packed::IntegerLayer clip_layer(const LayerPosterior& layer, NeuronRange range,
                                std::size_t fan_in) {
    packed::IntegerLayer out;
    out.neurons = range.count;
    out.fan_in = fan_in;
    out.reads_all = layer.shape.connectivity == Connectivity::kDense;
    out.weight.reserve(out.neurons * fan_in);
    for (std::size_t i = 0; i < out.neurons; ++i) {
        const auto h = layer.row(range.first + i).first(fan_in);
        std::transform(h.begin(), h.end(), std::back_inserter(out.weight), clipped);
    }
    return out;
}

packed::IntegerLayer clip_first_layer(const LayerPosterior& layer, NeuronRange range,
                                      const IntegerInputs& inputs) {
    const Preprocessing& p = *inputs.preprocessing;
    assert(layer.shape.connectivity == Connectivity::kDense && layer.shape.fan_in == p.inputs());
    packed::IntegerLayer out = clip_layer(layer, range, inputs.inputs());
    const auto mean = input_means(inputs);
    Fold fold;
    fold.mean = mean;
    if (inputs.raw && !p.scale.empty()) fold.scale = p.scale[0];
    if (!inputs.raw) fold.unit = inputs.step;
    for (std::size_t i = 0; i < out.neurons; ++i) {
        fold.weight = std::span(out.weight).subspan(i * out.fan_in, out.fan_in);
        if (p.bias) fold.constant_weight = clipped(layer.row(range.first + i).back());
        out.threshold.push_back(fold_threshold(fold));
    }
    return out;
}

packed::IntegerNetwork clip_network(const ModelState& model, TreeRange trees,
                                    const IntegerInputs& inputs) {
    packed::IntegerNetwork network;
    const auto& layers = model.posterior.layers;
    for (std::size_t l = 0; l < layers.size(); ++l) {
        const std::size_t per_tree = layers[l].shape.neurons / model.architecture.outputs();
        const NeuronRange range{trees.first * per_tree, trees.count * per_tree};
        network.layers.push_back(l == 0 ? clip_first_layer(layers[l], range, inputs)
                                        : clip_layer(layers[l], range, layers[l].shape.fan_in));
    }
    return network;
}

}  // namespace

IntegerInputs::IntegerInputs(const data::Preprocessing& p) : preprocessing(&p) {
    const std::size_t n = p.features();
    if (p.kind == PreprocessKind::kThermometer) {
        for (std::size_t j = 0; j < n; ++j) quantise_column(j);
        return;
    }
    raw = p.kind != PreprocessKind::kStandardize;
    for (std::size_t j = 0; j < n; ++j) {
        raw = raw && (p.columns.constant(j) || fits_as_it_is(p.columns, j));
    }
    if (!raw) step = common_step(p);
}

void IntegerInputs::quantise_column(std::size_t j) {
    const Preprocessing& p = *preprocessing;
    const auto thresholds =
        std::span(p.thresholds)
            .subspan(p.threshold_start[j], p.threshold_start[j + 1] - p.threshold_start[j]);
    column_step.push_back(1);
    origin.push_back(0);
    if (!thresholds.empty() && !fits_as_it_is(p.columns, j)) {
        const bool one = thresholds.size() == 1;
        const double low = one ? p.columns.minimum[j] : thresholds.front();
        const double high = one ? p.columns.maximum[j] : thresholds.back();
        // The thresholds stay one step inside, so that values beyond them saturate on the right side.
        const double width = high / (kColumnSteps - 2) - low / (kColumnSteps - 2);
        column_step[j] = std::max(width, std::numeric_limits<double>::min());
        origin[j] = low - (kLowest + 1) * column_step[j];
    }
    for (const double threshold : thresholds) {
        integer_threshold.push_back(to_int16((threshold - origin[j]) / column_step[j]));
    }
}

std::size_t IntegerInputs::inputs() const {
    return preprocessing->inputs() - (preprocessing->bias ? 1 : 0);
}

std::int16_t IntegerInputs::single(std::size_t column, double value) const {
    const data::Preprocessing& p = *preprocessing;
    if (p.columns.constant(column)) return 0;
    const double x = std::isnan(value) ? p.columns.median[column] : value;
    return to_int16(raw ? x : p.scaled(column, x) / step);
}

void IntegerInputs::dense(std::span<const double> row, std::span<std::int16_t> out) const {
    const data::Preprocessing& p = *preprocessing;
    for (std::size_t j = 0; j < row.size(); ++j) {
        if (p.kind != PreprocessKind::kThermometer) {
            out[j] = single(j, row[j]);
            continue;
        }
        const double x = std::isnan(row[j]) ? p.columns.median[j] : row[j];
        const std::int16_t q = to_int16((x - origin[j]) / column_step[j]);
        for (std::size_t k = p.threshold_start[j]; k < p.threshold_start[j + 1]; ++k) {
            out[k] = q > integer_threshold[k] ? 1 : -1;
        }
    }
}

ClippedNetwork::ClippedNetwork(const ModelState& model)
    : ClippedNetwork(model, {0, model.architecture.outputs()}) {}

ClippedNetwork::ClippedNetwork(const ModelState& model, TreeRange trees)
    : inputs_(model.preprocessing),
      network_(clip_network(model, trees, inputs_)),
      inference_(network_) {}

std::vector<std::int64_t> ClippedNetwork::scores(const Dataset& data, std::size_t row) const {
    const Preprocessing& p = *inputs_.preprocessing;
    if (p.sparse && data.sparse()) {
        const auto& rows = std::get<SparseRows>(data.values);
        std::vector<packed::Entry> entries;
        for (std::size_t e = rows.row_start[row]; e < rows.row_start[row + 1]; ++e) {
            if (rows.column[e] >= p.features()) continue;
            entries.push_back({rows.column[e], inputs_.single(rows.column[e], rows.value[e])});
        }
        return inference_.scores(entries);
    }
    std::vector<double> values(p.features());
    data::dense_row(data, row, values);
    std::vector<std::int16_t> x(inputs_.inputs());
    inputs_.dense(values, x);
    return inference_.scores(x);
}

}  // namespace bitbayes::learn

//   I_j ~ sum over outputs and rows of (nu_L(row) - nu_L(row with column j of the next row))^2
// nu_L = 2 Phi(mu_L / sigma_L) - 1 is the mean of an output over the posterior (BackProp: its value).
//
// The rows are made up, since a model does not keep its training data: columns are drawn one by one,
// as if independent. A thermometer column is drawn from the frequencies of its levels, or of its
// words, which are stored. Of another column minimum, maximum and mean are known (without preprocessing the median in
// its place): x = minimum + (maximum - minimum) t^a with a uniform t, a such that the mean is right;
// a column of two neighbouring whole numbers has exactly these. A standardized column is uniform with
// its mean and deviation.
#include "learn/importance.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>

#include "base/philox.hpp"

namespace bitbayes::learn {

namespace {

using data::Preprocessing;
using data::PreprocessKind;

/// A value of a column at quantile t in (0, 1).
double value_at(const Preprocessing& p, std::size_t j, double t) {
    const double low = p.columns.minimum[j], high = p.columns.maximum[j];
    if (p.columns.constant(j)) return low;
    if (p.holds_words(j)) {
        std::size_t k = p.threshold_start[j];
        while (k + 1 < p.threshold_start[j + 1] && (t -= (1 + p.mean[k]) / 2) > 0) ++k;
        return p.thresholds[k];
    }
    if (p.kind == PreprocessKind::kThermometer) {
        std::size_t k = p.threshold_start[j];
        while (k < p.threshold_start[j + 1] && (1 + p.mean[k]) / 2 > t) ++k;
        return k == p.threshold_start[j + 1] ? high : p.thresholds[k];
    }
    if (p.kind == PreprocessKind::kStandardize) {
        return p.mean[j] + std::sqrt(3.0) * p.scale[j] * (2 * t - 1);
    }
    const bool mean_known = p.kind == PreprocessKind::kCenter;
    constexpr double kRarest =
        1.0 / 64;  // a median at the minimum says no more than "rarely above"
    const double at = ((mean_known ? p.mean[j] : p.columns.median[j]) - low) / (high - low);
    const double part = std::clamp(at, kRarest, 1 - kRarest);
    if (p.columns.signs || (p.columns.integer[j] && high - low == 1)) return t < part ? high : low;
    const auto power = [&](double x, double share) {
        return std::pow(x, mean_known ? 1 / share - 1 : -std::log2(share));
    };
    return part <= 0.5 ? low + (high - low) * power(t, part)
                       : high - (high - low) * power(1 - t, 1 - part);
}

/// Rows of made-up columns, rows x columns, every column spread evenly over its quantiles.
std::vector<double> made_up_columns(const Preprocessing& p, std::size_t rows) {
    const std::size_t columns = p.columns.size();
    std::vector<double> raw(rows * columns);
    for (std::size_t j = 0; j < columns; ++j) {
        const Philox random(1, Purpose::kImportance, static_cast<std::uint32_t>(j));
        const auto order = random.permutation(rows);
        for (std::size_t r = 0; r < rows; ++r) {
            const double t = (order[r] + 0.5) / static_cast<double>(rows);
            raw[r * columns + j] = value_at(p, j, t);
        }
    }
    return raw;
}

/// The same as inputs, rows x inputs.
std::vector<double> made_up_inputs(const Preprocessing& p, std::size_t rows) {
    const auto raw = made_up_columns(p, rows);
    std::vector<double> inputs(rows * p.inputs(), 0);
    if (p.sparse) {  // inputs are the columns as they are, then the constant
        const std::size_t columns = p.columns.size();
        for (std::size_t r = 0; r < rows; ++r) {
            std::copy_n(&raw[r * columns], columns, &inputs[r * p.inputs()]);
            if (p.bias) inputs[(r + 1) * p.inputs() - 1] = 1;
        }
        return inputs;
    }
    std::vector<std::size_t> all(rows);
    std::iota(all.begin(), all.end(), std::size_t{0});
    data::InputBlock block;
    p.apply(Rows(raw, p.features()), all, block);
    const auto live = p.live_inputs();
    for (std::size_t r = 0; r < rows; ++r) {
        for (std::size_t k = 0; k < live.size(); ++k) {
            inputs[r * p.inputs() + live[k]] = block.value[r * block.stride + k];
        }
    }
    return inputs;
}

/// The network is computed in parts that share nothing: output by output if all are trees.
std::size_t parts_of(const Architecture& architecture) {
    return architecture.is_tree() ? architecture.outputs() : 1;
}

/// One part of the network on rows of inputs.
class Part {
  public:
    Part(const ModelState& model, const std::vector<double>& inputs, std::size_t rows,
         std::size_t part)
        : model_(model), inputs_(inputs), rows_(rows) {
        for (std::size_t l = 0; l < model.architecture.depth(); ++l) {
            const auto& learned = model.posterior.layers[l].learned;
            const std::size_t count = learned.size() / parts_of(model.architecture);
            const auto own = std::span(learned).subspan(part * count, count);
            w_.push_back(real() ? std::vector<float>(own.begin(), own.end()) : weight_means(own));
        }
        const std::size_t fan_in = model.architecture.inputs;
        fields_.resize(w_[0].size() / fan_in * rows);
        for (std::size_t at = 0; at < fields_.size(); ++at) {
            add(fields_[at], at / rows, &inputs[at % rows * fan_in], {0, fan_in}, 1);
        }
    }

    /// The outputs of a row, `column` replaced by that of another row.
    const std::vector<double>& outputs(std::size_t row, InputRange column, std::size_t other) {
        const std::size_t fan_in = model_.architecture.inputs;
        nu_.resize(fields_.size() / rows_);
        for (std::size_t i = 0; i < nu_.size(); ++i) {
            Field field = fields_[i * rows_ + row];
            add(field, i, &inputs_[row * fan_in], column, -1);
            add(field, i, &inputs_[other * fan_in], column, 1);
            nu_[i] = answer(field);
        }
        for (std::size_t l = 1; l < w_.size(); ++l) climb(l);
        return nu_;
    }

  private:
    struct Field {
        double S = 0, T = 0;
    };

    bool real() const { return !model_.rule().has_posterior; }

    void add(Field& field, std::size_t neuron, const double* u, InputRange range,
             double sign) const {
        const float* w = &w_[0][neuron * model_.architecture.inputs];
        for (std::size_t k = range.first; k < range.first + range.count; ++k) {
            field.S += sign * w[k] * u[k];
            field.T += sign * u[k] * u[k] * (1 - double{w[k]} * w[k]);
        }
    }

    double answer(const Field& field) const {
        if (real()) return 1.7159 * std::tanh(field.S * 2 / 3);
        constexpr double kFloor = 1e-12;
        return std::erf(field.S / std::sqrt(2 * std::max(field.T, kFloor)));
    }

    /// From the answers of layer l - 1 to those of layer l.
    void climb(std::size_t l) {
        const LayerShape& shape = model_.architecture.layers[l];
        const std::size_t K = shape.fan_in;
        const bool dense = shape.connectivity == Connectivity::kDense;
        if (dense) nu_.push_back(1);  // the constant
        above_.resize(w_[l].size() / K);
        for (std::size_t i = 0; i < above_.size(); ++i) {
            const float* w = &w_[l][i * K];
            const double* nu = &nu_[dense ? 0 : i * K];
            Field field;
            for (std::size_t j = 0; j < K; ++j) {
                const double part = w[j] * nu[j];
                field.S += part;
                field.T += 1 - part * part;
            }
            above_[i] = answer(field);
        }
        nu_.swap(above_);
    }

    const ModelState& model_;
    const std::vector<double>& inputs_;
    std::size_t rows_;
    std::vector<std::vector<float>> w_;  // per layer, of this part
    std::vector<Field> fields_;          // of layer 1, neurons x rows
    std::vector<double> nu_, above_;
};

/// Rows enough for a stable order of the columns, within a few seconds of work.
std::size_t rows_for(const ModelState& model) {
    constexpr std::size_t kWork = std::size_t{1} << 26;
    const LayerShape& first = model.architecture.layers.front();
    const std::size_t above = model.architecture.weights() - first.weights();
    const std::size_t per_row = std::max(first.neurons, above) * model.preprocessing.columns.size();
    return std::clamp<std::size_t>(kWork / std::max<std::size_t>(per_row, 1), 4, 256);
}

}  // namespace

InputRange inputs_of_column(const Preprocessing& p, std::size_t column) {
    if (p.kind == PreprocessKind::kThermometer) {
        const std::size_t first = p.threshold_start[column];
        return {first, p.threshold_start[column + 1] - first};
    }
    return {column, p.columns.constant(column) ? 0u : 1u};
}

std::vector<double> column_importance(const ModelState& model) {
    const Preprocessing& p = model.preprocessing;
    const std::size_t rows = rows_for(model);
    const auto inputs = made_up_inputs(p, rows);
    std::vector<double> importance(p.columns.size(), 0);
    for (std::size_t each = 0; each < parts_of(model.architecture); ++each) {
        Part part(model, inputs, rows, each);
        for (std::size_t r = 0; r < rows; ++r) {
            const std::vector<double> before = part.outputs(r, {}, r);
            for (std::size_t j = 0; j < p.columns.size(); ++j) {
                const InputRange column = inputs_of_column(p, j);
                if (column.count == 0) continue;
                const auto& after = part.outputs(r, column, (r + 1) % rows);
                for (std::size_t k = 0; k < after.size(); ++k) {
                    const double change = after[k] - before[k];
                    importance[j] += change * change;
                }
            }
        }
    }
    const double sum = std::accumulate(importance.begin(), importance.end(), 0.0);
    for (double& share : importance) share = sum > 0 ? share / sum : 0;
    return importance;
}

}  // namespace bitbayes::learn

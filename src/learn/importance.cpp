// The variance of each neuron's field over the data is divided among what it reads, from the outputs
// down to the columns:
//   layer 1:  V_i = sum_j C_ij,          T_i = sum_k var(u_k) (1 - w_ik^2)
//             C_ij = sum_kl w_ik w_il cov(u_k, u_l) over the inputs k, l of column j
//   l > 1:    V_i = sum_c w_ic^2 v_c,    T_i = sum_c (1 - w_ic^2 v_c)
//   v_i = E[nu_i^2] = 2/pi asin(q / (1 + q)), q = V_i / T_i, if the field is Gaussian
// Neuron i hands the share w_ic^2 v_c / V_i (layer 1: C_ij / V_i) of its own relevance down.
//
// Approximations: columns are taken as independent. cov(u_k, u_l) within a column is exact for
// thermometer: (1 - m_k)(1 + m_l) / s^2 for thresholds k <= l, m being the mean of the bit. Elsewhere
// the variance of a column is not stored: it is (mean - minimum)(maximum - mean), exact for two
// values, or a third of it otherwise, exact for a uniform column; 1 with standardize; without
// preprocessing the mean is taken half-way. BackProp: T_i = 1.
#include "learn/importance.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <span>
#include <utility>

namespace bitbayes::learn {

namespace {

using data::Preprocessing;
using data::PreprocessKind;

double mean_square_answer(double V, double T) {
    if (V <= 0) return 0;
    const double q = V / std::max(T, 1e-30);
    return 2 / std::numbers::pi * std::asin(q / (1 + q));
}

/// The variance of u_j where a column is one input.
double input_variance(const Preprocessing& p, std::size_t column) {
    const double low = p.columns.minimum[column], high = p.columns.maximum[column];
    if (p.columns.constant(column)) return 0;
    if (p.kind == PreprocessKind::kStandardize) return 1;
    const bool centered = p.kind == PreprocessKind::kCenter;
    const double mean = centered ? p.mean[column] : low + (high - low) / 2;
    const double scale = centered ? p.scale[0] : 1;
    const bool two_values = p.columns.signs || (p.columns.integer[column] && high - low == 1);
    return (mean - low) / scale * ((high - mean) / scale) / (two_values ? 1 : 3);
}

/// Variances of the inputs of layer 1, and what they give each column.
class Inputs {
  public:
    explicit Inputs(const Preprocessing& p) : p_(p), variance_(p.inputs(), 0) {
        if (p.kind == PreprocessKind::kThermometer) {
            for (std::size_t k = 0; k < p.thresholds.size(); ++k) {
                variance_[k] = (1 - p.mean[k] * p.mean[k]) / (p.scale[0] * p.scale[0]);
            }
        } else {
            for (std::size_t j = 0; j < p.features(); ++j) variance_[j] = input_variance(p, j);
        }
    }

    /// C_ij of all columns, from the w of one neuron.
    void column_variances(std::span<const float> w, std::vector<double>& C) const {
        C.assign(p_.features(), 0);
        for (std::size_t j = 0; j < C.size(); ++j) {
            if (p_.kind == PreprocessKind::kThermometer) {
                C[j] = thermometer_variance(w, j);
            } else {
                C[j] = variance_[j] * w[j] * w[j];
            }
        }
    }

    /// T_i; the constant input is certain, so only its weight varies.
    double uncertainty(std::span<const float> w) const {
        double T = p_.bias ? 1 - double{w.back()} * w.back() : 0;
        for (std::size_t k = 0; k < variance_.size(); ++k) {
            T += variance_[k] * (1 - double{w[k]} * w[k]);
        }
        return T;
    }

  private:
    double thermometer_variance(std::span<const float> w, std::size_t column) const {
        double sum = 0, below = 0;  // below: sum of w_k (1 - m_k) over the thresholds so far
        for (std::size_t k = p_.threshold_start[column]; k < p_.threshold_start[column + 1]; ++k) {
            sum += w[k] * (1 + p_.mean[k]) * (w[k] * (1 - p_.mean[k]) + 2 * below);
            below += w[k] * (1 - p_.mean[k]);
        }
        return std::max(sum, 0.0) / (p_.scale[0] * p_.scale[0]);
    }

    const Preprocessing& p_;
    std::vector<double> variance_;
};

std::vector<float> means_of(const ModelState& model, std::span<const float> learned) {
    if (!model.rule().has_posterior) return {learned.begin(), learned.end()};
    return weight_means(learned);
}

/// v of every neuron, layer by layer from the bottom.
std::vector<std::vector<double>> mean_squares(const ModelState& model, const Inputs& inputs) {
    const bool real = !model.rule().has_posterior;
    std::vector<std::vector<double>> v;
    std::vector<double> C;
    for (std::size_t l = 0; l < model.posterior.layers.size(); ++l) {
        const LayerPosterior& layer = model.posterior.layers[l];
        std::vector<double> own(layer.shape.neurons);
        for (std::size_t i = 0; i < own.size(); ++i) {
            const auto w = means_of(model, layer.row(i));
            double V = 0, T = 0;
            if (l == 0) {
                inputs.column_variances(w, C);
                V = std::accumulate(C.begin(), C.end(), 0.0);
                T = inputs.uncertainty(w);
            } else {
                for (std::size_t c = 0; c < w.size(); ++c) {
                    const double part = double{w[c]} * w[c] * v.back()[i * w.size() + c];
                    V += part;
                    T += 1 - part;
                }
            }
            own[i] = mean_square_answer(V, real ? 1 : T);
        }
        v.push_back(std::move(own));
    }
    return v;
}

/// Adds `relevance` to `to` in proportion to `parts`.
void divide(double relevance, std::span<const double> parts, std::span<double> to) {
    const double whole = std::accumulate(parts.begin(), parts.end(), 0.0);
    if (!(whole > 0)) return;
    for (std::size_t k = 0; k < parts.size(); ++k) to[k] += relevance * parts[k] / whole;
}

}  // namespace

std::vector<double> column_importance(const ModelState& model) {
    const Inputs inputs(model.preprocessing);
    const auto v = mean_squares(model, inputs);
    std::vector<double> relevance(model.architecture.outputs(), 1), parts;
    for (std::size_t l = model.posterior.layers.size(); l-- > 0;) {
        const LayerPosterior& layer = model.posterior.layers[l];
        std::vector<double> below(l == 0 ? model.preprocessing.features() : v[l - 1].size(), 0);
        for (std::size_t i = 0; i < layer.shape.neurons; ++i) {
            const auto w = means_of(model, layer.row(i));
            if (l == 0) {
                inputs.column_variances(w, parts);
                divide(relevance[i], parts, below);
                continue;
            }
            parts.resize(w.size());
            for (std::size_t c = 0; c < w.size(); ++c) {
                parts[c] = double{w[c]} * w[c] * v[l - 1][i * w.size() + c];
            }
            divide(relevance[i], parts, std::span(below).subspan(i * w.size(), w.size()));
        }
        relevance = std::move(below);
    }
    std::vector<double> shares(relevance.size(), 0);
    divide(1, relevance, shares);
    return shares;
}

std::size_t inputs_of_column(const data::Preprocessing& preprocessing, std::size_t column) {
    if (preprocessing.kind == PreprocessKind::kThermometer) {
        return preprocessing.threshold_start[column + 1] - preprocessing.threshold_start[column];
    }
    return preprocessing.columns.constant(column) ? 0 : 1;
}

}  // namespace bitbayes::learn

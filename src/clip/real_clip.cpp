#include "clip/real_clip.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <vector>

#include "rows/labels.hpp"

namespace bitbayes::clip {
namespace {

using data::Preprocessing;
using data::PreprocessKind;

/// A missing value is the median, as in the clipped network.
std::vector<double> real_inputs(const Preprocessing& p, std::span<const double> row) {
    std::vector<double> u;
    u.reserve(p.inputs());
    for (std::size_t j = 0; j < row.size(); ++j) {
        const double x = std::isnan(row[j]) ? p.columns.median[j] : row[j];
        if (p.kind != PreprocessKind::kThermometer) {
            u.push_back(p.columns.constant(j) ? 0 : p.scaled(j, x));
            continue;
        }
        for (std::size_t k = p.threshold_start[j]; k < p.threshold_start[j + 1]; ++k) {
            u.push_back(((x > p.thresholds[k] ? 1 : -1) - p.mean[k]) / p.scale[0]);
        }
    }
    if (p.bias) u.push_back(1);
    return u;
}

std::vector<double> sums(const learn::LayerShape& shape, const learn::SignPattern& signs,
                         std::size_t l, std::span<const double> v) {
    std::vector<double> result;
    for (std::size_t i = 0; i < shape.neurons; ++i) {
        const std::size_t row = i * shape.fan_in;
        const double* x = v.data();
        if (shape.connectivity == learn::Connectivity::kTree) x += row;
        double sum = 0;
        for (std::size_t j = 0; j < shape.fan_in; ++j) {
            sum += signs.positive(l, row + j) ? x[j] : -x[j];
        }
        result.push_back(sum);
    }
    return result;
}

std::uint32_t winner(const learn::ModelState& model, const learn::SignPattern& signs,
                     std::span<const double> row) {
    std::vector<double> v = real_inputs(model.preprocessing, row);
    for (std::size_t l = 0; l < model.architecture.depth(); ++l) {
        if (l > 0) {
            for (double& x : v) x = x >= 0 ? 1 : -1;
            v.push_back(1);  // the constant of dense layers; trees do not reach it
        }
        v = sums(model.architecture.layers[l], signs, l, v);
    }
    if (v.size() == 1) return v[0] >= 0 ? 1 : 0;
    return static_cast<std::uint32_t>(std::max_element(v.begin(), v.end()) - v.begin());
}

}  // namespace

double real_clip_error(const learn::ModelState& model, const LabelledRows& data, ThreadTeam& team) {
    check_columns(data.rows, model.preprocessing.features(), model.columns);
    const auto labels = labels_among(data, model.class_names);
    const learn::SignPattern signs = model.polished.value_or(learn::SignPattern(model.posterior));
    std::atomic<std::size_t> errors = 0;
    team.run(data.rows.size(), [&](std::size_t r) {
        std::vector<double> row(model.preprocessing.columns.size());
        model.preprocessing.copy_row(data.rows, r, row);
        errors += winner(model, signs, row) != labels[r];
    });
    return static_cast<double>(errors) / static_cast<double>(data.rows.size());
}

}  // namespace bitbayes::clip

#include "training/row_weights.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "bitbayes/types/error.hpp"
#include "rows/labels.hpp"

namespace bitbayes::training {

namespace {

constexpr float kMaxWeight = 1e9f;
constexpr const char* kHint = "weights are numbers from 0 to 1e9";

std::vector<float> multiplied(const LabelledRows& data, const std::vector<double>& of_class) {
    std::vector<float> weights(data.rows.size());
    for (std::size_t r = 0; r < weights.size(); ++r) {
        const double own = data.weights.empty() ? 1 : double{data.weights[r]};
        weights[r] = static_cast<float>(own * of_class[data.labels[r]]);
    }
    return weights;
}

std::vector<double> balanced(const LabelledRows& data) {
    std::vector<double> weight(data.class_names.size(), 0);
    for (const std::uint32_t label : data.labels) weight[label] += 1;
    const auto present =
        weight.size() - static_cast<std::size_t>(std::count(weight.begin(), weight.end(), 0.0));
    const double mean = static_cast<double>(data.rows.size()) / static_cast<double>(present);
    for (double& w : weight) w = w == 0 ? 1 : mean / w;
    return weight;
}

}  // namespace

void check_weights(const LabelledRows& data) {
    if (!data.weights.empty() && data.weights.size() != data.rows.size()) {
        throw Error(ErrorCode::kData, fmt::format("{}: {} weights for {} rows", data.rows.name(),
                                                  data.weights.size(), data.rows.size()));
    }
    for (std::size_t r = 0; r < data.weights.size(); ++r) {
        if (data.weights[r] >= 0 && data.weights[r] <= kMaxWeight) continue;
        throw Error(ErrorCode::kData,
                    fmt::format("{}: a row weight of {}", data.rows.where(r), data.weights[r]),
                    kHint);
    }
}

std::vector<float> row_weights(const LabelledRows& data, std::string_view class_weight) {
    check_weights(data);
    if (class_weight.empty()) return {data.weights.begin(), data.weights.end()};
    if (class_weight != "balanced") {
        throw Error(ErrorCode::kUsage,
                    fmt::format("`class_weight`: {} is not balanced", in_quotes(class_weight)));
    }
    return multiplied(data, balanced(data));
}

std::vector<float> row_weights(const LabelledRows& data,
                               std::span<const std::pair<std::string, double>> class_weights) {
    check_weights(data);
    const ClassIndex classes({data.class_names.begin(), data.class_names.end()});
    std::vector<double> of_class(data.class_names.size(), 1);
    for (const auto& [name, weight] : class_weights) {
        const std::uint32_t index = classes.find(name);
        if (index == ClassIndex::kUnknown) {
            throw Error(ErrorCode::kData, fmt::format("{}: no row is of class {}", data.rows.name(),
                                                      in_quotes(name)));
        }
        if (!(weight >= 0 && weight <= kMaxWeight)) {
            throw Error(ErrorCode::kData,
                        fmt::format("class {}: a weight of {}", in_quotes(name), weight), kHint);
        }
        of_class[index] = weight;
    }
    return multiplied(data, of_class);
}

}  // namespace bitbayes::training

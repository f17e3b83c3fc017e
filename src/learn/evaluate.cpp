#include "learn/evaluate.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <span>

#include "data/split.hpp"
#include "learn/clip.hpp"
#include "learn/learner.hpp"
#include "learn/metrics.hpp"
#include "learn/packed_answers.hpp"

namespace bitbayes::learn {

namespace {

constexpr std::size_t kBlock = 256;

/// Calls use(first row, z of rows x outputs) for one block after the other.
void for_each_block(const ModelState& model, const Dataset& data,
                    const kernels::KernelTable& kernels, ThreadTeam& team,
                    const std::function<void(std::size_t, std::span<const float>)>& use) {
    const std::size_t outputs = model.architecture.outputs();
    data::InputBlock block;
    std::vector<std::size_t> rows;
    std::vector<float> z;
    for (std::size_t first = 0; first < data.rows; first += kBlock) {
        rows.resize(std::min(kBlock, data.rows - first));
        std::iota(rows.begin(), rows.end(), first);
        z.resize(rows.size() * outputs);
        model.preprocessing.apply(data, rows, block);
        answer_block(model.posterior, kernels, team, block, z);
        use(first, z);
    }
}

/// A few trees at a time, so that the clipped weights are small beside the posterior.
std::vector<packed::Answer> clipped_answers(const ModelState& model, const Dataset& data,
                                            ThreadTeam& team) {
    constexpr std::size_t kMostWeights = 1 << 24;
    const std::size_t outputs = model.architecture.outputs();
    const std::size_t per_tree = model.architecture.weights() / outputs;
    const std::size_t together = std::clamp<std::size_t>(kMostWeights / per_tree, 1, outputs);
    std::vector<std::int64_t> scores(data.rows * outputs);
    for (std::size_t first = 0; first < outputs; first += together) {
        const std::size_t count = std::min(together, outputs - first);
        const auto part = packed_scores(clip(model, {first, count}), data, team);
        for (std::size_t r = 0; r < data.rows; ++r) {
            std::copy_n(&part[r * count], count, &scores[r * outputs + first]);
        }
    }
    std::vector<packed::Answer> result(data.rows);
    for (std::size_t r = 0; r < data.rows; ++r) {
        result[r] = packed::Network::answer(std::span(scores).subspan(r * outputs, outputs));
    }
    return result;
}

}  // namespace

std::vector<Answer> answers(const ModelState& model, const Dataset& data, Mode mode,
                            const kernels::KernelTable& kernels, ThreadTeam& team) {
    model.preprocessing.check(data);
    std::vector<Answer> result;
    result.reserve(data.rows);
    if (mode == Mode::kMap) {
        for (const auto& answer : clipped_answers(model, data, team)) {
            result.push_back(map_answer(answer));
        }
        return result;
    }
    const std::size_t outputs = model.architecture.outputs();
    std::vector<double> probability(model.classes());
    for_each_block(model, data, kernels, team, [&](std::size_t, std::span<const float> z) {
        for (std::size_t at = 0; at < z.size(); at += outputs) {
            result.push_back(mean_answer(model.algorithm(), z.subspan(at, outputs), probability));
        }
    });
    return result;
}

Evaluation evaluate(const ModelState& model, const Dataset& data,
                    const kernels::KernelTable& kernels, ThreadTeam& team) {
    model.preprocessing.check(data);
    const auto labels = data::labels_among(data, model.class_names);
    const auto clipped = clipped_answers(model, data, team);
    const std::size_t outputs = model.architecture.outputs();
    Scores scores(model.classes());
    std::vector<double> probability(model.classes());
    for_each_block(model, data, kernels, team, [&](std::size_t first, std::span<const float> z) {
        for (std::size_t r = 0; r * outputs < z.size(); ++r) {
            const Answer mean =
                mean_answer(model.algorithm(), z.subspan(r * outputs, outputs), probability);
            scores.add(labels[first + r], mean, probability, clipped[first + r].class_index);
        }
    });
    return scores.result();
}

}  // namespace bitbayes::learn

#include "learn/live_model.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

namespace bitbayes::learn {

namespace {

/// Takes the posterior's numbers out of the model.
LearnerStart start_of(ModelState& model, const Practice& practice) {
    LearnerStart start{model.architecture,
                       {},
                       model.rate(),
                       model.samples_seen,
                       model.preprocessing.live_inputs(),
                       model.preprocessing.sparse,
                       model.preprocessing.bias,
                       model.seed,
                       model.prior_scale,
                       model.label_noise,
                       model.memory,
                       practice,
                       &model.preprocessing};
    start.posterior.rule = model.posterior.rule;
    start.posterior.first_tree = model.posterior.first_tree;
    start.posterior.layers = std::exchange(model.posterior.layers, {});
    return start;
}

}  // namespace

LiveModel::LiveModel(ModelState model, const Context& context, const Practice& practice)
    : LiveModel([&](LearnerStart start) { return make_learner(std::move(start), context); },
                std::move(model), *context.ranks, practice) {}

LiveModel::LiveModel(const LearnerMaker& make, ModelState model, dist::Communicator& ranks,
                     const Practice& practice)
    : description_(std::move(model)),
      ranks_(ranks),
      classes_(description_.class_names),
      learner_(make(start_of(description_, practice))),
      block_rows_(std::max<std::size_t>(1, answer_rows() / practice.batch) * practice.batch) {}

void LiveModel::check(const Rows& data) const {
    check_columns(data, description_.preprocessing.features(), description_.columns);
}

const data::InputBlock& LiveModel::prepared(const Rows& data, std::span<const std::size_t> rows,
                                            const data::Shift& shift,
                                            std::span<const std::size_t> upcoming) {
    if (learner_->gathers())
        return ahead_.take(description_.preprocessing, data, rows, shift, upcoming);
    description_.preprocessing.apply(data, rows, scratch_.block, shift);
    return scratch_.block;
}

void LiveModel::learn(const Rows& data, std::span<const std::size_t> rows,
                      std::span<const std::uint32_t> labels, const VisitRow& visit,
                      std::span<const float> weights, const data::Shift& shift,
                      std::span<const std::size_t> upcoming) {
    description_.polished.reset();
    assert(rows.size() == labels.size() && (weights.empty() || weights.size() == rows.size()));
    try {
        for (std::size_t first = 0; first < rows.size(); first += block_rows_) {
            const std::size_t count = std::min(block_rows_, rows.size() - first);
            const auto rest = rows.subspan(first + count);
            const data::InputBlock& block =
                prepared(data, rows.subspan(first, count), shift, rest.empty() ? upcoming : rest);
            scratch_.z.resize(count * outputs());
            LabelNoise noise = learner_->label_noise();
            learner_->learn(block, labels.subspan(first, count), scratch_.z,
                            weights.empty() ? weights : weights.subspan(first, count));
            for (std::size_t r = first; r < first + count; ++r) {
                const auto z =
                    std::span<const float>(scratch_.z).subspan((r - first) * outputs(), outputs());
                visit(r, z, noise.eps);
                noise.follow(z, labels[r], weights.empty() ? 1 : weights[r]);
            }
        }
    } catch (...) {
        ahead_.forget();  // the caller's rows may end with this call
        throw;
    }
}

void LiveModel::answer(const Rows& data, std::span<const std::size_t> rows, const Visit& visit,
                       unsigned threads) const {
    auto scratch = pool_.take();
    for (std::size_t first = 0; first < rows.size(); first += answer_rows()) {
        const std::size_t count = std::min(answer_rows(), rows.size() - first);
        const auto some = rows.subspan(first, count);
        if (learner_->gathers()) {
            description_.preprocessing.gather(data, some, scratch->block);
        } else {
            description_.preprocessing.apply(data, some, scratch->block);
        }
        scratch->z.resize(count * outputs());
        learner_->answer(scratch->block, scratch->z, threads);
        visit(first, scratch->z);
    }
}

ModelState LiveModel::snapshot() const {
    ModelState state = description_;
    state.posterior = learner_->posterior();
    state.samples_seen = learner_->samples_seen();
    state.label_noise = learner_->label_noise();
    return state;
}

}  // namespace bitbayes::learn

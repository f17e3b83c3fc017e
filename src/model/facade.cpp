// The public API (include/bitbayes) over learn and model.
#include <algorithm>
#include <chrono>
#include <memory>
#include <numeric>
#include <span>
#include <string>
#include <utility>

#include "base/atomic_file.hpp"
#include "base/thread_team.hpp"
#include "bitbayes/bitbayes.hpp"
#include "data/split.hpp"
#include "kernels/table.hpp"
#include "learn/evaluate.hpp"
#include "learn/learner.hpp"
#include "learn/metrics.hpp"
#include "learn/trainer.hpp"
#include "model/model_file.hpp"
#include "model/one_row.hpp"

namespace bitbayes {

namespace {

/// Learns the rows of `data` in order, in blocks; returns what was answered before each.
std::vector<Answer> learn_rows(learn::ModelState& model, const Dataset& data, ThreadTeam& team) {
    constexpr std::size_t kBlock = 256;
    model.preprocessing.check(data);
    const auto labels = data::labels_among(data, model.class_names);
    const std::size_t outputs = model.architecture.outputs();
    std::vector<double> probability(model.classes());
    std::vector<Answer> answers;
    std::vector<std::size_t> rows;
    std::vector<float> z;
    data::InputBlock block;
    for (std::size_t first = 0; first < data.rows; first += rows.size()) {
        rows.resize(std::min(kBlock, data.rows - first));
        std::iota(rows.begin(), rows.end(), first);
        z.resize(rows.size() * outputs);
        model.preprocessing.apply(data, rows, block);
        learn::learn_block(model.posterior, kernels::best(), team, block,
                           {std::span(labels).subspan(first, rows.size()), model.rate()}, z);
        for (std::size_t at = 0; at < z.size(); at += outputs) {
            answers.push_back(
                learn::mean_answer(model.algorithm(), {z.data() + at, outputs}, probability));
        }
        model.samples_seen += rows.size();
    }
    return answers;
}

}  // namespace

const char* version() { return BITBAYES_VERSION; }

Model::Model(learn::ModelState state)
    : state_(std::make_unique<learn::ModelState>(std::move(state))) {}
Model::Model(Model&&) noexcept = default;
Model& Model::operator=(Model&&) noexcept = default;
Model::~Model() = default;

Model Model::load(const std::string& path) { return Model(model::load_model(path)); }

void Model::save(const std::string& path, bool overwrite) const {
    check_output(path, overwrite);
    model::save_model(path, *state_);
}

std::size_t Model::features() const { return state_->preprocessing.features(); }
const std::vector<std::string>& Model::class_names() const { return state_->class_names; }
std::uint64_t Model::samples_seen() const { return state_->samples_seen; }

std::vector<Answer> Model::predict(const Dataset& data, Mode mode, unsigned threads) const {
    ThreadTeam team(threads);
    return learn::answers(*state_, data, mode, kernels::best(), team);
}

Answer Model::predict(std::span<const double> features, Mode mode) const {
    return predict(one_row(features, "sample"), mode, 1).front();
}

Evaluation Model::evaluate(const Dataset& data, unsigned threads) const {
    ThreadTeam team(threads);
    return learn::evaluate(*state_, data, kernels::best(), team);
}

UpdateReport Model::update(const Dataset& data, unsigned threads) {
    ThreadTeam team(threads);
    const auto start = std::chrono::steady_clock::now();
    const auto labels = data::labels_among(data, state_->class_names);
    const auto before = learn_rows(*state_, data, team);
    std::size_t errors = 0;
    for (std::size_t r = 0; r < before.size(); ++r) errors += before[r].class_index != labels[r];
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start;
    return {data.rows,
            data.rows == 0 ? 0 : static_cast<double>(errors) / static_cast<double>(data.rows),
            passed.count()};
}

Answer Model::learn(std::span<const double> features, std::string_view label) {
    Dataset data = one_row(features, "sample");
    data.labels = {0};
    data.class_names = {std::string(label)};
    ThreadTeam team(1);
    return learn_rows(*state_, data, team).front();
}

TrainResult train(const Dataset& training, const TrainOptions& options, const Dataset* test,
                  const TrainCallbacks& callbacks) {
    learn::Trainer trainer(learn::initial_model(training, options), training, test, options);
    learn::Trainer::Hooks hooks;
    hooks.progress = callbacks.progress;
    hooks.epoch = callbacks.epoch;
    trainer.run(hooks);
    TrainResult result{Model(trainer.take_model()), trainer.position().history,
                       trainer.error_progressive(), trainer.seconds()};
    return result;
}

}  // namespace bitbayes

// The public API of models.
#include "bitbayes/model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <mutex>
#include <numeric>
#include <utility>

#include "base/atomic_file.hpp"
#include "base/text.hpp"
#include "bitbayes/packed_network.hpp"
#include "bitbayes/types/error.hpp"
#include "clip/clip.hpp"
#include "learn/add_class.hpp"
#include "learn/importance.hpp"
#include "learn/live_model.hpp"
#include "learn/members.hpp"
#include "model/members_file.hpp"
#include "packed/packed_answers.hpp"
#include "packed/runner.hpp"
#include "training/evaluate.hpp"
#include "training/polish.hpp"
#include "training/row_weights.hpp"
#include "training/trainer.hpp"

namespace bitbayes {

namespace {

/// A row of a stream comes once, unlike those of training: it counts at least so many times, or a
/// model of little evidence would hardly follow (docs/drift.md).
constexpr double kLeastEvidence = 0.25;

Rows one_row(std::span<const double> row) {
    return Rows(DenseView<double>{row.data(), static_cast<std::ptrdiff_t>(row.size()), 1}, 1,
                row.size());
}

std::vector<learn::ModelState> alone(learn::ModelState state) {
    std::vector<learn::ModelState> one;
    one.push_back(std::move(state));
    return one;
}

}  // namespace

struct Model::Impl {
    std::vector<std::unique_ptr<learn::LiveModel>> all;  // the members
    unsigned threads = 0;  // that they were asked to use; fewer may run
    // Derived from the posterior on first use, and again after learning.
    mutable std::mutex mutex;
    mutable std::shared_ptr<const packed::Runner> clipped_network;
    mutable std::shared_ptr<const learn::Posterior> posterior_copy;

    std::shared_ptr<const packed::Runner> clipped() const {
        const std::lock_guard lock(mutex);
        if (!clipped_network) {
            clipped_network = std::make_shared<packed::Runner>(clip::clip_members(snapshots()));
        }
        return clipped_network;
    }

    std::shared_ptr<const learn::Posterior> posterior() const {
        const std::lock_guard lock(mutex);
        if (!posterior_copy) {
            posterior_copy = std::make_shared<learn::Posterior>(all[0]->learner().posterior());
        }
        return posterior_copy;
    }

    learn::Members members() const {
        std::vector<const learn::LiveModel*> views;
        for (const auto& member : all) views.push_back(member.get());
        return learn::Members(std::move(views));
    }

    std::vector<learn::ModelState> snapshots() const {
        std::vector<learn::ModelState> states;
        for (const auto& member : all) states.push_back(member->snapshot());
        return states;
    }

    void set(std::vector<learn::ModelState> states, const learn::Context& context) {
        std::vector<std::unique_ptr<learn::LiveModel>> made;
        for (auto& state : states) {
            made.push_back(std::make_unique<learn::LiveModel>(std::move(state), context));
        }
        all = std::move(made);
        forget_derived();
    }

    void forget_derived() {
        clipped_network.reset();
        posterior_copy.reset();
    }

    /// Learns the rows in their order; visit(row, what was answered before).
    template <class Visit>
    void learn(const Rows& data, std::span<const std::size_t> rows,
               std::span<const std::uint32_t> labels, const Visit& visit,
               std::span<const float> weights = {}) {
        forget_derived();
        const learn::ModelState& model = all[0]->description();
        for (const auto& member : all) {
            if (model.algorithm() != Algorithm::kMfb) break;
            member->set_evidence(std::max(member->description().evidence, kLeastEvidence));
        }
        learn::AnswerAverage before(model, all.size());
        for (std::size_t first = 0; first < rows.size(); first += learn::kBlockRows) {
            const std::size_t count = std::min(learn::kBlockRows, rows.size() - first);
            before.start(count);
            for (const auto& member : all) {
                member->learn(
                    data, rows.subspan(first, count), labels.subspan(first, count),
                    [&](std::size_t row, std::span<const float> z, std::span<const float> eps) {
                        before.add(row, z, eps);
                    },
                    weights.empty() ? weights : weights.subspan(first, count));
            }
            for (std::size_t r = 0; r < count; ++r) visit(first + r, before.answer(r));
        }
    }
};

Model::Model(learn::ModelState state) : Model(alone(std::move(state))) {}

Model::Model(std::vector<learn::ModelState> members) : impl_(std::make_unique<Impl>()) {
    const std::string problem = model::problem_of_members(members);
    if (!problem.empty()) throw Error(ErrorCode::kUsage, problem);
    impl_->set(std::move(members), {});
    impl_->threads = live().learner().threads();
}
Model::Model(Model&&) noexcept = default;
Model& Model::operator=(Model&&) noexcept = default;
Model::~Model() = default;

Model Model::load(const std::string& path) { return Model(model::load_members(path)); }

void Model::save(const std::string& path, bool overwrite) const {
    model::save_members(path, snapshots(), overwrite ? Existing::kReplace : Existing::kKeep);
}

std::string Model::to_bytes() const { return model::members_bytes(snapshots()); }
Model Model::from_bytes(std::string_view bytes) {
    return Model(model::parse_members(bytes, "model"));
}
Model Model::clone() const { return Model(snapshots()); }

const learn::LiveModel& Model::live() const { return *impl_->all[0]; }
std::vector<learn::ModelState> Model::snapshots() const { return impl_->snapshots(); }
std::size_t Model::members() const { return impl_->all.size(); }

Model Model::member(std::size_t index) const {
    if (index >= members()) {
        throw Error(ErrorCode::kUsage, fmt::format("index: {} of {} members", index, members()));
    }
    return Model(impl_->all[index]->snapshot());
}

std::size_t Model::features() const { return live().description().preprocessing.features(); }
ReadOptions Model::reading() const {
    ReadOptions options;
    options.known = live().description().columns;
    return options;
}
const std::vector<std::string>& Model::class_names() const {
    return live().description().class_names;
}
std::uint64_t Model::samples_seen() const { return live().learner().samples_seen(); }
Algorithm Model::algorithm() const { return live().description().algorithm(); }
std::size_t Model::layers() const { return live().description().architecture.depth(); }

PosteriorLayer Model::posterior(std::size_t index) const {
    if (index >= layers()) {
        throw Error(ErrorCode::kUsage, fmt::format("index: {} of {} layers", index, layers()));
    }
    const auto copy = impl_->posterior();
    const learn::LayerPosterior& layer = copy->layers[index];
    return {layer.shape.neurons, layer.shape.fan_in,
            layer.shape.connectivity == learn::Connectivity::kDense, layer.learned, copy};
}

std::vector<double> Model::column_importance() const {
    std::vector<double> mean;
    for (const auto& member : impl_->all) {
        const auto shares = learn::column_importance(member->snapshot());
        mean.resize(shares.size());
        for (std::size_t j = 0; j < mean.size(); ++j) mean[j] += shares[j];
    }
    for (double& share : mean) share /= static_cast<double>(members());
    return mean;
}

std::vector<Answer> Model::predict(const Rows& rows, Mode mode, unsigned threads) const {
    if (mode == Mode::kMean) return training::mean_answers(impl_->members(), rows, threads);
    const auto clipped = impl_->clipped();
    std::vector<Answer> answers;
    answers.reserve(rows.size());
    for (const auto& answer :
         packed::answers_of(clipped->engine(), rows, clipped->team(), threads)) {
        answers.push_back(packed::map_answer(answer));
    }
    return answers;
}

Answer Model::predict(std::span<const double> row, Mode mode) const {
    if (mode == Mode::kMap) return packed::map_answer(impl_->clipped()->answer(row));
    return training::mean_answers(impl_->members(), one_row(row), 1).front();
}

std::vector<double> Model::probabilities(std::span<const double> row) const {
    return probabilities(one_row(row), 1);
}

std::vector<double> Model::probabilities(const Rows& rows, unsigned threads) const {
    if (algorithm() != Algorithm::kMfb) {
        throw Error(ErrorCode::kUsage, "BackProp has no probabilities",
                    "train with `algorithm` mfb");
    }
    live().check(rows);
    const std::size_t classes = class_names().size();
    std::vector<double> result(rows.size() * classes);
    impl_->members().answer(
        rows,
        [&](std::size_t row, const Answer&, std::span<const double> probability) {
            std::copy(probability.begin(), probability.end(), &result[row * classes]);
        },
        threads);
    return result;
}

Evaluation Model::evaluate(const LabelledRows& rows, unsigned threads) const {
    return training::evaluate(impl_->members(), rows, threads, training::PerClass::kYes);
}

PackedEvaluation Model::evaluate_clipped(const LabelledRows& rows, unsigned threads) const {
    const auto clipped = impl_->clipped();
    return packed::evaluate(clipped->engine(), rows, clipped->team(), threads);
}

UpdateReport Model::update(const LabelledRows& rows, unsigned threads) {
    const auto start = std::chrono::steady_clock::now();
    const learn::LiveModel& model = live();
    model.check(rows.rows);
    const auto labels = model.classes().labels_of(rows);
    model.description().preprocessing.check(rows.rows);  // before any row is learned
    training::check_weights(rows);
    if (threads != 0 && threads != impl_->threads) {
        impl_->set(snapshots(), {threads});
        impl_->threads = threads;
    }
    std::vector<std::size_t> order(rows.rows.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::size_t errors = 0;
    const auto count_error = [&](std::size_t r, const Answer& before) {
        errors += before.class_index != labels[r];
    };
    impl_->learn(rows.rows, order, labels, count_error, rows.weights);
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start;
    const auto count = static_cast<double>(order.size());
    return {order.size(), order.empty() ? 0 : static_cast<double>(errors) / count, passed.count()};
}

Answer Model::learn(std::span<const double> row, std::string_view label) {
    const Rows rows = one_row(row);
    live().check(rows);
    const std::uint32_t index = live().classes().find(label);
    if (index == ClassIndex::kUnknown) {
        throw Error(ErrorCode::kData,
                    fmt::format("label: class {} is unknown to the model", in_quotes(label)),
                    live().classes().hint());
    }
    Answer answer;
    const std::size_t first = 0;
    impl_->learn(rows, {&first, 1}, {&index, 1},
                 [&](std::size_t, const Answer& before) { answer = before; });
    return answer;
}

void Model::polish(const LabelledRows& rows, std::uint64_t rounds, unsigned threads) {
    if (algorithm() != Algorithm::kMfb) {
        throw Error(ErrorCode::kUsage, "BackProp has no posterior to polish",
                    "train with `algorithm` mfb");
    }
    live().check(rows.rows);
    live().description().preprocessing.check(rows.rows);
    training::check_weights(rows);
    const auto labels = live().classes().labels_of(rows);
    for (const auto& member : impl_->all) {
        const learn::ModelState& model = member->description();
        training::PolishPlan plan{
            .rounds = rounds, .context = {threads}, .practice = {}, .seed = model.seed};
        if (!model.architecture.is_tree()) plan.practice.batch = training::kDenseBatch;
        member->set_polished(*training::polish(*member, rows.rows, labels, rows.weights, plan));
    }
    impl_->clipped_network.reset();
}

void Model::add_class(const std::string& name) {
    std::vector<learn::ModelState> states;
    for (const auto& member : impl_->all) {
        states.push_back(learn::with_class(member->snapshot(), name));
    }
    impl_->set(std::move(states), {live().learner().threads()});
}

void Model::set_memory(std::optional<std::uint64_t> rows) {
    if (rows == std::uint64_t{0})
        throw Error(ErrorCode::kUsage, "rows: 0; forgetting needs 1 or more");
    if (rows && algorithm() != Algorithm::kMfb) {
        throw Error(ErrorCode::kUsage, "BackProp has no memory", "train with `algorithm` mfb");
    }
    if (rows == memory()) return;
    auto states = snapshots();
    for (auto& state : states) state.memory = rows;
    impl_->set(std::move(states), {live().learner().threads()});
}
std::optional<std::uint64_t> Model::memory() const { return live().description().memory; }

PackedNetwork::PackedNetwork(const Model& model, const PackOptions& options)
    : PackedNetwork(clip::clip_members(model.snapshots(), options.draws, options.seed)) {}

}  // namespace bitbayes

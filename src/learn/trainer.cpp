#include "learn/trainer.hpp"

#include <algorithm>
#include <bit>
#include <chrono>
#include <numeric>
#include <utility>

#include "base/philox.hpp"
#include "base/thread_team.hpp"
#include "bitbayes/error.hpp"
#include "data/split.hpp"
#include "learn/backprop.hpp"
#include "learn/evaluate.hpp"
#include "learn/learner.hpp"
#include "learn/metrics.hpp"

namespace bitbayes::learn {

namespace {

constexpr std::size_t kBlock = 256;

/// The classes that training rows really have: a test split may name more.
std::vector<std::string> classes_present(const Dataset& training) {
    std::vector<bool> present(training.class_names.size());
    for (const std::uint32_t label : training.labels) present[label] = true;
    std::vector<std::string> names;
    for (std::size_t k = 0; k < present.size(); ++k) {
        if (present[k]) names.push_back(training.class_names[k]);
    }
    return names;
}

double share(std::uint64_t part, std::uint64_t whole) {
    return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace

ModelState initial_model(const Dataset& training, const TrainOptions& options) {
    if (training.rows == 0) throw Error(ErrorCode::kData, training.name + ": no rows to train on");
    if (!training.labelled())
        throw Error(ErrorCode::kData, training.name + ": no labels to train on");
    ModelState model;
    model.class_names = classes_present(training);
    if (model.classes() < 2) {
        throw Error(ErrorCode::kData,
                    training.name + ": only one class, '" + model.class_names.front() + "'",
                    "training needs rows of at least two classes; is --label the right column?");
    }
    model.preprocessing =
        data::Preprocessing::fit(training, {options.preprocess, options.bias, options.dense_ok});
    const std::size_t outputs = model.classes() == 2 ? 1 : model.classes();
    model.architecture = Architecture::tree(model.preprocessing.inputs(), options.tree, outputs);
    model.posterior = Posterior(model.architecture, options.algorithm);
    model.posterior.draw_prior(options.seed, options.prior_scale);
    model.seed = options.seed;
    model.evidence = options.evidence;
    if (options.algorithm == Algorithm::kBackprop) {
        model.learning_rate = options.learning_rate > 0
                                  ? options.learning_rate
                                  : paper_learning_rate(model.architecture.inputs);
    }
    return model;
}

struct Trainer::Impl {
    ModelState model;
    const Dataset& training;
    const Dataset* test;
    TrainOptions options;
    TrainPosition position;
    const kernels::KernelTable& kernels;
    ThreadTeam team;
    std::vector<std::uint32_t> labels;

    // Of this run.
    std::uint64_t weight_updates = 0;
    double run_seconds = 0;
    std::uint64_t block_errors = 0, block_rows = 0;  // of the block just learned

    data::InputBlock block;
    std::vector<std::uint32_t> block_labels;
    std::vector<float> z;

    Impl(ModelState initial, const Dataset& training_data, const Dataset* test_data,
         const TrainOptions& train_options, TrainPosition start)
        : model(std::move(initial)),
          training(training_data),
          test(test_data),
          options(train_options),
          position(std::move(start)),
          kernels(kernels::by_name(train_options.backend)),
          team(train_options.threads) {
        if (position.sample > 0 && position.sample >= training.rows) {
            throw Error(ErrorCode::kModel, "the checkpoint's position is beyond the data");
        }
        model.preprocessing.check(training);
        labels = data::labels_among(training, model.class_names);
        if (test != nullptr) {
            model.preprocessing.check(*test);
            data::labels_among(*test, model.class_names);
        }
    }

    std::vector<std::size_t> epoch_order() const {
        std::vector<std::size_t> order(training.rows);
        std::iota(order.begin(), order.end(), std::size_t{0});
        if (options.shuffle) {
            const auto epoch = static_cast<std::uint32_t>(position.epochs_done);
            const auto shuffled =
                Philox(options.seed, Purpose::kShuffle, epoch).permutation(training.rows);
            std::copy(shuffled.begin(), shuffled.end(), order.begin());
        }
        return order;
    }

    /// Samples learned by the run as a whole.
    std::uint64_t total() const {
        return std::uint64_t{position.epochs_done} * training.rows + position.sample;
    }

    /// Rows until something must happen: the end of the epoch, a checkpoint, or a power of two (for
    /// progress rows).
    std::size_t next_block(std::uint64_t every) const {
        std::uint64_t count = std::min<std::uint64_t>(kBlock, training.rows - position.sample);
        count = std::min(count, std::bit_ceil(total() + 1) - total());
        if (every > 0) count = std::min(count, every - total() % every);
        return count;
    }

    void learn(std::span<const std::size_t> rows) {
        const auto start = std::chrono::steady_clock::now();
        const std::size_t outputs = model.architecture.outputs();
        block_labels.resize(rows.size());
        std::transform(rows.begin(), rows.end(), block_labels.begin(),
                       [&](std::size_t r) { return labels[r]; });
        z.resize(rows.size() * outputs);
        model.preprocessing.apply(training, rows, block);
        learn_block(model.posterior, kernels, team, block, {block_labels, model.rate()}, z);
        block_rows = rows.size();
        block_errors = 0;
        for (std::size_t r = 0; r < rows.size(); ++r) {
            block_errors += winner({z.data() + r * outputs, outputs}) != block_labels[r];
        }
        position.sample += rows.size();
        position.epoch_errors += block_errors;
        model.samples_seen += rows.size();
        weight_updates += rows.size() * model.architecture.weights();
        const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start;
        position.epoch_seconds += passed.count();
        run_seconds += passed.count();
    }

    TrainProgress progress() const {
        return {position.epochs_done + 1,
                options.epochs,
                position.sample,
                training.rows,
                weight_updates,
                run_seconds,
                share(position.epoch_errors, position.sample),
                share(block_errors, block_rows)};
    }

    void finish_epoch() {
        EpochReport report{position.epochs_done + 1, model.samples_seen, position.epoch_seconds,
                           share(position.epoch_errors, training.rows), std::nullopt};
        if (test != nullptr) report.test = evaluate(model, *test, kernels, team);
        position.history.push_back(std::move(report));
        ++position.epochs_done;
        position.sample = 0;
        position.epoch_errors = 0;
        position.epoch_seconds = 0;
    }
};

Trainer::Trainer(ModelState model, const Dataset& training, const Dataset* test,
                 const TrainOptions& options, TrainPosition position)
    : impl_(
          std::make_unique<Impl>(std::move(model), training, test, options, std::move(position))) {}

Trainer::~Trainer() = default;

bool Trainer::run(const Hooks& hooks) {
    Impl& t = *impl_;
    while (t.position.epochs_done < t.options.epochs) {
        const auto order = t.epoch_order();
        for (bool epoch_over = false; !epoch_over;) {
            t.learn(std::span(order).subspan(t.position.sample, t.next_block(hooks.every)));
            const bool go_on = !hooks.progress || hooks.progress(t.progress());
            epoch_over = t.position.sample == t.training.rows;
            if (epoch_over) {
                t.finish_epoch();
                if (hooks.epoch) hooks.epoch(t.position.history.back());
            }
            const bool due = hooks.every > 0 ? t.total() % hooks.every == 0 : epoch_over;
            if (due && hooks.checkpoint) hooks.checkpoint();
            if (!go_on) return false;
        }
    }
    return true;
}

const ModelState& Trainer::model() const { return impl_->model; }
const TrainPosition& Trainer::position() const { return impl_->position; }
ModelState Trainer::take_model() { return std::move(impl_->model); }

double Trainer::error_progressive() const {
    const TrainPosition& position = impl_->position;
    if (!position.history.empty()) return position.history.front().error_progressive;
    return share(position.epoch_errors, position.sample);
}

double Trainer::seconds() const {
    double sum = impl_->position.epoch_seconds;
    for (const EpochReport& epoch : impl_->position.history) sum += epoch.seconds;
    return sum;
}

unsigned Trainer::threads() const { return impl_->team.size(); }
const char* Trainer::backend() const { return impl_->kernels.name; }

}  // namespace bitbayes::learn

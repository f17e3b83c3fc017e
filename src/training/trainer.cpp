#include "training/trainer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <numeric>
#include <set>
#include <utility>

#include "base/philox.hpp"
#include "base/text.hpp"
#include "bitbayes/types/error.hpp"
#include "dist/collectives.hpp"
#include "learn/backprop.hpp"
#include "learn/metrics.hpp"
#include "options/options.hpp"
#include "training/evaluate.hpp"
#include "training/evidence.hpp"
#include "training/memory.hpp"
#include "training/polish.hpp"
#include "training/row_weights.hpp"
#include "training/take_rows.hpp"

namespace bitbayes::training {

namespace {

/// The classes that occur in the training rows: a test split may name more.
std::vector<std::string> classes_present(const LabelledRows& training) {
    std::vector<bool> present(training.class_names.size());
    for (const std::uint32_t label : training.labels) present[label] = true;
    std::vector<std::string> names;
    for (std::size_t k = 0; k < present.size(); ++k) {
        if (present[k]) names.push_back(training.class_names[k]);
    }
    return names;
}

bool fractional(const std::string& label) {
    const auto number = parse_number(label);
    return number && *number != std::floor(*number);
}

/// Many classes that look like the numbers of a real-valued target, or that have few rows each.
void check_classes(const std::vector<std::string>& names, const Rows& rows) {
    constexpr std::size_t kMany = 100, kMinRows = 5;  // classes, rows per class
    if (names.size() <= kMany) return;
    const auto number = std::find_if(names.begin(), names.end(), fractional);
    std::string why;
    if (number != names.end()) {
        why = fmt::format("some are fractions, e.g. {}", in_quotes(*number));
    } else if (rows.size() < kMinRows * names.size()) {
        why = fmt::format("{} rows are fewer than {} per class", rows.size(), kMinRows);
    } else {
        return;
    }
    throw Error(ErrorCode::kData,
                fmt::format("{}: {} classes, and {}", rows.name(), names.size(), why),
                "is `label` the right column? a real-valued target is not a class; `classes_ok` "
                "trains anyway");
}

/// Measured in docs/decisions/0017; narrower where the columns are many, for memory's sake.
std::size_t default_width(const Rows& training) {
    constexpr std::size_t kWidth = 1024, kNarrowest = 64, kWeights = 1 << 23;
    const std::size_t features = std::max<std::size_t>(1, training.features());
    return std::clamp(kWeights / features / kNarrowest * kNarrowest, kNarrowest, kWidth);
}

/// Small tables need more passes, and large ones get fewer.
std::uint64_t default_epochs(std::size_t rows) {
    constexpr std::uint64_t kUsual = 20, kMost = 40, kFewest = 3;
    constexpr std::uint64_t kSmall = 60000, kLarge = 4000000;  // rows x epochs
    const std::uint64_t n = std::max<std::uint64_t>(1, rows);
    return n * kUsual <= kLarge ? std::clamp(kSmall / n, kUsual, kMost)
                                : std::clamp(kLarge / n, kFewest, kUsual);
}

double share(std::uint64_t part, std::uint64_t whole) {
    return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace

learn::Practice practice_of(const TrainOptions& options) {
    const auto& drop = options.dropout;
    return {options.batch.value_or(1), drop.empty() ? 0 : drop[0], drop.size() < 2 ? 0 : drop[1]};
}

double dense_evidence(const std::vector<std::size_t>& widths) {
    const auto narrowest = static_cast<double>(*std::min_element(widths.begin(), widths.end()));
    return std::clamp(narrowest / 256, 0.25, 2.0);
}

TrainOptions default_options(const Rows& training) {
    TrainOptions options;
    if (training.kind() == DataKind::kTeacher) options.epochs = 1;
    return options;
}

TrainOptions decided(TrainOptions options, const Rows& training) {
    options::validate(options);
    data::Shift{options::shift_of(options)}.check(training);
    const bool teacher = training.kind() == DataKind::kTeacher;
    const bool mfb = options.algorithm == Algorithm::kMfb;
    if (options.tree.automatic) {
        options.tree = {};
        if (teacher && options.dense.empty()) options.tree.fan_ins = {training.features()};
        if (!teacher && options.dense.empty()) options.dense = {default_width(training)};
    }
    const bool dense = !options.dense.empty();
    if (options.evidence.automatic) {
        options.evidence = dense && mfb ? dense_evidence(options.dense) : 1;
    }
    if (!options.epochs) options.epochs = mfb ? default_epochs(training.size()) : 10;
    if (!mfb) options.polish = 0;
    if (!dense) options.batch.reset();
    if (dense && !options.batch) options.batch = mfb ? kDenseBatch : 1;
    return options;
}

learn::ModelState initial_model(const LabelledRows& training, const TrainOptions& asked,
                                dist::Communicator& ranks) {
    return initial_model(training.rows, classes_present(training), asked, ranks, training.labels);
}

learn::ModelState initial_model(const Rows& rows, std::vector<std::string> class_names,
                                const TrainOptions& asked, dist::Communicator& ranks,
                                std::span<const std::uint32_t> labels) {
    const TrainOptions options = decided(asked, rows);
    if (rows.size() == 0) {
        throw Error(ErrorCode::kData, fmt::format("{}: no rows to train on", rows.name()));
    }
    learn::ModelState model;
    model.class_names = std::move(class_names);
    if (model.classes() < 2) {
        const std::string only =
            model.class_names.empty() ? "none" : in_quotes(model.class_names.front());
        throw Error(ErrorCode::kData, fmt::format("{}: only one class, {}", rows.name(), only),
                    "training needs rows of at least two classes; is `label` the right column?");
    }
    const std::set<std::string> different(model.class_names.begin(), model.class_names.end());
    if (different.size() != model.classes()) {
        throw Error(ErrorCode::kData,
                    fmt::format("{}: two classes have the same name", rows.name()));
    }
    if (!options.classes_ok) check_classes(model.class_names, rows);
    check_dense_columns(rows, options);
    if (options.thermometer_budget > 0 && labels.empty()) {
        throw Error(ErrorCode::kUsage, "`thermometer_budget` needs labelled rows to choose on");
    }
    model.preprocessing = data::Preprocessing::fit(
        rows,
        {options.preprocess, options.bias, options.dense_ok, options.thermometer_budget, labels});
    const std::size_t outputs = model.classes() == 2 ? 1 : model.classes();
    model.architecture = learn::Architecture::dense(model.preprocessing.inputs(), options.dense,
                                                    options.tree.fan_ins, outputs);
    const bool shared = ranks.several() && model.architecture.is_tree();
    const Range own = dist::own_share(ranks, outputs);
    check_memory(rows,
                 shared ? model.architecture.part({0, std::max<std::size_t>(1, own.count)})
                        : model.architecture,
                 options);
    model.posterior = shared ? learn::Posterior(model.architecture, options.algorithm, own)
                             : learn::Posterior(model.architecture, options.algorithm);
    model.posterior.draw_prior(options.seed, options.prior_scale);
    model.columns = rows.columns();
    if (model.preprocessing.kept) model.columns.kept = model.preprocessing.kept->column;
    model.seed = options.seed;
    model.prior_scale = options.prior_scale;
    model.evidence = options.evidence.first;
    if (!options.label_noise || *options.label_noise > 0) {
        const auto eps = static_cast<float>(options.label_noise.value_or(learn::kMinLabelNoise));
        model.label_noise = {std::vector<float>(outputs, eps), !options.label_noise};
    }
    model.memory = options.memory;
    if (options.algorithm == Algorithm::kBackprop) {
        model.learning_rate =
            options.learning_rate.value_or(learn::paper_learning_rate(model.architecture.inputs));
    }
    return model;
}

Trainer::Trainer(learn::ModelState model, const LabelledRows& training,
                 std::optional<LabelledRows> test, const TrainOptions& options,
                 TrainPosition position, dist::Communicator& ranks)
    : training_(training),
      test_(std::move(test)),
      options_(decided(options, training.rows)),
      model_(std::move(model), {options.threads, options.backend, &ranks}, practice_of(options_)),
      position_(std::move(position)) {
    if (position_.sample > 0 && position_.sample >= training_.rows.size()) {
        throw Error(ErrorCode::kModel, "the checkpoint's position is beyond the data");
    }
    model_.check(training_.rows);
    labels_ = model_.classes().labels_of(training_);
    weights_ = row_weights(training_, options_.class_weight);
    if (test_) {
        model_.check(test_->rows);
        model_.classes().labels_of(*test_);
    }
}

std::vector<std::size_t> Trainer::epoch_order() const {
    const std::size_t rows = training_.rows.size();
    std::vector<std::size_t> order(rows);
    std::iota(order.begin(), order.end(), std::size_t{0});
    if (options_.shuffle) {
        const auto epoch = static_cast<std::uint32_t>(position_.epochs_done);
        const auto shuffled = Philox(options_.seed, Purpose::kShuffle, epoch).permutation(rows);
        std::copy(shuffled.begin(), shuffled.end(), order.begin());
    }
    return order;
}

/// Samples learned by the whole run, including before a resume.
std::uint64_t Trainer::total() const {
    return std::uint64_t{position_.epochs_done} * training_.rows.size() + position_.sample;
}

/// Rows until the next event, a checkpoint or a power of two (for progress rows), and on to the end
/// of the batch; at most to the end of the epoch.
std::size_t Trainer::next_block(std::uint64_t every) const {
    const std::uint64_t batch = options_.batch.value_or(1);
    std::uint64_t count =
        std::min<std::uint64_t>(model_.block_rows(), std::bit_ceil(total() + 1) - total());
    if (every > 0) count = std::min(count, every - total() % every);
    const std::uint64_t batches = (position_.sample + count + batch - 1) / batch;
    return std::min<std::uint64_t>(batches * batch, training_.rows.size()) - position_.sample;
}

data::Shift Trainer::shift() const {
    return {options::shift_of(options_), options_.seed,
            static_cast<std::uint32_t>(position_.epochs_done)};
}

void Trainer::learn(std::span<const std::size_t> rows, std::span<const std::size_t> upcoming) {
    const auto start = std::chrono::steady_clock::now();
    take_rows<std::uint32_t>(labels_, rows, block_labels_);
    take_rows<float>(weights_, rows, block_weights_);
    block_rows_ = rows.size();
    block_errors_ = 0;
    model_.learn(
        training_.rows, rows, block_labels_,
        [&](std::size_t row, std::span<const float> z, std::span<const float> eps) {
            block_errors_ += learn::winner(z, eps) != block_labels_[row];
        },
        block_weights_, shift(), upcoming);
    position_.sample += rows.size();
    position_.epoch_errors += block_errors_;
    weight_updates_ += rows.size() * model_.description().architecture.weights();
    if (position_.sample == training_.rows.size()) model_.end_epoch();
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start;
    position_.epoch_seconds += passed.count();
    run_seconds_ += passed.count();
}

TrainProgress Trainer::progress() const {
    return {position_.epochs_done + 1,
            *options_.epochs,
            position_.sample,
            training_.rows.size(),
            weight_updates_,
            run_seconds_,
            share(position_.epoch_errors, position_.sample),
            share(block_errors_, block_rows_)};
}

void Trainer::finish_epoch() {
    EpochReport report{position_.epochs_done + 1, model_.learner().samples_seen(),
                       position_.epoch_seconds,
                       share(position_.epoch_errors, training_.rows.size()), std::nullopt};
    if (test_) report.test = evaluate(model_, *test_, options_.threads);
    position_.history.push_back(std::move(report));
    ++position_.epochs_done;
    position_.sample = 0;
    position_.epoch_errors = 0;
    position_.epoch_seconds = 0;
}

bool Trainer::run(const Hooks& hooks) {
    while (position_.epochs_done < *options_.epochs) {
        const auto order = epoch_order();
        if (options_.algorithm == Algorithm::kMfb) {
            model_.set_evidence(
                evidence_of_epoch(options_.evidence, position_.epochs_done, *options_.epochs));
        }
        for (bool epoch_over = false; !epoch_over;) {
            const std::uint64_t before = total();
            const auto rest = std::span(order).subspan(position_.sample);
            const std::size_t count = next_block(hooks.every);
            learn(rest.first(count), rest.subspan(count));
            const bool go_on = !hooks.progress || hooks.progress(progress());
            epoch_over = position_.sample == training_.rows.size();
            if (epoch_over) {
                finish_epoch();
                if (hooks.epoch) hooks.epoch(position_.history.back());
            }
            const bool due =
                hooks.every > 0 ? total() / hooks.every > before / hooks.every : epoch_over;
            if (due && hooks.checkpoint) hooks.checkpoint();
            if (!go_on) return false;
        }
    }
    if (!position_.history.empty()) final_test_ = position_.history.back().test;
    return options_.polish == 0 || polish(hooks.progress);
}

bool Trainer::polish(const std::function<bool(const TrainProgress&)>& progress_hook) {
    const auto start = std::chrono::steady_clock::now();
    PolishPlan plan{.rounds = options_.polish,
                    .context = {options_.threads, options_.backend, &model_.ranks()},
                    .practice = practice_of(options_),
                    .seed = options_.seed,
                    .shift = options::shift_of(options_)};
    plan.go_on = [&](std::uint64_t round) {
        TrainProgress now = progress();
        now.polish_round = round;
        return !progress_hook || progress_hook(now);
    };
    auto pattern = training::polish(model_, training_.rows, labels_, weights_, plan);
    if (!pattern) return false;
    model_.set_polished(std::move(*pattern));
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start;
    polish_seconds_ = passed.count();
    if (final_test_) final_test_->error_map = clipped_error(model_, *test_, options_.threads);
    return true;
}

double Trainer::error_progressive() const {
    if (!position_.history.empty()) return position_.history.front().error_progressive;
    return share(position_.epoch_errors, position_.sample);
}

double Trainer::seconds() const {
    double sum = position_.epoch_seconds;
    for (const EpochReport& epoch : position_.history) sum += epoch.seconds;
    return sum;
}

}  // namespace bitbayes::training

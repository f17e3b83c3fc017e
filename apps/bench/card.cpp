#include "bench/card.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <future>
#include <limits>
#include <memory>
#include <numeric>
#include <random>

#include "base/thread_team.hpp"
#include "bench/subjects.hpp"
#include "cuda/card_array.hpp"
#include "cuda/forwarding_card.hpp"
#include "data/preprocess.hpp"
#include "learn/card_learner.hpp"

namespace bitbayes::cli {
namespace {

using namespace bench;

// As MNIST's: the pixels that are not 0 everywhere, and the constant input, are live.
constexpr std::size_t kPixels = 784, kEmptyPixels = 67, kInputs = kPixels + 1,
                      kLiveInputs = kInputs - kEmptyPixels, kOutputs = 10, kEpochRows = 60000;
constexpr std::size_t kTogether = cuda::TreeLessons::kMost;  // learners at once
constexpr std::size_t kBlocksBefore = 4;  // that a network learns before it is measured
constexpr double kTreeFma = 21;  // docs/performance.md, The floor: 13 FMA, 7 products, a sum
constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

/// Averages the clocks of all blocks of threads per row. One network learns on it.
class ClockedCard : public cuda::ForwardingCard {
  public:
    ClockedCard(std::unique_ptr<cuda::Card> card, RowClocks& average)
        : ForwardingCard(std::move(card)), average_(average) {}

    void learn(const cuda::TreeLessons& lessons) override {
        constexpr std::uint32_t kWarp = 32;
        cuda::TreeLessons clocked = lessons;
        clocks_.reserve(lessons.blocks_each());
        clocked.lesson[0].clocks = clocks_.data();
        ForwardingCard::learn(clocked);
        const cuda::TreeLesson& lesson = lessons.lesson[0];
        rows_ += lesson.rows.count;
        cuda::TreeClocks sum;  // each block's clocks go on from lesson to lesson
        for (const cuda::TreeClocks& block : downloaded(clocks_)) {
            for (std::size_t k = 0; k < cuda::kRowParts; ++k) sum.part[k] += block.part[k];
            sum.waiting += block.waiting;
        }
        const double all =
            static_cast<double>(rows_) * lessons.blocks_each() * (lesson.plan.threads / kWarp);
        for (std::size_t k = 0; k < cuda::kRowParts; ++k)
            average_.part[k] = static_cast<double>(sum.part[k]) / all;
        average_.waiting = static_cast<double>(sum.waiting) / all;
    }

  private:
    RowClocks& average_;
    std::size_t rows_ = 0;
    cuda::CardArray<cuda::TreeClocks> clocks_{*this};
};

/// Rows of bytes, of which a fifth is not 0, with random labels: as a card takes them, and as a CPU does.
struct Images {
    data::Preprocessing preprocessing;
    data::InputBlock cells, inputs;
    std::vector<std::uint32_t> labels;

    explicit Images(std::size_t rows) {
        constexpr unsigned kOneIn = 5;
        std::mt19937 random(1);
        std::vector<std::uint8_t> pixels(rows * kPixels);
        for (std::size_t k = 0; k < pixels.size(); ++k) {
            if (k % kPixels >= kEmptyPixels && random() % kOneIn == 0)
                pixels[k] = static_cast<std::uint8_t>(1 + random() % 255);
        }
        for (std::size_t r = 0; r < rows; ++r)
            labels.push_back(static_cast<std::uint32_t>(random() % kOutputs));
        const Rows table(std::span<const std::uint8_t>(pixels), kPixels);
        data::PreprocessOptions options;
        options.choice = "center";
        preprocessing = data::Preprocessing::fit(table, options);
        std::vector<std::size_t> all(rows);
        std::iota(all.begin(), all.end(), 0);
        preprocessing.gather(table, all, cells);
        preprocessing.apply(table, all, inputs);
    }
};

/// What is measured: a network of kInputs, and the same without inputs that are never live.
struct Network {
    learn::Architecture shape, live;
    std::size_t batch = 1;
};

/// A network, and rows that it learns again and again.
class Subject {
  public:
    Subject(Network network, std::size_t rows, unsigned card)
        : network_(std::move(network)),
          card_(card),
          images_(rows),
          start_(network_.shape),
          z_(rows * kOutputs) {
        start_.draw_prior(1, 1);
        const auto learner = on_card();
        for (std::size_t k = 0; k < kBlocksBefore; ++k) learn(*learner, z_);
        where = learner->where();
        start_ = learner->posterior();
    }

    std::string where;

    std::unique_ptr<learn::Learner> on_card() const {
        return learn::make_card_learner(start(), {}, cuda::open_card(card_));
    }
    std::unique_ptr<learn::Learner> on_cpu() const { return learn::make_learner(start(), {}); }

    void learn(learn::Learner& learner, std::vector<float>& z) const {
        learner.learn(learner.gathers() ? images_.cells : images_.inputs, images_.labels, z);
    }
    std::vector<float>& z() { return z_; }
    /// Weight updates in one block.
    double work() const {
        return static_cast<double>(network_.live.weights() * images_.labels.size());
    }

    RowClocks clocks() {
        RowClocks average;
        const auto learner = learn::make_card_learner(
            start(), {}, std::make_unique<ClockedCard>(cuda::open_card(card_), average));
        for (std::size_t k = 0; k < kBlocksBefore; ++k) learn(*learner, z_);
        return average;
    }

  private:
    learn::LearnerStart start() const {
        learn::LearnerStart s{network_.shape, start_};
        s.live_inputs = images_.preprocessing.live_inputs();
        s.preprocessing = &images_.preprocessing;
        s.practice.batch = network_.batch;
        return s;
    }

    Network network_;
    unsigned card_;
    Images images_;
    learn::Posterior start_;
    std::vector<float> z_;
};

/// Learners of a subject, each with a thread of its own.
class Several {
  public:
    explicit Several(const Subject& subject) : subject_(subject) {}

    void restore(std::size_t rows) {
        learners_.clear();
        for (std::size_t k = 0; k < kTogether; ++k) learners_.push_back(subject_.on_card());
        z_.assign(kTogether, std::vector<float>(rows * kOutputs));
    }
    /// So many blocks each.
    void learn(std::size_t blocks) {
        std::vector<std::future<void>> all;
        for (std::size_t k = 0; k < kTogether; ++k) {
            all.push_back(std::async(std::launch::async, [&, k] {
                for (std::size_t b = 0; b < blocks; ++b) subject_.learn(*learners_[k], z_[k]);
            }));
        }
        for (auto& one : all) one.get();
    }

  private:
    const Subject& subject_;
    std::vector<std::unique_ptr<learn::Learner>> learners_;
    std::vector<std::vector<float>> z_;
};

class Workbench {
  public:
    explicit Workbench(const CardBenchOptions& options)
        : options_(options), card_(*cuda::card_number(options.backend)) {
        const auto card = cuda::open_card(card_);
        result_.card = card->limits().name;
        block_rows_ = card->limits().block_rows;
        result_.threads = ThreadTeam::usable_cores();
        result_.simd_level = learn::default_backend();
    }

    CardBench measure() {
        result_.fma_per_ns = fma_per_ns();
        if (!options_.dense.empty()) {
            measure_dense();
        } else {
            for (const std::size_t neurons : options_.tree) measure_tree(neurons);
        }
        return result_;
    }

  private:
    double fma_per_ns() const {
        constexpr std::uint32_t kRounds = 20000;  // long enough for the card's clock to rise
        const auto card = cuda::open_card(card_);
        double best = 0;
        for (std::size_t slice = 0; slice <= options_.turns.slices; ++slice) {
            const double start = seconds_now(), count = card->compute(kRounds);
            if (slice > 0) best = std::max(best, count / (seconds_now() - start) / 1e9);
        }
        return best;
    }

    /// Of the card and the CPU, in turns.
    void measure_row(Subject& subject, CardRow row) {
        std::unique_ptr<learn::Learner> card, cpu;
        Timed turns[] = {{subject.work(), [&] { card = subject.on_card(); },
                          [&] { subject.learn(*card, subject.z()); }},
                         {subject.work(), [&] { cpu = subject.on_cpu(); },
                          [&] { subject.learn(*cpu, subject.z()); }}};
        for (std::size_t slice = 0; slice < options_.turns.slices; ++slice) {
            for (Timed& turn : turns) run_slice(turn, options_.turns.slice_seconds);
        }
        row.where = subject.where;
        row.ns_per_weight = turns[0].best_ns;
        row.cpu_ns_per_weight = turns[1].best_ns;
        result_.rows.push_back(std::move(row));
    }

    void measure_tree(std::size_t neurons) {
        const Network network{learn::Architecture::tree(kInputs, {neurons}, kOutputs),
                              learn::Architecture::tree(kLiveInputs, {neurons}, kOutputs)};
        CardRow row{fmt::format("{0}x({1}x{2})x{2}", kInputs, neurons, kOutputs),
                    network.shape.weights(), network.live.weights()};
        row.fma_per_weight = kTreeFma;
        Subject subject(network, block_rows_, card_);
        row.clocks = subject.clocks();
        measure_row(subject, row);
        if (neurons == options_.tree.front()) measure_several(subject, row);
    }

    void measure_several(const Subject& subject, CardRow row) {
        constexpr std::size_t kBlocks = 8;  // the first and the last are learned alone
        Several several(subject);
        Timed turn{subject.work() * kTogether * kBlocks, [&] { several.restore(block_rows_); },
                   [&] { several.learn(kBlocks); }};
        for (std::size_t slice = 0; slice < options_.turns.slices; ++slice)
            run_slice(turn, options_.turns.slice_seconds);
        row.learners = kTogether;
        row.where = subject.where;
        row.ns_per_weight = turn.best_ns;
        row.cpu_ns_per_weight = kNone;
        row.clocks.reset();
        result_.rows.push_back(std::move(row));
    }

    void measure_dense() {
        const auto of = [&](std::size_t inputs) {
            return learn::Architecture::dense(inputs, options_.dense, {}, kOutputs);
        };
        const Network network{of(kInputs), of(kLiveInputs), options_.batch};
        CardRow row{fmt::format("{}-{}-{}", kInputs, fmt::join(options_.dense, "-"), kOutputs),
                    network.shape.weights(), network.live.weights()};
        row.fma_per_weight =
            dense_fma_per_sample(network.live) / static_cast<double>(network.live.weights());
        const std::size_t batches = std::max<std::size_t>(1, block_rows_ / options_.batch);
        Subject subject(network, batches * options_.batch, card_);
        measure_row(subject, row);
    }

    const CardBenchOptions& options_;
    unsigned card_;
    std::size_t block_rows_;
    CardBench result_;
};

}  // namespace

double CardRow::epoch_seconds(double ns) const {
    return ns * 1e-9 * static_cast<double>(updated * learners * kEpochRows);
}

double CardBench::together() const {
    for (const CardRow& row : rows) {
        if (row.learners > 1) return rows.front().ns_per_weight / row.ns_per_weight;
    }
    return kNone;
}

CardBench bench_card(const CardBenchOptions& options) { return Workbench(options).measure(); }

}  // namespace bitbayes::cli

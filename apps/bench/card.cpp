#include "bench/card.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>
#include <memory>
#include <random>
#include <thread>

#include "base/thread_team.hpp"
#include "bench/subjects.hpp"
#include "cuda/card_array.hpp"
#include "cuda/forwarding_card.hpp"
#include "learn/card_learner.hpp"

namespace bitbayes::cli {
namespace {

using namespace bench;

constexpr std::size_t kInputs = 785, kOutputs = 10, kEpochRows = 60000;
constexpr std::size_t kTogether = 8;      // learners at once
constexpr std::size_t kBlocksBefore = 4;  // that a network learns before it is measured
constexpr double kTreeFma = 21;  // docs/performance.md, The floor: 13 FMA, 7 products, a sum
constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

/// Adds up for how long blocks of threads wait.
class ClockedCard : public cuda::ForwardingCard {
  public:
    ClockedCard(std::unique_ptr<cuda::Card> card, cuda::TreeClocks& sum)
        : ForwardingCard(std::move(card)), sum_(sum) {}

    void learn(const cuda::TreeLessons& lessons) override {
        cuda::TreeLessons clocked = lessons;
        clocks_.reserve(lessons.blocks_each() * lessons.count);
        for (std::uint32_t k = 0; k < lessons.count; ++k)
            clocked.lesson[k].clocks = clocks_.data() + k * lessons.blocks_each();
        ForwardingCard::learn(clocked);
        for (const cuda::TreeClocks& block : downloaded(clocks_)) {
            sum_.all += block.all;
            sum_.waiting += block.waiting;
        }
    }

  private:
    cuda::TreeClocks& sum_;
    cuda::CardArray<cuda::TreeClocks> clocks_{*this};
};

/// A network, and rows that it learns again and again.
class Subject {
  public:
    Subject(const learn::Architecture& shape, std::size_t batch, std::size_t rows, unsigned card)
        : shape_(shape), batch_(batch), card_(card), start_(shape), z_(rows * kOutputs) {
        std::mt19937 random(1);
        samples_ = random_samples(rows, kInputs, kOutputs, random);
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
        learner.learn(samples_.block, samples_.labels, z);
    }
    std::vector<float>& z() { return z_; }
    /// Weight updates in one block.
    double work() const { return static_cast<double>(shape_.weights() * samples_.block.rows); }

    double waiting() {
        cuda::TreeClocks sum;
        const auto learner = learn::make_card_learner(
            start(), {}, std::make_unique<ClockedCard>(cuda::open_card(card_), sum));
        for (std::size_t k = 0; k < kBlocksBefore; ++k) learn(*learner, z_);
        return static_cast<double>(sum.waiting) / static_cast<double>(sum.all);
    }

  private:
    learn::LearnerStart start() const {
        learn::LearnerStart s{shape_, start_};
        s.practice.batch = batch_;
        return s;
    }

    learn::Architecture shape_;
    std::size_t batch_;
    unsigned card_;
    learn::Posterior start_;
    Samples samples_;
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
        std::vector<std::thread> threads;
        for (std::size_t k = 0; k < kTogether; ++k) {
            threads.emplace_back([&, k] {
                for (std::size_t b = 0; b < blocks; ++b) subject_.learn(*learners_[k], z_[k]);
            });
        }
        for (auto& thread : threads) thread.join();
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
        constexpr std::uint32_t kRounds = 2000;
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
        const auto shape = learn::Architecture::tree(kInputs, {neurons}, kOutputs);
        CardRow row{fmt::format("{0}x({1}x{2})x{2}", kInputs, neurons, kOutputs), shape.weights()};
        row.fma_per_weight = kTreeFma;
        Subject subject(shape, 1, block_rows_, card_);
        row.waiting = subject.waiting();
        measure_row(subject, row);
        if (neurons == options_.tree.front()) measure_several(subject, row);
    }

    void measure_several(const Subject& subject, CardRow row) {
        constexpr std::size_t kBlocks = 2;
        Several several(subject);
        Timed turn{subject.work() * kTogether * kBlocks, [&] { several.restore(block_rows_); },
                   [&] { several.learn(kBlocks); }};
        for (std::size_t slice = 0; slice < options_.turns.slices; ++slice)
            run_slice(turn, options_.turns.slice_seconds);
        row.learners = kTogether;
        row.where = subject.where;
        row.ns_per_weight = turn.best_ns;
        row.cpu_ns_per_weight = kNone;
        row.waiting = kNone;
        result_.rows.push_back(std::move(row));
    }

    void measure_dense() {
        const auto shape = learn::Architecture::dense(kInputs, options_.dense, {}, kOutputs);
        CardRow row{fmt::format("{}-{}-{}", kInputs, fmt::join(options_.dense, "-"), kOutputs),
                    shape.weights()};
        row.fma_per_weight = dense_fma_per_sample(shape) / static_cast<double>(shape.weights());
        row.waiting = kNone;
        const std::size_t batches = std::max<std::size_t>(1, block_rows_ / options_.batch);
        Subject subject(shape, options_.batch, batches * options_.batch, card_);
        measure_row(subject, row);
    }

    const CardBenchOptions& options_;
    unsigned card_;
    std::size_t block_rows_;
    CardBench result_;
};

}  // namespace

double CardRow::epoch_seconds(double ns) const {
    return ns * 1e-9 * static_cast<double>(weights * learners * kEpochRows);
}

double CardBench::together() const {
    for (const CardRow& row : rows) {
        if (row.learners > 1) return rows.front().ns_per_weight / row.ns_per_weight;
    }
    return kNone;
}

CardBench bench_card(const CardBenchOptions& options) { return Workbench(options).measure(); }

}  // namespace bitbayes::cli

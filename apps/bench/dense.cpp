#include "bench/dense.hpp"

#include <algorithm>
#include <deque>
#include <limits>
#include <memory>
#include <random>

#include "base/thread_team.hpp"
#include "bench/subjects.hpp"
#include "bitbayes/read.hpp"
#include "bitbayes/train.hpp"
#include "bitbayes/types/error.hpp"
#include "data/named.hpp"

namespace bitbayes::cli {
namespace {

using namespace bench;

constexpr std::size_t kInputs = 785, kOutputs = 10, kEpochRows = 60000;
constexpr double kTargetError = 0.03;
constexpr double kMaxSeconds = 1200;  // of training until that error

/// Chains of FMA instructions on several threads at once.
class FmaPeak {
  public:
    explicit FmaPeak(unsigned threads) : team_(threads), jobs_(kJobsPerThread * threads) {}

    /// FMA of single floats.
    double work() const {
        const auto count = kernels::best().fma_chains(1);
        return static_cast<double>(jobs_ * kRounds * count.instructions * count.lanes);
    }
    void once() {
        std::vector<float> sums(jobs_);
        team_.run(jobs_, [&](std::size_t k) { sums[k] = kernels::best().fma_chains(kRounds).sum; });
        for (const float sum : sums) sink_ = sink_ + sum;
    }

  private:
    static constexpr std::size_t kJobsPerThread = 64, kRounds = 10000;
    ThreadTeam team_;
    std::size_t jobs_;
    volatile float sink_ = 0;
};

/// A network that learns the same few batches in turn, from its prior in each slice.
class DenseNetwork {
  public:
    DenseNetwork(const learn::Architecture& shape, std::size_t batch, unsigned threads)
        : shape_(shape), prior_(shape), batch_(batch), threads_(threads), z_(batch * kOutputs) {
        std::mt19937 random(1);
        prior_.draw_prior(1, 1);
        for (auto& samples : batches_) {
            samples = random_samples(batch, shape.inputs, kOutputs, random);
        }
    }

    double work() const { return static_cast<double>(shape_.weights() * batch_); }
    void restore() {
        learn::LearnerStart start{shape_, prior_};
        start.practice.batch = batch_;
        learner_ = learn::make_learner(std::move(start), {.threads = threads_});
        turn_ = 0;
        once();  // starts the threads, touches the memory
    }
    void once() {
        const Samples& samples = batches_[turn_++ % std::size(batches_)];
        learner_->learn(samples.block, samples.labels, z_);
    }

  private:
    learn::Architecture shape_;
    learn::Posterior prior_;
    std::size_t batch_;
    unsigned threads_;
    Samples batches_[10];
    std::vector<float> z_;
    std::unique_ptr<learn::Learner> learner_;
    std::size_t turn_ = 0;
};

void measure_rows(const learn::Architecture& shape, const DenseBenchOptions& options,
                  DenseBench& result) {
    std::deque<FmaPeak> peaks;
    std::deque<DenseNetwork> networks;
    std::vector<Timed> turns;  // of each row: the network, the peak
    const auto add = [&](unsigned threads) {
        auto& network = networks.emplace_back(shape, options.batch, threads);
        auto& peak = peaks.emplace_back(threads);
        turns.push_back({network.work(), [&] { network.restore(); }, [&] { network.once(); }});
        turns.push_back({peak.work(), [] {}, [&] { peak.once(); }});
        result.rows.push_back({threads});
    };
    const unsigned cores = ThreadTeam::usable_cores();
    add(1);
    if (cores > 1) add(cores);
    for (std::size_t slice = 0; slice < options.turns.slices; ++slice) {
        for (Timed& turn : turns) run_slice(turn, options.turns.slice_seconds);
    }
    for (std::size_t k = 0; k < result.rows.size(); ++k) {
        result.rows[k].ns_per_weight = turns[2 * k].best_ns;
        result.rows[k].fma_per_ns = 1 / turns[2 * k + 1].best_ns;
    }
}

/// The clipped network is the later one to reach the error.
void train_until(const DenseBenchOptions& options, UntilError& result) {
    const Dataset training = load_dataset("mnist:train"), test = load_dataset("mnist:test");
    TrainOptions train_options;
    train_options.dense = options.widths;
    train_options.batch = options.batch;
    train_options.epochs = std::numeric_limits<std::uint32_t>::max();
    double seconds = 0;
    TrainCallbacks callbacks;
    callbacks.epoch = [&](const EpochReport& report) {
        seconds += report.seconds;
        const Evaluation& evaluation = report.test.value();
        if (!result.mean && evaluation.error_mean <= kTargetError) result.mean = seconds;
        if (!result.clipped && evaluation.error_map <= kTargetError) result.clipped = seconds;
    };
    callbacks.progress = [&](const TrainProgress&) {
        return seconds < kMaxSeconds && !(result.mean && result.clipped);
    };
    train(training, train_options, &test, callbacks);
}

UntilError measure_until(const DenseBenchOptions& options, const BinaryNetShape& torch_shape) {
    UntilError result;
    try {
        const std::string folder = data::named_folder("mnist");
        train_until(options, result);
        result.torch = binarynet_until(torch_shape, kTargetError, folder, kMaxSeconds);
    } catch (const Error& error) {
        if (error.code() != ErrorCode::kIo) throw;
        result.missing = error.what();
    }
    return result;
}

}  // namespace

double DenseBench::fma_peak_share(const DenseRow& row) const {
    const double ns_per_sample = row.ns_per_weight * static_cast<double>(weights);
    return fma_per_sample / (ns_per_sample * row.fma_per_ns);
}

double DenseBench::samples_per_second(const DenseRow& row) const {
    return 1e9 / (row.ns_per_weight * static_cast<double>(weights));
}

double DenseBench::epoch_seconds(const DenseRow& row) const {
    return static_cast<double>(kEpochRows) / samples_per_second(row);
}

double DenseBench::speedup_vs_torch() const {
    return torch.seconds.value_or(std::numeric_limits<double>::quiet_NaN()) /
           epoch_seconds(rows.back());
}

DenseBench bench_dense(const DenseBenchOptions& options) {
    const auto shape = learn::Architecture::dense(kInputs, options.widths, {}, kOutputs);
    BinaryNetShape torch_shape{{kInputs - 1}, options.batch};
    for (const auto& layer : shape.layers) torch_shape.layers.push_back(layer.neurons);
    const BenchOptions half{(options.turns.slices + 1) / 2, options.turns.slice_seconds};

    DenseBench result;
    result.simd_level = kernels::best().name;
    result.widths = options.widths;
    result.batch = options.batch;
    result.weights = shape.weights();
    result.fma_per_sample = dense_fma_per_sample(shape);
    result.torch = binarynet_epoch(torch_shape, half);
    measure_rows(shape, options, result);
    if (result.torch.seconds) {
        const auto again = binarynet_epoch(torch_shape, half).seconds;
        result.torch.seconds =
            std::min(*result.torch.seconds, again.value_or(*result.torch.seconds));
    }
    if (options.until_error) result.until = measure_until(options, torch_shape);
    return result;
}

}  // namespace bitbayes::cli

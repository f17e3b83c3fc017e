#include "bench/train.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>
#include <random>

#include "base/thread_team.hpp"
#include "bench/slices.hpp"
#include "bench/subjects.hpp"

namespace bitbayes::cli {

namespace {

using kernels::KernelTable;
using namespace bench;

constexpr std::size_t kFanIns[] = {16, 64, 301, kHeadlineFanIn, 4096};
constexpr double kShares[] = {1, 0.5, 0.1};

struct Variant {
    BenchRow row;
    Timed timed;            // weights, or FMA instructions
    std::size_t lanes = 0;  // of an FMA instruction
};

/// All variants that are measured, and the data they work on.
class Workbench {
  public:
    Workbench() {
        add_fma();
        for (const std::size_t fan_in : kFanIns) add_layer(fan_in);
        add_network(1, learn::kBlockRows);
        add_network(10, 64);
        add_sure_layer();
    }

    TrainBench measure(const BenchOptions& options) {
        for (std::size_t slice = 0; slice < options.slices; ++slice) {
            for (Variant& variant : variants_) run_slice(variant.timed, options.slice_seconds);
        }
        TrainBench result;
        result.simd_level = kernels::best().name;
        for (Variant& variant : variants_) {
            if (variant.row.name == "fma") {
                result.fma.push_back({variant.row.level, 1 / variant.timed.best_ns, variant.lanes});
            } else {
                variant.row.ns_per_weight = variant.timed.best_ns;
                result.rows.push_back(variant.row);
            }
        }
        return result;
    }

  private:
    void add_fma() {
        constexpr std::size_t kRounds = 10000;
        for (const KernelTable* table : all_levels()) {
            const auto count = table->fma_chains(kRounds);
            variants_.push_back(
                {{"fma", table->name},
                 {static_cast<double>(count.instructions), [] {},
                  [this, table] { sink_ = sink_ + table->fma_chains(kRounds).sum; }},
                 count.lanes});
        }
    }

    void add_layer(std::size_t fan_in) {
        const TrainedLayer& start = trained_.emplace_back(fan_in, random_);
        FloatLayer& layer = float_layers_.emplace_back(start);
        CoreLayer& core = core_layers_.emplace_back(start);
        const auto work = static_cast<double>(start.weights());
        const auto restore_core = [&core] { core.restore(); };
        variants_.push_back(
            {{"learn", "core", fan_in}, {work, restore_core, [&core] { core.learn(); }}});
        variants_.push_back(
            {{"forward", "core", fan_in, 0}, {work, restore_core, [&core] { core.forward(); }}});
        for (const KernelTable* table : all_levels()) {
            const auto restore = [&layer, table] { layer.restore(*table); };
            variants_.push_back({{"forward", table->name, fan_in, 0},
                                 {work, restore, [&layer, table] { layer.forward(*table); }}});
        }
        BackpropLayer& backprop = backprop_layers_.emplace_back(start);
        for (const KernelTable* table : all_levels()) {
            variants_.push_back({{"backprop", table->name, fan_in},
                                 {work, [&backprop, table] { backprop.restore(*table); },
                                  [&backprop, table] { backprop.learn(*table); }}});
        }
        for (const double share : kShares) {
            const auto& D = messages_.emplace_back(start.shared_out(share, random_));
            for (const KernelTable* table : all_levels()) {
                variants_.push_back({{"learn", table->name, fan_in, share},
                                     {work, [&layer, table] { layer.restore(*table); },
                                      [&layer, &D, table] { layer.learn(*table, D); }}});
            }
        }
    }

    void add_sure_layer() {
        const TrainedLayer& start = trained_.emplace_back(kHeadlineFanIn, 3.0f, random_);
        FloatLayer& layer = float_layers_.emplace_back(start);
        for (const KernelTable* table : all_levels()) {
            variants_.push_back(
                {{"sure", table->name, kHeadlineFanIn},
                 {static_cast<double>(start.weights()), [&layer, table] { layer.restore(*table); },
                  [&layer, &start, table] { layer.learn(*table, start.D); }}});
        }
    }

    void add_network(std::size_t trees, std::size_t rows) {
        WholeNetwork& network = networks_.emplace_back(trees, rows, random_);
        for (const unsigned threads : thread_counts()) {
            auto& learner = learners_.emplace_back();
            variants_.push_back(
                {{"network", kernels::best().name, kHeadlineFanIn, 1, threads, trees},
                 {network.work(),
                  [&network, &learner, threads] { learner = network.learner(threads); },
                  [&network, &learner] { network.learn_block(*learner); }}});
        }
    }

    /// 1, 2, 3, ... up to all cores; on large machines 8, 16, 32, ... after 8.
    static std::vector<unsigned> thread_counts() {
        std::vector<unsigned> counts;
        const unsigned cores = ThreadTeam::usable_cores();
        for (unsigned n = 1; n < cores; n += n < 8 ? 1 : n) counts.push_back(n);
        counts.push_back(cores);
        return counts;
    }

    std::mt19937 random_{1};
    // Deques, since the variants hold references to the elements.
    std::deque<TrainedLayer> trained_;
    std::deque<FloatLayer> float_layers_;
    std::deque<BackpropLayer> backprop_layers_;
    std::deque<CoreLayer> core_layers_;
    std::deque<Messages> messages_;
    std::deque<WholeNetwork> networks_;
    std::deque<std::unique_ptr<learn::Learner>> learners_;
    std::vector<Variant> variants_;
    volatile float sink_ = 0;
};

}  // namespace

double TrainBench::ns(const BenchRow& like) const {
    for (const BenchRow& row : rows) {
        if (row.name == like.name && row.level == like.level && row.fan_in == like.fan_in &&
            row.update_share == like.update_share && row.threads == like.threads &&
            row.trees == like.trees) {
            return row.ns_per_weight;
        }
    }
    return std::numeric_limits<double>::quiet_NaN();
}

double TrainBench::fma_per_ns(const std::string& level) const {
    for (const FmaRate& rate : fma) {
        if (rate.level == level) return rate.per_ns;
    }
    return std::numeric_limits<double>::quiet_NaN();
}

double TrainBench::fma_slots(const std::string& level, double ns_per_weight) const {
    for (const FmaRate& rate : fma) {
        if (rate.level == level) {
            return ns_per_weight * rate.per_ns * static_cast<double>(rate.lanes);
        }
    }
    return std::numeric_limits<double>::quiet_NaN();
}

double TrainBench::headline(const std::string& level) const {
    return ns({"learn", level, kHeadlineFanIn});
}

double TrainBench::sure(const std::string& level) const {
    return ns({"sure", level, kHeadlineFanIn});
}

double TrainBench::backprop(const std::string& level) const {
    return ns({"backprop", level, kHeadlineFanIn});
}

double TrainBench::thread_scaling(std::size_t trees, unsigned threads) const {
    return ns({"network", simd_level, kHeadlineFanIn, 1, 1, trees}) /
           ns({"network", simd_level, kHeadlineFanIn, 1, threads, trees});
}

TrainBench bench_train(const BenchOptions& options) { return Workbench().measure(options); }

}  // namespace bitbayes::cli

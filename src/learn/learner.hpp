// A network that learns and answers blocks of rows: it owns its numbers, its scratch and its threads.
// Trainer, public API, evaluation and experiments use only this interface.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "data/preprocess.hpp"
#include "dist/communicator.hpp"
#include "learn/architecture.hpp"
#include "learn/label_noise.hpp"
#include "learn/posterior.hpp"

namespace bitbayes::cuda {
class Card;
}

namespace bitbayes::learn {

/// Rows per block, wherever a table is cut into blocks for a CPU.
inline constexpr std::size_t kBlockRows = 256;

/// Where a learner runs.
struct Context {
    unsigned threads = 0;          // 0: all cores
    std::string backend = "auto";  // auto, scalar, simd, cuda[:N]
    /// Ranks that learn one network together: all of them make the same calls.
    dist::Communicator* ranks = &dist::alone();
};

/// How `train` has a network with dense layers learn; anybody else learns row by row.
struct Practice {
    std::size_t batch = 1;  // rows learned at once
    /// Shares of inputs and hidden neurons that are left out, drawn for each row.
    double drop_input = 0, drop_hidden = 0;
};

/// A card for one caller alone, until this ends.
struct HeldCard {
    cuda::Card* card = nullptr;  // null: there is none
    std::unique_lock<std::mutex> lock = {};
};

class Learner {
  public:
    virtual ~Learner() = default;

    /// Learns the rows in order, in batches from the first. `labels`: a class index per row; with one
    /// output class 1 is +1. `weights`: how many times each row counts, 0 or more; empty: once.
    /// `z`: rows x outputs, of each row before its batch is learned. If it throws, the learner is
    /// broken: its trees may have learned different rows, and every later call throws.
    virtual void learn(const data::InputBlock& block, std::span<const std::uint32_t> labels,
                       std::span<float> z, std::span<const float> weights = {}) = 0;

    /// z = mu_L / sigma_L (BackProp: u_L) of each output, rows x outputs, by at most `threads`
    /// threads (0: all). May be called from several threads at once, unless ranks share the network.
    virtual void answer(const data::InputBlock& block, std::span<float> z,
                        unsigned threads = 0) const = 0;

    /// The end of an epoch: recomputes whatever is carried from step to step, as learn() does every
    /// kernels::kRefreshEvery samples.
    virtual void end_epoch() = 0;

    /// Evidence (MFB) or learning rate (BackProp) from here on.
    virtual void set_rate(float rate) = 0;

    virtual std::uint64_t samples_seen() const = 0;
    virtual const LabelNoise& label_noise() const = 0;
    /// The trees that this rank learns: all, unless ranks share them.
    virtual TreeRange trees() const = 0;
    /// The learned numbers, copied to the host: of trees(), or of some of them (of trees only).
    virtual Posterior posterior() const = 0;
    virtual Posterior posterior(TreeRange some) const = 0;

    virtual unsigned threads() const = 0;
    /// Rows that make a call worth its time.
    virtual std::size_t block_rows() const { return kBlockRows; }
    /// Whether it would rather have rows as Preprocessing::gather() copies them, and leaves the CPU free while it learns.
    virtual bool gathers() const { return false; }
    /// The card that it runs on, if any. Calls of learn(), answer() and posterior() wait until it is given back.
    virtual HeldCard hold_card() const { return {}; }
    /// What it runs on, e.g. "avx512".
    virtual const char* backend() const = 0;
    /// The same in words, e.g. "2 threads, avx512 kernels".
    virtual std::string where() const;
};

/// The initial state of a learner.
struct LearnerStart {
    Architecture architecture;  // of the whole network
    Posterior posterior;        // of the whole network, or of this rank's trees
    float rate = 1;             // evidence (MFB) or learning rate (BackProp)
    std::uint64_t samples_seen = 0;
    /// Inputs of layer 1 that dense blocks hold, ascending; unset: all. The weights of other inputs
    /// never move.
    std::optional<std::vector<std::uint32_t>> live_inputs = std::nullopt;
    bool sparse = false;     // blocks are sparse
    bool bias = true;        // the last input is a constant, which dropout spares
    std::uint64_t seed = 1;  // decides the prior, and what is left out
    double prior_scale = 1;
    LabelNoise label_noise = {};
    std::optional<std::uint64_t> memory = std::nullopt;  // as in ModelState
    Practice practice = {};
    /// How inputs follow from cells; read by make_learner() alone. Null: blocks never hold cells.
    const data::Preprocessing* preprocessing = nullptr;
};

/// A learner of that architecture and rule. Error(kUsage) for an unknown backend,
/// Error(kUnavailable) for one that cannot run or an architecture without a learner.
std::unique_ptr<Learner> make_learner(LearnerStart start, const Context& context);

/// What backend "auto" runs on here, e.g. "avx512".
const char* default_backend();

}  // namespace bitbayes::learn

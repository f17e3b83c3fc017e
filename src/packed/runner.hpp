// A packed network and what it needs to answer, built once.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "base/pool.hpp"
#include "base/thread_team.hpp"
#include "packed/engine.hpp"
#include "packed/network.hpp"

namespace bitbayes::packed {

/// Const member functions may be called from many threads at once.
class Runner {
  public:
    explicit Runner(Network network) : network_(std::move(network)), engine_(network_) {}
    Runner(const Runner&) = delete;
    Runner& operator=(const Runner&) = delete;

    const Network& network() const { return network_; }
    const Engine& engine() const { return engine_; }
    ThreadTeam& team() const { return team_; }
    void abstain_below(std::int64_t margin) { network_.abstain_below = margin; }

    /// One row, one value per column.
    Answer answer(std::span<const double> row) const;

  private:
    struct Scratch {
        std::vector<std::int16_t> columns;
        std::vector<std::int64_t> scores;
    };

    Network network_;
    Engine engine_;  // refers to network_
    mutable ThreadTeam team_;
    mutable Pool<Scratch> pool_;
};

}  // namespace bitbayes::packed

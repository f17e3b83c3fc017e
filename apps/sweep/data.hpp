// The rows of a sweep: read once per process, shared by all its runs.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>

#include "bitbayes/types/reading.hpp"
#include "sweep/config.hpp"
#include "terminal/output.hpp"

namespace bitbayes::cli::sweep {

class Data {
  public:
    Data(const Config& config, const Common& common);

    /// All rows that are not a test set of their own.
    const Dataset& rows() const { return all_.train; }
    /// What a run learns and is tested on; a hold-out is drawn by the seed of the run, as `train` does.
    /// May be called by several threads.
    std::shared_ptr<const LoadedData> split(std::uint64_t seed) const;
    std::uint64_t folds() const { return folds_; }
    /// 0 without.
    double hold_out() const { return hold_out_.value_or(0); }

    /// Fingerprints of the rows and how runs are tested: equal in all runs of a sweep.
    const Json& identity() const { return identity_; }

  private:
    std::shared_ptr<const LoadedData> shared_;
    const LoadedData& all_;
    std::optional<double> hold_out_;
    std::uint64_t folds_;
    Json identity_;
    mutable std::mutex mutex_;
    mutable std::map<std::uint64_t, std::weak_ptr<const LoadedData>> splits_;
};

}  // namespace bitbayes::cli::sweep

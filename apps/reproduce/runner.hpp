// One training run on MNIST: checkpointed, so that an interrupted reproduction resumes in the middle
// of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bitbayes/train.hpp"
#include "bitbayes/types/reading.hpp"
#include "learn/model_state.hpp"
#include "reproduce/run_store.hpp"

namespace bitbayes::cli::reproduce {

/// As `--dense` and `--tree` say it.
struct Shape {
    std::vector<std::size_t> dense, tree;
};

struct TrainingSpec {
    std::string experiment;  // mnist, single-layer or dense
    Algorithm algorithm = Algorithm::kMfb;
    std::string preprocess = "center";  // or standardize, or global
    std::uint64_t seed = 1;
    std::uint64_t epochs = 1;
    std::optional<double> learning_rate = std::nullopt;  // unset: the paper's
    double evidence = 1;
    std::optional<Shape> shape = std::nullopt;  // unset: the paper's

    std::string name() const;
};

class Runner {
  public:
    Runner(const Plan& plan, const RunStore& store, const LoadedData& data)
        : plan_(plan), store_(store), data_(data) {}

    /// {"name", "command", ..., "history"}, with "dense", "tree", "architecture" and "nll" if the spec has a
    /// shape; `model` receives the trained network. Null if it
    /// is somebody else's turn.
    Json train(const TrainingSpec& spec, learn::ModelState* model = nullptr) const;

  private:
    const Plan& plan_;
    const RunStore& store_;
    const LoadedData& data_;
};

}  // namespace bitbayes::cli::reproduce

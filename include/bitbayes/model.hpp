// A trained network: what it knows, what it answers, and how to let it learn on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bitbayes/dataset.hpp"

namespace bitbayes {

namespace learn {
struct ModelState;
}

/// kMfb is MFB-BackProp. kBackprop is the paper's baseline: gradient descent on real weights, which
/// has answers and, clipped, a binary network, but no probabilities.
enum class Algorithm { kMfb, kBackprop };

/// kMean averages over the posterior of all weights; kMap asks the clipped network, every weight +1
/// or -1. Of BackProp, kMean is the network on real weights.
enum class Mode { kMean, kMap };

struct Answer {
    std::uint32_t class_index = 0;
    double probability = 0;  // of the class; NaN for kMap and BackProp
    /// Probability that the output pattern is legal at all; kMap and BackProp: 0 or 1.
    double validity = 1;
    /// Winner minus runner-up, in standard deviations; kMap: an integer; BackProp: of the inputs u.
    double margin = 0;
    bool known = true;  // false: "don't know", a packed network's margin is too small
};

/// Fractions over the rows of one data set. NLL in nats, Brier summed over classes, ECE with 15
/// bins; these three are NaN for BackProp.
struct Evaluation {
    std::size_t rows = 0;
    double error_map = 0;
    double error_mean = 0;
    double nll = 0;
    double brier = 0;
    double ece = 0;
    double validity = 0;
    /// confusion[truth][answer], of the Bayes average.
    std::vector<std::vector<std::uint64_t>> confusion;
};

struct UpdateReport {
    std::size_t rows = 0;
    double error_progressive = 0;  // of the Bayes average, each row answered before it was learned
    double seconds = 0;
};

class Model {
  public:
    explicit Model(learn::ModelState state);
    Model(Model&&) noexcept;
    Model& operator=(Model&&) noexcept;
    ~Model();

    static Model load(const std::string& path);
    /// Written to a temporary name, synced and renamed; throws if `path` exists and `overwrite` is
    /// false.
    void save(const std::string& path, bool overwrite = false) const;

    std::size_t features() const;
    const std::vector<std::string>& class_names() const;
    std::uint64_t samples_seen() const;

    /// threads = 0: all cores. The answers do not depend on it.
    std::vector<Answer> predict(const Dataset& data, Mode mode = Mode::kMean,
                                unsigned threads = 0) const;
    Answer predict(std::span<const double> features, Mode mode = Mode::kMean) const;
    Evaluation evaluate(const Dataset& data, unsigned threads = 0) const;

    /// One pass over the rows in their order: the posterior is the next prior.
    UpdateReport update(const Dataset& data, unsigned threads = 0);
    /// Learns one sample and returns what the network would have answered before.
    Answer learn(std::span<const double> features, std::string_view label);

    const learn::ModelState& state() const { return *state_; }
    learn::ModelState& state() { return *state_; }

  private:
    std::unique_ptr<learn::ModelState> state_;
};

}  // namespace bitbayes

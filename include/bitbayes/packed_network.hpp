// The clipped network as a thing of its own: weights of one bit, whole numbers only. Smaller and
// faster than the model it comes from; it answers, but learns no more.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "bitbayes/dataset.hpp"
#include "bitbayes/model.hpp"

namespace bitbayes {

namespace packed {
struct Network;
}

struct PackOptions {
    std::size_t draws = 0;   // further networks drawn from the posterior; all vote
    std::uint64_t seed = 1;  // of the draws
};

struct PackedEvaluation {
    std::size_t rows = 0;
    double error_map = 0;
    double legal = 0;           // share of rows with a legal output pattern
    double abstained = 0;       // share of rows whose answer is "don't know"
    double error_accepted = 0;  // of the others; NaN if there are none
    std::vector<std::vector<std::uint64_t>> confusion;  // [truth][answer], of all rows
};

/// A margin below which "don't know" is the answer, and what it does on the data it was chosen on.
struct AbstainChoice {
    std::int64_t below = 0;
    double abstained = 0;       // share of rows
    double error_accepted = 0;  // of the others
};

class PackedNetwork {
  public:
    explicit PackedNetwork(packed::Network network);
    explicit PackedNetwork(const Model& model, const PackOptions& options = {});
    PackedNetwork(PackedNetwork&&) noexcept;
    PackedNetwork& operator=(PackedNetwork&&) noexcept;
    ~PackedNetwork();

    static PackedNetwork load(const std::string& path);
    /// Written to a temporary name, synced and renamed; throws if `path` exists and `overwrite` is
    /// false.
    void save(const std::string& path, bool overwrite = false) const;

    std::size_t features() const;
    const std::vector<std::string>& class_names() const;

    /// The answers of the model's Mode::kMap, bit for bit. threads = 0: all cores.
    std::vector<Answer> predict(const Dataset& data, unsigned threads = 0) const;
    Answer predict(std::span<const double> features) const;
    PackedEvaluation evaluate(const Dataset& data, unsigned threads = 0) const;

    /// From now on a margin below the lowest one that brings the error of the other rows of `data`
    /// below `rate` means "don't know".
    AbstainChoice abstain(const Dataset& data, double rate, unsigned threads = 0);

    const packed::Network& network() const { return *network_; }

  private:
    std::unique_ptr<packed::Network> network_;
};

}  // namespace bitbayes

// The clipped network on its own: one-bit weights, integers only. Smaller and faster than the model
// it comes from; it answers, but can no longer learn.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bitbayes/types/answer.hpp"
#include "bitbayes/types/export.hpp"
#include "bitbayes/types/reading.hpp"
#include "bitbayes/types/rows.hpp"

namespace bitbayes {

class Model;

namespace packed {
struct Network;
}

struct PackOptions {
    std::size_t draws = 0;   // further networks drawn from the posterior; all add scores
    std::uint64_t seed = 1;  // of the draws
};

/// Const member functions may be called from many threads at once.
class BITBAYES_API PackedNetwork {
  public:
    explicit PackedNetwork(packed::Network network);
    /// Needs the whole library; everything else is in the target bitbayes::inference too.
    explicit PackedNetwork(const Model& model, const PackOptions& options = {});
    PackedNetwork(PackedNetwork&&) noexcept;
    PackedNetwork& operator=(PackedNetwork&&) noexcept;
    ~PackedNetwork();

    static PackedNetwork load(const std::string& path);
    /// Written to a temporary name, synced and renamed; throws if `path` exists and `overwrite` is
    /// false.
    void save(const std::string& path, bool overwrite = false) const;
    std::string to_bytes() const;
    static PackedNetwork from_bytes(std::string_view bytes);

    std::size_t features() const;
    /// How to read a table for this network: load_dataset(path, network.reading()).
    ReadOptions reading() const;
    const std::vector<std::string>& class_names() const;

    /// The answers of the model's Mode::kMap, bit for bit. At most `threads` threads; 0: all cores.
    std::vector<Answer> predict(const Rows& rows, unsigned threads = 0) const;
    /// One row, one value per feature; NaN is a missing value.
    Answer predict(std::span<const double> row) const;
    /// The integer scores, rows x outputs; with two classes there is one output.
    std::vector<std::int64_t> scores(const Rows& rows, unsigned threads = 0) const;
    PackedEvaluation evaluate(const LabelledRows& rows, unsigned threads = 0) const;

    /// Chooses the lowest margin at which the error of the accepted rows is below `rate`. From then
    /// on a smaller margin means "don't know".
    AbstainChoice abstain(const LabelledRows& rows, double rate, unsigned threads = 0);

    const packed::Network& network() const;  // for the sources of this library

  private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace bitbayes

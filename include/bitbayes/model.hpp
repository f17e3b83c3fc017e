// A trained network: its posterior, its answers, and further learning.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bitbayes/types/answer.hpp"
#include "bitbayes/types/export.hpp"
#include "bitbayes/types/reading.hpp"
#include "bitbayes/types/reports.hpp"
#include "bitbayes/types/rows.hpp"

namespace bitbayes {

namespace learn {
class LiveModel;
struct ModelState;
}  // namespace learn

/// One layer of the posterior, row by row: P(W = +1) = 1 / (1 + exp(-2 h)). With BackProp `values`
/// are the real weights. A snapshot: further learning does not change it, and it may outlive the
/// model.
struct PosteriorLayer {
    std::size_t neurons = 0;
    std::size_t fan_in = 0;
    /// The whole layer below and, above the first layer, a constant 1 as last input; else neuron i
    /// reads i*K .. i*K+K-1.
    bool reads_all = false;
    std::span<const float> values;  // neurons x fan_in
    std::shared_ptr<const void> owner;
};

/// One network, or several members that answer together: the Bayes average is the mean of their
/// probabilities, the clipped network a committee of theirs that adds scores.
/// Const member functions may be called from many threads at once. A Dataset converts to Rows and
/// to LabelledRows.
class BITBAYES_API Model {
  public:
    explicit Model(learn::ModelState state);
    /// Error(kUsage) unless they have the same columns, classes, network and so on.
    explicit Model(std::vector<learn::ModelState> members);
    Model(Model&&) noexcept;
    Model& operator=(Model&&) noexcept;
    ~Model();

    static Model load(const std::string& path);
    /// Written to a temporary name, synced and renamed; throws if `path` exists and `overwrite` is
    /// false.
    void save(const std::string& path, bool overwrite = false) const;
    /// The bytes of the file that save() writes.
    std::string to_bytes() const;
    static Model from_bytes(std::string_view bytes);
    /// A deep copy.
    Model clone() const;

    std::size_t members() const;
    /// A copy of member `index`, from 0, alone.
    Model member(std::size_t index) const;

    std::size_t features() const;
    /// How to read a table for this model: load_dataset(path, model.reading()).
    ReadOptions reading() const;
    const std::vector<std::string>& class_names() const;
    std::uint64_t samples_seen() const;
    Algorithm algorithm() const;
    std::size_t layers() const;
    /// Layer `index`, from 0; of the first member.
    PosteriorLayer posterior(std::size_t index) const;
    /// Per feature: how much the outputs depend on it, on rows made up from what the model knows of
    /// its training data. Shares that sum to 1, or all 0.
    std::vector<double> column_importance() const;

    /// Uses at most `threads` threads; 0: all cores. The answers do not depend on it.
    std::vector<Answer> predict(const Rows& rows, Mode mode = Mode::kMean,
                                unsigned threads = 0) const;
    /// One row, one value per feature; NaN is a missing value.
    Answer predict(std::span<const double> row, Mode mode = Mode::kMean) const;
    /// Probabilities of all classes, in the order of class_names(); they sum to 1. Error(kUsage)
    /// for BackProp.
    std::vector<double> probabilities(std::span<const double> row) const;
    /// The same for many rows: rows x classes.
    std::vector<double> probabilities(const Rows& rows, unsigned threads = 0) const;
    Evaluation evaluate(const LabelledRows& rows, unsigned threads = 0) const;
    /// Evaluates the clipped network alone.
    PackedEvaluation evaluate_clipped(const LabelledRows& rows, unsigned threads = 0) const;

    /// One pass over the rows in their order, one by one: the posterior is the next prior. Rows count
    /// as often as their weights say. Error(kData) for a row that cannot be learned, before any is.
    UpdateReport update(const LabelledRows& rows, unsigned threads = 0);
    /// Learns one sample and returns the answer from before learning it.
    Answer learn(std::span<const double> row, std::string_view label);
    /// Looks for a better clipped network (Mode::kMap, PackedNetwork, exports) than the signs of the
    /// posterior, on rows that the model has learned; the Bayes average stays as it is. train() ends
    /// with this. Learning drops what was found.
    void polish(const LabelledRows& rows, std::uint64_t rounds = 5, unsigned threads = 0);
    /// Adds a class after the others, with the tree that it would have had before the first sample;
    /// hidden layers that all classes share stay as they are.
    /// A model of two classes has one tree, of the second class: the first one gets its mirror image,
    /// so the answers among the two stay the same, and the odds between them are squared.
    void add_class(const std::string& name);
    /// update() and learn() forget from now on: what was learned `rows` rows ago counts 1/e, and the
    /// posterior returns to its prior. Unset: nothing is forgotten. Stored with the model.
    /// Error(kUsage) for 0 and for BackProp.
    void set_memory(std::optional<std::uint64_t> rows);
    std::optional<std::uint64_t> memory() const;

    // For the sources of this library: the first member, and what a file of all would hold.
    const learn::LiveModel& live() const;
    std::vector<learn::ModelState> snapshots() const;

  private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace bitbayes

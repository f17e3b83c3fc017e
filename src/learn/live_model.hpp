// A model in use: its description, and the learner that holds its numbers. The one loop over blocks
// of rows, for learning and for answering, is here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "base/pool.hpp"
#include "data/rows_ahead.hpp"
#include "learn/learner.hpp"
#include "learn/model_state.hpp"
#include "rows/labels.hpp"

namespace bitbayes::learn {

class LiveModel {
  public:
    /// Called with the index of a block's first row among those given, and z of its rows.
    using Visit = std::function<void(std::size_t first, std::span<const float> z)>;
    /// Called with the index of a row among those given, and its z and label noise.
    using VisitRow =
        std::function<void(std::size_t row, std::span<const float> z, std::span<const float> eps)>;

    explicit LiveModel(ModelState model, const Context& context = {},
                       const Practice& practice = {});
    /// With a learner of the caller's making.
    using LearnerMaker = std::function<std::unique_ptr<Learner>(LearnerStart)>;
    LiveModel(const LearnerMaker& make, ModelState model, dist::Communicator& ranks,
              const Practice& practice = {});

    /// Everything but the posterior, samples_seen and label_noise, which the learner holds.
    const ModelState& description() const { return description_; }
    const ClassIndex& classes() const { return classes_; }
    const Learner& learner() const { return *learner_; }
    /// That share this network.
    dist::Communicator& ranks() const { return ranks_; }
    std::size_t outputs() const { return description_.architecture.outputs(); }
    /// Label noise per output; empty: 0.
    std::span<const float> eps() const { return learner_->label_noise().eps; }

    /// Learns the given rows of `data` in that order; labels[k] is the class of the k-th, weights[k]
    /// how many times it counts (no weights: once). `visit` gets what would have been answered before
    /// the row was learned: z of before its batch, label noise of before the row.
    /// Images are moved by `shift`. `upcoming`: rows of `data` that later calls will probably bring, in
    /// their order; for a learner that takes cells they are gathered meanwhile, and `data` must live until the next call.
    void learn(const Rows& data, std::span<const std::size_t> rows,
               std::span<const std::uint32_t> labels, const VisitRow& visit,
               std::span<const float> weights = {}, const data::Shift& shift = {},
               std::span<const std::size_t> upcoming = {});
    void end_epoch() { learner_->end_epoch(); }
    /// How many times each row counts from here on; that of the description stays.
    void set_evidence(double evidence) { learner_->set_rate(static_cast<float>(evidence)); }
    /// The clipped network of this posterior; the next row that is learned drops it.
    void set_polished(SignPattern pattern) { description_.polished = std::move(pattern); }

    /// Answers the given rows, by at most `threads` threads (0: all). May be called from several
    /// threads at once.
    void answer(const Rows& data, std::span<const std::size_t> rows, const Visit& visit,
                unsigned threads = 0) const;

    /// The model as a file would hold it now, with the trees of this rank.
    ModelState snapshot() const;
    /// Error(kData) unless the rows have the columns that the model was trained on.
    void check(const Rows& data) const;

    /// Rows that learn() takes at a time: whole batches.
    std::size_t block_rows() const { return block_rows_; }
    /// Rows that answer() takes at a time.
    std::size_t answer_rows() const { return learner_->block_rows(); }

  private:
    const data::InputBlock& prepared(const Rows& data, std::span<const std::size_t> rows,
                                     const data::Shift& shift,
                                     std::span<const std::size_t> upcoming);

    struct Scratch {
        data::InputBlock block;
        std::vector<float> z;
    };

    ModelState description_;
    dist::Communicator& ranks_;
    ClassIndex classes_;
    std::unique_ptr<Learner> learner_;
    std::size_t block_rows_;
    Scratch scratch_;
    data::RowsAhead ahead_;
    mutable Pool<Scratch> pool_;
};

}  // namespace bitbayes::learn

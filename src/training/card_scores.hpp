// Scores of a packed network, computed on a card: the numbers of packed::Network::scores, which defines them. Inputs of layer 1 are made
// on the CPU, as for every other twin.
#pragma once

#include <cstddef>
#include <vector>

#include "base/range.hpp"
#include "base/thread_team.hpp"
#include "bitbayes/types/rows.hpp"
#include "cuda/card_array.hpp"
#include "cuda/packed.hpp"
#include "packed/network.hpp"
#include "packed/packed_answers.hpp"

namespace bitbayes::training {

class CardScores {
  public:
    /// Not networks of sparse rows, and no committees that vote.
    static bool takes(const packed::Network& network);

    /// Keeps both references. `together`: inputs, or neurons of a layer, of all rows that are on the card at a time, unless eight rows
    /// have more.
    CardScores(cuda::Card& card, const packed::Network& network, std::size_t together = 1 << 23);

    /// Calls visit(first, scores) for the given rows, in order and many at a time; `scores` are those of rows first, first + 1, ... The
    /// team makes the inputs.
    void for_each(const Rows& data, Range rows, ThreadTeam& team,
                  const packed::ScoreVisitor& visit);

  private:
    struct Layer {
        cuda::PackedLayer shape;
        cuda::CardArray<std::uint64_t> bits;
        cuda::CardArray<std::int64_t> threshold;

        Layer(cuda::Card& card, const packed::Layer& from, std::size_t inputs);
    };

    void put_inputs(const Rows& data, Range rows, ThreadTeam& team);
    void add_up(std::size_t groups);

    cuda::Card& card_;
    const packed::Network& network_;
    std::vector<std::vector<Layer>> members_;
    std::size_t rows_together_ = 0, widest_hidden_ = 0;
    std::vector<cuda::PackedRows> inputs_on_host_;
    cuda::CardArray<cuda::PackedRows> inputs_, signs_[2];
    cuda::CardArray<std::int64_t> scores_;
};

}  // namespace bitbayes::training

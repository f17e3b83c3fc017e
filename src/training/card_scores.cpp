#include "training/card_scores.hpp"

#include <algorithm>
#include <span>

namespace bitbayes::training {
namespace {

using cuda::kPackedRows;
using cuda::PackedRows;

std::uint32_t whole(std::size_t n) { return static_cast<std::uint32_t>(n); }
std::size_t groups_of(std::size_t rows) { return (rows + kPackedRows - 1) / kPackedRows; }

}  // namespace

bool CardScores::takes(const packed::Network& network) {
    return !network.sparse && (network.members.size() == 1 || network.adds_scores);
}

CardScores::Layer::Layer(cuda::Card& card, const packed::Layer& from, std::size_t inputs)
    : bits(card), threshold(card) {
    bits.put(from.bits);
    if (!from.threshold.empty()) threshold.put(from.threshold);
    shape = {whole(inputs),  whole(from.neurons), whole(from.fan_in),
             from.reads_all, bits.data(),         threshold.data()};
}

CardScores::CardScores(cuda::Card& card, const packed::Network& network, std::size_t together)
    : card_(card),
      network_(network),
      inputs_(card),
      signs_{cuda::CardArray<PackedRows>(card), cuda::CardArray<PackedRows>(card)},
      scores_(card) {
    for (const auto& member : network.members) {
        auto& layers = members_.emplace_back();
        for (const packed::Layer& each : member) {
            if (!layers.empty())
                widest_hidden_ = std::max<std::size_t>(widest_hidden_, layers.back().shape.neurons);
            layers.emplace_back(card, each,
                                layers.empty() ? network.inputs() : layers.back().shape.neurons);
        }
    }
    const std::size_t widest = std::max({network.inputs(), widest_hidden_, network.outputs()});
    rows_together_ = std::max<std::size_t>(together / widest / kPackedRows, 1) * kPackedRows;
}

void CardScores::for_each(const Rows& data, Range rows, ThreadTeam& team,
                          const packed::ScoreVisitor& visit) {
    packed::check_columns(network_, data);
    std::vector<std::int64_t> scores;
    for (std::size_t first = rows.first; first < rows.end(); first += rows_together_) {
        const Range some{first, std::min(rows_together_, rows.end() - first)};
        put_inputs(data, some, team);
        add_up(groups_of(some.count));
        scores.resize(some.count * network_.outputs());
        scores_.get(scores);
        visit(first, scores);
    }
}

/// The last group may have places without a row.
void CardScores::put_inputs(const Rows& data, Range rows, ThreadTeam& team) {
    const std::size_t columns = network_.quantiser.columns(), inputs = network_.inputs();
    inputs_on_host_.resize(groups_of(rows.count) * inputs);
    team.run(groups_of(rows.count), [&](std::size_t group) {
        const std::size_t first = group * kPackedRows,
                          count = std::min<std::size_t>(kPackedRows, rows.count - first);
        std::vector<std::int16_t> quantised(count * columns);
        packed::quantise_rows(network_, data, rows.first + first, quantised);
        for (std::size_t r = 0; r < count; ++r) {
            const auto x = network_.inputs_of(std::span(quantised).subspan(r * columns, columns));
            for (std::size_t k = 0; k < inputs; ++k)
                inputs_on_host_[group * inputs + k].row[r] = x[k];
        }
    });
    inputs_.put(inputs_on_host_);
}

void CardScores::add_up(std::size_t groups) {
    for (auto& each : signs_) each.reserve(groups * widest_hidden_);
    scores_.reserve(groups * kPackedRows * network_.outputs());
    cuda::PackedWork work;
    work.groups = whole(groups);
    for (const auto& layers : members_) {
        work.inputs = inputs_.data();
        for (std::size_t l = 0; l < layers.size(); ++l) {
            const bool last = l + 1 == layers.size();
            work.layer = layers[l].shape;
            work.signs = last ? nullptr : signs_[l % 2].data();
            work.scores = last ? scores_.data() : nullptr;
            card_.add_up(work);
            work.inputs = work.signs;
        }
        work.adds = true;
    }
}

}  // namespace bitbayes::training

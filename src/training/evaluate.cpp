#include "training/evaluate.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/thread_team.hpp"
#include "clip/clip.hpp"
#include "dist/collectives.hpp"
#include "learn/class_scores.hpp"
#include "learn/metrics.hpp"
#include "packed/engine.hpp"
#include "packed/packed_answers.hpp"
#include "training/card_scores.hpp"

namespace bitbayes::training {

namespace {

/// The scores of the trees of all ranks, for every row. In pieces: there is a tally of each rank.
void join_tallies(dist::Communicator& ranks, std::span<packed::ScoreTally> tally) {
    constexpr std::size_t kRows = 4096;
    std::vector<packed::ScoreTally> all;
    for (std::size_t first = 0; ranks.several() && first < tally.size(); first += kRows) {
        const auto some = tally.subspan(first, std::min(kRows, tally.size() - first));
        all.resize(some.size() * ranks.size());
        std::copy(some.begin(), some.end(), all.data() + ranks.rank() * some.size());
        dist::gather_shares(ranks, std::span(all), ranks.size());
        std::fill(some.begin(), some.end(), packed::ScoreTally());
        for (std::size_t k = 0; k < all.size(); ++k) some[k % some.size()].add(all[k]);
    }
}

/// The output trees [trees.first, trees.end()) of every member.
packed::Network clip_trees(const learn::Members& members, Range trees) {
    packed::Network network;
    for (const learn::LiveModel* member : members) {
        packed::Network next = clip::clip_trees(member->description(),
                                                member->learner().posterior(trees), trees.first);
        if (network.members.empty()) {
            network = std::move(next);
        } else {
            network.members.push_back(std::move(next.members[0]));
        }
    }
    network.adds_scores = members.size() > 1;
    return network;
}

/// On the learner's card if it has one.
void for_each_scores(const learn::Learner& learner, const packed::Network& network,
                     const Rows& data, Range rows, ThreadTeam& team,
                     const packed::ScoreVisitor& visit) {
    const auto held = CardScores::takes(network) ? learner.hold_card() : learn::HeldCard();
    if (held.card != nullptr) {
        CardScores(*held.card, network).for_each(data, rows, team, visit);
    } else {
        packed::for_each_scores(packed::Engine(network), data, rows, team, 0, visit);
    }
}

}  // namespace

std::vector<Answer> mean_answers(const learn::Members& members, const Rows& data,
                                 unsigned threads) {
    members.first().check(data);
    std::vector<Answer> result;
    result.reserve(data.size());
    members.answer(
        data,
        [&](std::size_t, const Answer& answer, std::span<const double>) {
            result.push_back(answer);
        },
        threads);
    return result;
}

std::vector<packed::Answer> clipped_answers(const learn::Members& members, const Rows& data,
                                            unsigned threads) {
    const learn::LiveModel& model = members.first();
    model.check(data);
    ThreadTeam team(threads);
    const learn::Architecture& architecture = model.description().architecture;
    const bool trees = architecture.is_tree();
    const Range own = model.learner().trees();
    // Ranks share trees, or the rows of a dense network.
    const Range rows = trees ? Range{0, data.size()} : dist::own_share(model.ranks(), data.size());
    const std::size_t together =
        trees ? std::clamp<std::size_t>(
                    kClippedTogether / (members.size() * architecture.weights_per_tree()), 1,
                    architecture.outputs())
              : own.count;
    std::vector<packed::ScoreTally> tally(data.size());
    for (std::size_t first = own.first; first < own.end(); first += together) {
        const std::size_t count = std::min(together, own.end() - first);
        const auto network = clip_trees(members, {first, count});
        for_each_scores(model.learner(), network, data, rows, team,
                        [&](std::size_t first_row, std::span<const std::int64_t> scores) {
                            for (std::size_t k = 0; k < scores.size(); ++k) {
                                tally[first_row + k / count].add(scores[k]);
                            }
                        });
    }
    if (trees) {
        join_tallies(model.ranks(), tally);
    } else {
        dist::gather_shares(model.ranks(), std::span(tally), tally.size());
    }
    std::vector<packed::Answer> result(data.size());
    std::transform(tally.begin(), tally.end(), result.begin(),
                   [](const packed::ScoreTally& each) { return each.answer(); });
    return result;
}

double clipped_error(const learn::Members& members, const LabelledRows& data, unsigned threads) {
    const auto answers = clipped_answers(members, data.rows, threads);
    const auto labels = members.first().classes().labels_of(data);
    std::size_t errors = 0;
    for (std::size_t r = 0; r < answers.size(); ++r) errors += answers[r].class_index != labels[r];
    return static_cast<double>(errors) /
           static_cast<double>(std::max<std::size_t>(1, answers.size()));
}

Evaluation evaluate(const learn::Members& members, const LabelledRows& data, unsigned threads,
                    PerClass per_class) {
    return evaluate(members, data, clipped_answers(members, data.rows, threads), threads,
                    per_class);
}

Evaluation evaluate(const learn::Members& members, const LabelledRows& data,
                    std::span<const packed::Answer> clipped, unsigned threads, PerClass per_class) {
    members.first().check(data.rows);
    const auto labels = members.first().classes().labels_of(data);
    const std::size_t classes = members.first().description().classes();
    learn::Scores scores(classes);
    std::optional<learn::ClassScores> class_scores;
    if (per_class == PerClass::kYes) class_scores.emplace(labels.size(), classes);
    members.answer(
        data.rows,
        [&](std::size_t row, const Answer& mean, std::span<const double> probability) {
            scores.add(labels[row], mean, probability, clipped[row].class_index);
            if (class_scores) class_scores->add(labels[row], mean.class_index, probability);
        },
        threads);
    Evaluation result = scores.result();
    if (class_scores) class_scores->fill(result);
    return result;
}

}  // namespace bitbayes::training

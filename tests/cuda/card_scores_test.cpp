// A packed network on a card has the scores of its definition, Network::scores; so a model on a card has the clipped answers of a model on
// the CPU.
#include "training/card_scores.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <limits>
#include <numeric>
#include <thread>

#include "bitbayes/bitbayes.hpp"
#include "cuda/forwarding_card.hpp"
#include "cuda/on_card.hpp"
#include "learn/card_learner.hpp"
#include "model/sample_models.hpp"
#include "packed/engine_samples.hpp"
#include "training/evaluate.hpp"
#include "training/polished.hpp"

namespace bitbayes::training {
namespace {

using packed::ColumnType;
using packed::Network;
using test::NetworkShape;

const cuda::CardLimits kLimits{"emulated", 4, 64, 64u << 10, 1u << 30};

struct Case {
    const char* name;
    ColumnType type;
    std::size_t columns, outputs;
    std::vector<std::size_t> dense, tree;
    std::size_t comparators = 0, members = 1;
};

void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

const Case kCases[] = {
    {"OneLayer", ColumnType::kU8, 70, 3, {}, {}},
    {"OneOutput", ColumnType::kI16, 65, 1, {}, {}},
    {"OneWord", ColumnType::kI16, 64, 3, {}, {}},
    {"LessThanAWord", ColumnType::kI16, 63, 3, {}, {5}},
    {"TreeOfTwoLayers", ColumnType::kU8, 150, 3, {}, {65}},
    {"TreeOfThreeLayers", ColumnType::kI16, 33, 3, {}, {7, 3}},
    {"TreeOfOneOutput", ColumnType::kBit, 129, 1, {}, {64, 2}},
    {"DenseOfTwoLayers", ColumnType::kI16, 50, 4, {67}, {}},
    {"DenseOfThreeLayers", ColumnType::kU8, 40, 3, {130, 20}, {}},
    {"TreesOnDense", ColumnType::kI8, 40, 3, {70}, {5, 3}},
    {"Bits", ColumnType::kBit, 100, 3, {}, {9}},
    {"Signs", ColumnType::kSign, 100, 3, {}, {9}},
    {"Comparators", ColumnType::kI16, 40, 3, {}, {9}, 4},
    {"Members", ColumnType::kI8, 70, 3, {}, {9}, 0, 2},
    {"MembersOfOneLayer", ColumnType::kI16, 70, 3, {}, {}, 0, 3},
    {"DenseMembers", ColumnType::kU8, 30, 3, {66}, {}, 3, 2},
};

NetworkShape shape_of(const Case& c) {
    NetworkShape shape = packed::shape_of(c.type, c.columns, c.tree, c.outputs, c.members,
                                          c.comparators, 1, c.dense);
    shape.adds_scores = true;
    return shape;
}

/// `rows`: whole numbers, one for each column.
void expect_scores(const Network& network, const std::vector<std::int16_t>& rows, Range some,
                   std::size_t together = 1 << 20) {
    const std::vector<double> values(rows.begin(), rows.end());
    const auto card = learn::test_card(kLimits);
    ThreadTeam team(2);
    std::vector<std::int64_t> scores;
    CardScores(*card, network, together)
        .for_each(Rows(std::span<const double>(values), network.quantiser.columns()), some, team,
                  [&](std::size_t first, std::span<const std::int64_t> next) {
                      EXPECT_EQ(first, some.first + scores.size() / network.outputs());
                      scores.insert(scores.end(), next.begin(), next.end());
                  });
    auto expected = packed::plain_scores(network, rows);
    expected.resize(some.end() * network.outputs());
    expected.erase(expected.begin(),
                   expected.begin() + static_cast<std::ptrdiff_t>(some.first * network.outputs()));
    EXPECT_EQ(scores, expected);
}

class CardScoresOf : public testing::TestWithParam<Case> {};
INSTANTIATE_TEST_SUITE_P(All, CardScoresOf, testing::ValuesIn(kCases),
                         [](const auto& each) { return each.param.name; });

TEST_P(CardScoresOf, AreThoseOfTheDefinition) {
    test::RandomNetwork random(1);
    for (const bool end_thresholds : {false, true}) {
        NetworkShape shape = shape_of(GetParam());
        shape.end_thresholds = end_thresholds;
        const Network network = random.network(shape);
        ASSERT_TRUE(CardScores::takes(network));
        expect_scores(network, random.rows(network, 1), {0, 1});
        const auto rows = random.rows(network, 37);
        expect_scores(network, rows, {0, 37});
        expect_scores(network, rows, {3, 17});
        expect_scores(network, rows, {0, 37}, 1);  // a few at a time
        expect_scores(network, rows, {1, 36}, 2500);
        expect_scores(network, rows, {0, 0});
    }
}

TEST(CardScores, OfSumsBeyond32Bits) {
    constexpr std::size_t kInputs = 70000;
    Network network;
    network.quantiser.missing.assign(kInputs, 0);
    network.table.features = kInputs;
    network.column.resize(kInputs);
    std::iota(network.column.begin(), network.column.end(), 0);
    packed::Layer layer(2, kInputs, true);
    for (std::size_t k = 0; k < kInputs; ++k) layer.set_positive(1, k);
    layer.threshold = {0, 0};
    network.members = {{layer}};
    const std::vector<std::int16_t> lowest(kInputs, -32768);
    ASSERT_LT(network.scores(lowest)[1], std::numeric_limits<std::int32_t>::min());
    expect_scores(network, lowest, {0, 1});
}

TEST(CardScores, AreNotForVotesAndSparseRows) {
    NetworkShape shape;
    shape.members = 2;
    EXPECT_FALSE(CardScores::takes(test::RandomNetwork(1).network(shape)));
    shape.adds_scores = true;
    Network network = test::RandomNetwork(1).network(shape);
    EXPECT_TRUE(CardScores::takes(network));
    network.sparse = true;
    EXPECT_FALSE(CardScores::takes(network));
}

/// Counts layers, and notes whether two calls ever meet.
class WatchedCard : public cuda::ForwardingCard {
  public:
    struct Seen {
        std::atomic<std::size_t> layers = 0;
        std::atomic<bool> busy = false, met = false;
    };
    WatchedCard(std::unique_ptr<cuda::Card> card, Seen& seen)
        : ForwardingCard(std::move(card)), seen_(seen) {}

    void add_up(const cuda::PackedWork& work) override {
        ++seen_.layers;
        alone([&] { ForwardingCard::add_up(work); });
    }
    void answer(const cuda::TreeQuestion& question) override {
        alone([&] { ForwardingCard::answer(question); });
    }
    void upload(void* to, const void* from, std::size_t bytes) override {
        alone([&] { ForwardingCard::upload(to, from, bytes); });
    }

  private:
    template <class Call>
    void alone(const Call& call) {
        if (seen_.busy.exchange(true)) seen_.met = true;
        std::this_thread::yield();
        call();
        seen_.busy = false;
    }
    Seen& seen_;
};

std::unique_ptr<learn::LiveModel> on_card(const learn::ModelState& state, WatchedCard::Seen& seen) {
    const auto make = [&](learn::LearnerStart start) {
        return learn::make_card_learner(
            std::move(start), {}, std::make_unique<WatchedCard>(learn::test_card(kLimits), seen));
    };
    return std::make_unique<learn::LiveModel>(make, state, dist::alone());
}

bool same(const std::vector<packed::Answer>& a, const std::vector<packed::Answer>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& x, const auto& y) {
        return x.class_index == y.class_index && x.margin == y.margin && x.legal == y.legal;
    });
}

void expect_answers_of_cpu(const std::vector<learn::ModelState>& states, const Rows& rows) {
    WatchedCard::Seen seen;
    std::vector<std::unique_ptr<learn::LiveModel>> models;
    std::vector<const learn::LiveModel*> on_cpu, on_cards;
    for (const learn::ModelState& state : states) {
        models.push_back(std::make_unique<learn::LiveModel>(state));
        on_cpu.push_back(models.back().get());
        models.push_back(on_card(state, seen));
        on_cards.push_back(models.back().get());
    }
    EXPECT_TRUE(same(clipped_answers(learn::Members(on_cards), rows, 2),
                     clipped_answers(learn::Members(on_cpu), rows, 2)));
    EXPECT_EQ(seen.layers, states.size() * states[0].architecture.depth());
}

TEST(ClippedAnswers, OfAModelOnACardAreThoseOfTheCpu) {
    const Dataset data = test::hard(), more = test::hard(100, 4, 5);
    for (const test::Shape& shape :
         {test::kShapes[0], test::kShapes[1], test::kShapes[2], test::kShapes[3]}) {
        for (const char* preprocess : {"center", "standardize", "thermometer:3", "none"}) {
            TrainOptions options = test::options_of(shape, 1);
            options.preprocess = preprocess;
            std::vector<learn::ModelState> states{train(data, options).model.live().snapshot()};
            EXPECT_TRUE(states[0].polished);
            expect_answers_of_cpu(states, more);
            states[0].polished.reset();
            expect_answers_of_cpu(states, more);
            options.seed = 2;
            states.push_back(train(data, options).model.live().snapshot());
            expect_answers_of_cpu(states, more);
        }
    }
}

TEST(ClippedAnswers, OfColumnsOfWordsOnACardAreThoseOfTheCpu) {
    Dataset rows;
    rows.features = 2;
    rows.rows = 5;
    rows.values = std::vector<double>{0.7, 1, -1, 0, 0.5, 2, NAN, 1, 3, NAN};
    const learn::ModelState model = test::words_model();
    rows.column_names = model.columns.names;
    rows.categories = model.columns.categories;
    expect_answers_of_cpu({model}, rows);
}

TEST(ClippedAnswers, HaveTheCardForThemselves) {
    const Dataset data = test::hard();
    const auto state = train(data, test::options_of(test::kShapes[0], 0)).model.live().snapshot();
    WatchedCard::Seen seen;
    const auto model = on_card(state, seen);
    const auto expected = clipped_answers(learn::LiveModel(state), data);
    std::vector<std::thread> threads;
    for (int k = 0; k < 2; ++k) {
        threads.emplace_back([&] {
            for (int times = 0; times < 20; ++times)
                EXPECT_TRUE(same(clipped_answers(*model, data, 1), expected));
        });
    }
    mean_answers(*model, data);
    for (auto& thread : threads) thread.join();
    EXPECT_FALSE(seen.met);
}

}  // namespace
}  // namespace bitbayes::training

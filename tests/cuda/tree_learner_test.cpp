// Trees on a card have the bits of trees on the CPU: same posterior, same outputs.
#include <gtest/gtest.h>

#include <atomic>
#include <random>
#include <thread>

#include "cuda/forwarding_card.hpp"
#include "cuda/on_card.hpp"
#include "cuda/plan.hpp"
#include "dist/thread_ranks.hpp"
#include "learn/card_learner.hpp"
#include "learn/tree_learner.hpp"

namespace bitbayes::learn {
namespace {

struct Case {
    const char* name;
    std::size_t inputs, classes;
    std::vector<std::size_t> tree;
    std::uint32_t multiprocessors;
    bool on_chip = true;
    float rate = 1;
    LabelNoise noise = {};
    std::optional<std::uint64_t> memory = std::nullopt;
    double prior_scale = 1;
    float scale = 1;       // of the inputs
    bool weights = false;  // rows count differently
    bool dead_inputs = false;
    Algorithm algorithm = Algorithm::kMfb;
    /// With the plan of a network that does not learn alone, and so many pieces of h in the card's memory.
    std::optional<std::uint32_t> far_pieces = std::nullopt;
    bool sparse = false;
};

void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

Case backprop(const char* name, std::size_t inputs, std::size_t classes,
              std::vector<std::size_t> tree, std::uint32_t multiprocessors, bool on_chip = true) {
    Case c{name, inputs, classes, std::move(tree), multiprocessors, on_chip, 0.01f};
    c.algorithm = Algorithm::kBackprop;
    return c;
}

Case sparse(const char* name, Case c) {
    c.name = name;
    c.sparse = true;
    return c;
}

Case beside_others(const char* name, std::uint32_t far_pieces, Case c) {
    c.name = name;
    c.far_pieces = far_pieces;
    return c;
}

std::vector<Case> cases() {
    LabelNoise fixed, automatic;
    fixed.eps = {0.05f, 0.02f, 0.1f};
    automatic.eps = {1e-4f, 1e-4f, 1e-4f};
    automatic.automatic = true;
    return {
        {"TwoLayers", 70, 3, {7}, 6},
        {"OneBlockPerTree", 70, 3, {7}, 3},
        {"MoreTreesThanMultiprocessors", 33, 5, {5}, 2},
        {"InTheCardsMemory", 150, 3, {9}, 6, false},
        {"ManyNeuronsPerGroup", 40, 2, {75}, 2},
        {"OneLayer", 100, 3, {}, 3},
        {"OneOutput", 65, 2, {31}, 4},
        {"ThreeLayers", 64, 3, {5, 3}, 9},
        {"WideUpperLayers", 40, 2, {5, 37}, 6, false},
        {"WideRows", 2700, 2, {4}, 2, false},
        {"WideRowsOneLayer", 2400, 2, {}, 2, false},
        {"FourWideLayers", 20, 1, {3, 4, 13}, 3, false},
        backprop("BackpropOfWideLayers", 40, 2, {5, 49}, 6, false),
        {"FourLayers", 30, 1, {3, 3, 3}, 5},
        {"StrongEvidence", 70, 3, {7}, 6, true, 10},
        {"Sure", 70, 3, {7}, 6, true, 3, {}, std::nullopt, 40},
        {"AlmostDead", 70, 3, {7}, 6, true, 2e-8f, {}, std::nullopt, 60},
        {"Dying", 70, 3, {7}, 6, true, 2e-7f, {}, std::nullopt, 60},
        {"LargeInputs", 20, 3, {5}, 6, true, 1, {}, std::nullopt, 1, 1e3f},
        {"LabelNoise", 40, 3, {5}, 6, true, 1, fixed},
        {"LabelNoiseOfOneLayer", 40, 3, {}, 3, true, 1, fixed},
        {"AutomaticLabelNoise", 40, 3, {5}, 6, true, 4, automatic},
        {"Memory", 70, 3, {5, 3}, 6, true, 1, {}, 2000},
        {"Weights", 70, 3, {7}, 6, true, 1, automatic, std::nullopt, 1, 1, true},
        backprop("Backprop", 70, 3, {7}, 6),
        backprop("BackpropOfOneLayer", 70, 3, {}, 6),
        backprop("BackpropOfThreeLayers", 70, 2, {5, 3}, 6),
        backprop("BackpropInTheCardsMemory", 150, 3, {9}, 6, false),
        {"DeadInputs", 90, 3, {7}, 6, true, 1, {}, std::nullopt, 1, 1, false, true},
        beside_others("BesideOthers", 3, {"", 330, 3, {17}, 6}),  // five pieces and a rest
        beside_others("BesideOthersMostlyOnChip", 1, {"", 330, 3, {17}, 6}),
        beside_others("BesideOthersOnChip", 0, {"", 150, 3, {17}, 6}),
        beside_others("BesideOthersWithoutRest", 2, {"", 256, 3, {17}, 6}),
        beside_others("BesideOthersOneLayer", 1, {"", 100, 3, {}, 3}),
        beside_others("BesideOthersThreeLayers", 1, {"", 130, 3, {6, 3}, 6}),
        beside_others("BesideOthersDying", 2,
                      {"", 330, 3, {17}, 6, true, 2e-7f, {}, std::nullopt, 60}),
        beside_others("BesideOthersMemory", 1, {"", 150, 3, {17}, 6, true, 1, {}, 2000}),
        sparse("Sparse", {"", 150, 3, {9}, 6}),
        sparse("SparseOneLayer", {"", 150, 3, {}, 3}),
        sparse("SparseThreeLayers", {"", 90, 3, {5, 3}, 9}),
        sparse("SparseWideLayers", {"", 90, 3, {3, 40}, 9, false}),
        sparse("SparseOneOutput", {"", 65, 2, {31}, 4}),
        sparse("SparseStrongEvidence", {"", 150, 3, {7}, 6, true, 10}),
        sparse("SparseLargeInputs", {"", 40, 3, {5}, 6, true, 1, {}, std::nullopt, 1, 1e3f}),
        sparse("SparseDying", {"", 150, 3, {7}, 6, true, 2e-7f, {}, std::nullopt, 60}),
        sparse("SparseLabelNoiseOfOneLayer", {"", 40, 3, {}, 3, true, 1, fixed}),
        sparse("SparseMemory", {"", 70, 3, {5, 3}, 6, true, 1, automatic, 2000}),
        sparse("SparseWeights", {"", 70, 3, {7}, 6, true, 1, {}, std::nullopt, 1, 1, true}),
        sparse("SparseBackprop", backprop("", 150, 3, {9}, 6)),
        sparse("SparseBackpropOfThreeLayers", backprop("", 90, 2, {5, 3}, 6)),
    };
}

/// Takes every lesson as if others ran beside it.
class CrowdedCard : public cuda::ForwardingCard {
  public:
    CrowdedCard(std::unique_ptr<Card> card, std::uint32_t far_pieces)
        : ForwardingCard(std::move(card)), far_pieces_(far_pieces) {}

    void learn(const cuda::TreeLessons& lessons) override {
        cuda::TreeLessons crowded = lessons;
        cuda::TreeLesson& lesson = crowded.lesson[0];
        cuda::CardLimits half = limits();
        half.half_shared_bytes =
            lesson.plan.shared_bytes - lesson.plan.neurons * far_pieces_ * 64 * sizeof(float);
        lesson.plan = cuda::plan_together(lesson.trees, half);
        ASSERT_EQ(lesson.plan.far_pieces, far_pieces_);
        ASSERT_EQ(lesson.plan.place, cuda::Place::kSplit);
        ForwardingCard::learn(crowded);
    }

  private:
    std::uint32_t far_pieces_;
};

constexpr std::uint64_t kSeen = kernels::kRefreshEvery - 20;  // so that few rows pass a refresh

class CardTrees : public testing::TestWithParam<Case> {
  protected:
    const Case& c() const { return GetParam(); }
    std::size_t outputs() const { return c().classes == 2 ? 1 : c().classes; }
    std::vector<std::uint32_t> live() const { return live_inputs(c().inputs, c().dead_inputs); }

    LearnerStart start() const {
        LearnerStart s;
        s.architecture = Architecture::tree(c().inputs, c().tree, outputs());
        s.posterior = Posterior(s.architecture, c().algorithm);
        s.posterior.draw_prior(3, c().prior_scale);
        s.rate = c().rate;
        s.samples_seen = kSeen;
        s.seed = 3;
        s.prior_scale = c().prior_scale;
        s.label_noise = c().noise;
        if (!s.label_noise.eps.empty()) s.label_noise.eps.resize(outputs());
        s.memory = c().memory;
        s.sparse = c().sparse;
        if (!c().sparse) s.live_inputs = live();
        return s;
    }

    std::unique_ptr<Learner> on_cpu() const {
        Context context;
        context.threads = 1;
        return make_tree_learner(start(), context, kernels::best());
    }
    std::unique_ptr<Learner> on_card() const {
        cuda::CardLimits limits{"emulated", c().multiprocessors,
                                128,        c().on_chip ? 200u << 10 : 22u << 10,
                                1u << 30,   128};
        auto card = test_card(limits);
        if (c().far_pieces) card = std::make_unique<CrowdedCard>(std::move(card), *c().far_pieces);
        return make_card_learner(start(), {}, std::move(card));
    }

    data::InputBlock rows(std::size_t count, unsigned seed) const {
        return c().sparse ? random_sparse_rows(count, c().inputs, seed, c().scale)
                          : random_rows(count, live().size(), seed, c().scale);
    }
};

TEST_P(CardTrees, HaveTheBitsOfTheCpu) {
    const auto cpu = on_cpu(), card = on_card();
    std::mt19937 engine(7);
    for (const std::size_t count : {1u, 2u, 40u, 3u}) {
        const data::InputBlock block = rows(count, static_cast<unsigned>(count));
        std::vector<std::uint32_t> labels(count);
        for (auto& label : labels)
            label = static_cast<std::uint32_t>(engine() % std::max<std::size_t>(2, c().classes));
        std::vector<float> weights;
        for (std::size_t r = 0; c().weights && r < count; ++r)
            weights.push_back(static_cast<float>(r % 3));
        std::vector<float> z_cpu(count * outputs()), z_card(count * outputs(), -77);
        cpu->learn(block, labels, z_cpu, weights);
        card->learn(block, labels, z_card, weights);
        EXPECT_EQ(z_cpu, z_card);
        expect_same(cpu->posterior(), card->posterior());
        EXPECT_EQ(cpu->label_noise().eps, card->label_noise().eps);
    }
    const data::InputBlock block = rows(11, 9);
    std::vector<float> z_cpu(11 * outputs()), z_card(11 * outputs(), -77);
    cpu->answer(block, z_cpu);
    card->answer(block, z_card);
    EXPECT_EQ(z_cpu, z_card);
    cpu->end_epoch();
    card->end_epoch();
    expect_same(cpu->posterior(), card->posterior());
    EXPECT_EQ(card->samples_seen(), kSeen + 46);
    const auto says = [&](const char* text) {
        return card->where().find(text) != std::string::npos;
    };
    EXPECT_EQ(says("the layers above too"),
              std::string(c().name).find("Wide") != std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(All, CardTrees, testing::ValuesIn(cases()),
                         [](const auto& test) { return test.param.name; });

/// As an H200.
cuda::CardLimits large_card() {
    return {"emulated", 132, 384, 227u << 10, 1u << 30, 384, 113u << 10};
}

ErrorCode refused(const Architecture& architecture, const Context& context = {}) {
    LearnerStart start;
    start.architecture = architecture;
    start.posterior = Posterior(architecture);
    return refusal([&] { make_card_learner(std::move(start), context, test_card(large_card())); });
}

TEST(CardLearner, RefusesWhatItDoesNotHave) {
    EXPECT_EQ(refused(Architecture::tree(5, {3}, 3)), ErrorCode::kInternal);
    EXPECT_EQ(refused(Architecture::tree(5, {3, 3, 3, 3}, 1)), ErrorCode::kUnavailable);
    const Architecture dense = Architecture::dense(5, {6}, {}, 2);
    EXPECT_EQ(refused(dense), ErrorCode::kInternal);
    test::ThreadRanks(2).run([&](dist::Communicator& ranks) {
        EXPECT_EQ(refused(dense, {.ranks = &ranks}), ErrorCode::kUnavailable);
    });
}

TEST(CardLearner, StopsWhereWeightsOverflow) {
    LearnerStart start;
    start.architecture = Architecture::tree(6, {3}, 3);
    start.posterior = Posterior(start.architecture);
    start.posterior.draw_prior(1, 1);
    start.rate = 1e38f;
    const auto learner = make_card_learner(std::move(start), {},
                                           test_card({"emulated", 3, 64, 64u << 10, 1u << 30}));
    data::InputBlock block;
    block.rows = 20;
    block.stride = 16;
    block.value.assign(20 * 16, 0);
    for (std::size_t k = 0; k < 20 * 6; ++k)
        block.value[k / 6 * 16 + k % 6] = static_cast<float>(k % 7) - 3;
    const std::vector<std::uint32_t> labels(20, 1);
    std::vector<float> z(60);
    const auto learn = [&] {
        for (int k = 0; k < 30; ++k) learner->learn(block, labels, z);
    };
    EXPECT_EQ(refusal(learn), ErrorCode::kUsage);
    EXPECT_THROW(learner->answer(block, z), Error);
}

cuda::Trees shape(std::uint32_t trees, std::uint32_t neurons, std::uint32_t inputs) {
    cuda::Trees t;
    t.depth = 2;
    t.count = trees;
    t.layer[0] = {neurons, inputs, static_cast<std::uint32_t>(padded(inputs))};
    t.layer[1] = {1, neurons, static_cast<std::uint32_t>(padded(neurons))};
    return t;
}

/// Notes how many lessons ran together at most.
class GroupsCard : public cuda::ForwardingCard {
  public:
    GroupsCard(std::unique_ptr<Card> card, std::atomic<std::uint32_t>& most)
        : ForwardingCard(std::move(card)), most_(most) {}

    void learn(const cuda::TreeLessons& lessons) override {
        std::uint32_t before = most_;
        while (before < lessons.count && !most_.compare_exchange_weak(before, lessons.count)) {
        }
        ForwardingCard::learn(lessons);
    }

  private:
    std::atomic<std::uint32_t>& most_;
};

/// `half`: bytes of shared memory for each of two networks on a multiprocessor.
void expect_bits_of_several(std::size_t half, cuda::Place place) {
    const cuda::CardLimits limits{"emulated", 6, 128, 200u << 10, 1u << 30, 128, half};
    constexpr std::size_t kLearners = 5, kBlocks = 3;
    const Architecture architecture = Architecture::tree(70, {7}, 3);
    const auto start = [&](std::uint64_t seed) {
        LearnerStart s;
        s.architecture = architecture;
        s.posterior = Posterior(architecture);
        s.posterior.draw_prior(seed, 1);
        s.seed = seed;
        return s;
    };
    // Some end before others.
    const auto learn_some = [&](Learner& learner, unsigned seed) {
        const std::size_t rows = 20 - 3 * seed;
        std::vector<float> z(rows * 3);
        std::vector<std::uint32_t> labels(rows);
        for (std::size_t r = 0; r < rows; ++r) labels[r] = static_cast<std::uint32_t>(r % 3);
        for (unsigned b = 0; b < kBlocks; ++b)
            learner.learn(random_rows(rows, 70, 10 * seed + b), labels, z);
        return z;
    };
    cuda::LessonQueue queue;
    std::atomic<std::uint32_t> most_together = 0;
    std::vector<std::unique_ptr<Learner>> on_card;
    std::vector<std::vector<float>> z(kLearners);
    for (std::size_t k = 0; k < kLearners; ++k) {
        on_card.push_back(make_card_learner(
            start(k), {}, std::make_unique<GroupsCard>(test_card(limits, &queue), most_together)));
    }
    std::vector<std::thread> threads;
    for (std::size_t k = 0; k < kLearners; ++k) {
        threads.emplace_back([&, k] { z[k] = learn_some(*on_card[k], static_cast<unsigned>(k)); });
    }
    for (auto& thread : threads) thread.join();
    for (std::size_t k = 0; k < kLearners; ++k) {
        const auto cpu = make_tree_learner(start(k), {.threads = 1}, kernels::best());
        EXPECT_EQ(learn_some(*cpu, static_cast<unsigned>(k)), z[k]);
        expect_same(cpu->posterior(), on_card[k]->posterior());
    }
    EXPECT_EQ(cuda::plan_together(shape(3, 7, 70), limits).place, place);
    EXPECT_GT(most_together, 1u);
}

TEST(CardLearner, SeveralOnOneCardHaveTheBitsOfTheCpu) {
    expect_bits_of_several(5000, cuda::Place::kChip);
    expect_bits_of_several(4500, cuda::Place::kSplit);
}

TEST(CardLearner, SharesTreesWithOtherRanks) {
    constexpr std::size_t kRows = 40, kTrees = 3;
    const Architecture architecture = Architecture::tree(70, {7}, kTrees);
    const auto start = [&] {
        LearnerStart s;
        s.architecture = architecture;
        s.posterior = Posterior(architecture);
        s.posterior.draw_prior(3, 1);
        s.label_noise.eps.assign(kTrees, 1e-4f);
        s.label_noise.automatic = true;
        s.rate = 4;
        s.samples_seen = kSeen;
        return s;
    };
    std::vector<std::uint32_t> labels(kRows);
    for (std::size_t r = 0; r < kRows; ++r) labels[r] = static_cast<std::uint32_t>(r * r % kTrees);
    const auto learn = [&](Learner& learner) {
        std::vector<float> z(kRows * kTrees, -77), answers(z);
        for (unsigned b = 0; b < 2; ++b) learner.learn(random_rows(kRows, 70, b), labels, z);
        learner.answer(random_rows(kRows, 70, 9), answers);
        z.insert(z.end(), answers.begin(), answers.end());
        return z;
    };
    const auto cpu = make_tree_learner(start(), {.threads = 1}, kernels::best());
    const std::vector<float> expected = learn(*cpu);
    for (const std::size_t size : {2u, 3u, 5u}) {
        test::ThreadRanks(size).run([&](dist::Communicator& ranks) {
            const auto card =
                make_card_learner(start(), {.ranks = &ranks},
                                  test_card({"emulated", 6, 128, 200u << 10, 1u << 30, 128}));
            EXPECT_EQ(learn(*card), expected);
            EXPECT_EQ(card->label_noise().eps, cpu->label_noise().eps);
            EXPECT_EQ(card->trees().count,
                      ranks.rank() < kTrees % size ? 1 + kTrees / size : kTrees / size);
            expect_same(cpu->posterior(card->trees()), card->posterior());
            card->end_epoch();
        });
    }
}

TEST(Plan, KeepsThePapersNetworkOnChip) {
    const auto plan = cuda::plan_lesson(shape(10, 301, 718), large_card());
    EXPECT_EQ(plan.parts, 13u);
    EXPECT_EQ(plan.neurons, 24u);
    EXPECT_EQ(plan.threads, 384u);
    EXPECT_EQ(plan.place, cuda::Place::kChip);
}

TEST(Plan, LetsTwoOfThePapersNetworksShareTheCard) {
    const auto plan = cuda::plan_together(shape(10, 301, 718), large_card());
    EXPECT_EQ(plan.place, cuda::Place::kSplit);
    EXPECT_EQ(plan.parts, 13u);
    EXPECT_EQ(plan.threads, 384u);
    EXPECT_LE(plan.shared_bytes, 113u << 10);
    EXPECT_EQ(plan.far_pieces, 6u);  // of 11
    EXPECT_EQ(cuda::plan_together(shape(10, 31, 718), large_card()).place, cuda::Place::kChip);
    EXPECT_EQ(cuda::plan_together(shape(10, 2501, 785), large_card()).place, cuda::Place::kFar);
}

TEST(Plan, LetsTwoOfThePapersNetworksLearnByBackpropWholeOnChip) {
    auto trees = shape(10, 301, 718);
    trees.backprop = true;
    const auto plan = cuda::plan_together(trees, large_card());
    EXPECT_EQ(plan.place, cuda::Place::kChip);
    EXPECT_LE(plan.shared_bytes, 113u << 10);
    EXPECT_LE(plan.threads, 384u);
}

TEST(Plan, LeavesRegistersForASecondNetwork) {
    const auto alone = cuda::plan_lesson(shape(10, 501, 64), large_card());
    EXPECT_EQ(alone.threads, 384u);
    const auto together = cuda::plan_together(shape(10, 501, 64), large_card());
    EXPECT_EQ(together.place, cuda::Place::kSplit);
    EXPECT_EQ(together.far_pieces, 0u);
    EXPECT_EQ(together.threads, 384u);
}

TEST(Plan, StreamsWhatDoesNotFit) {
    const auto plan = cuda::plan_lesson(shape(10, 2501, 785), large_card());
    EXPECT_EQ(plan.place, cuda::Place::kFar);
    EXPECT_EQ(plan.threads, 384u);
    EXPECT_LE(plan.parts * 10, 132u);
}

TEST(Plan, GivesEveryBlockANeuron) {
    for (std::uint32_t neurons = 1; neurons < 200; ++neurons) {
        for (const std::uint32_t trees : {1u, 3u, 10u, 200u}) {
            const auto plan = cuda::plan_lesson(shape(trees, neurons, 50), large_card());
            EXPECT_LT((plan.parts - 1) * plan.neurons, neurons);
            EXPECT_GE(plan.parts * plan.neurons, neurons);
            EXPECT_TRUE(plan.parts == 1 || plan.parts * trees <= 132);
            EXPECT_EQ(plan.threads % 32, 0u);
        }
    }
}

TEST(Plan, MovesLayersThatAreTooWideIntoTheCardsMemory) {
    cuda::Trees trees = shape(10, 301 * 101, 785);
    trees.depth = 3;
    trees.layer[1] = {101, 301, 304};
    trees.layer[2] = {1, 101, 112};
    const auto plan = cuda::plan_lesson(trees, large_card());
    EXPECT_EQ(plan.place, cuda::Place::kFar);
    EXPECT_GT(plan.room_floats * sizeof(float), large_card().shared_bytes_per_block);
    EXPECT_EQ(plan.shared_bytes, cuda::way_floats(plan.place, plan.threads) * sizeof(float));
    cuda::TreeQuestion question;
    question.trees = trees;
    question.rows.count = 1000;
    cuda::plan_question(question, large_card());
    EXPECT_GT(question.room_floats * sizeof(float), large_card().shared_bytes_per_block);
    EXPECT_EQ(question.shared_bytes, 0u);
    trees.layer[0].neurons = 301 * 21;
    trees.layer[1].neurons = trees.layer[2].fan_in = 21;
    EXPECT_EQ(cuda::plan_lesson(trees, large_card()).room_floats, 0u);
}

TEST(Plan, SaysWhereThingsAre) {
    const cuda::Trees trees = shape(10, 301, 718);
    EXPECT_EQ(cuda::describe(trees, cuda::plan_lesson(trees, large_card())),
              "13 blocks of 384 threads per tree, posterior on chip");
    EXPECT_EQ(cuda::describe(trees, cuda::plan_together(trees, large_card())),
              "13 blocks of 384 threads per tree, w and 47 % of h on chip, the rest in the card's "
              "memory");
    cuda::DenseWork work;
    work.rows = 200;
    work.layer = {718, 4096, 4096};
    EXPECT_EQ(cuda::describe(work, large_card()),
              "128 blocks of 256 threads, 208 rows x 32 neurons each");
    work.step = cuda::DenseStep::kTop;
    work.layer = {4097, 10, 16};
    EXPECT_EQ(cuda::describe(work, large_card()),
              "25 blocks of 256 threads, 8 rows x 16 neurons each");
}

TEST(NearPart, HasAPlaceForEachNearFloat) {
    for (const std::uint32_t stride : {16u, 64u, 80u, 128u, 720u, 784u}) {
        cuda::NearPart part{stride};
        for (; part.far_pieces <= part.most_far_pieces(); ++part.far_pieces) {
            if (part.far_pieces * 64 > stride) continue;
            std::uint32_t near = 0, far = 0;
            for (std::uint32_t at = 0; at < stride; ++at) {
                if (!part.has(at)) {
                    ++far;
                    continue;
                }
                ASSERT_EQ(part.place(at), near++) << stride << " " << part.far_pieces;
                ASSERT_EQ(part.column(part.place(at)), at);
            }
            EXPECT_EQ(near, part.floats());
            EXPECT_EQ(far, part.far_pieces * 64);
        }
    }
}

TEST(Placed, IsAPermutationThatKeepsFourTogether) {
    for (const std::uint32_t stride : {16u, 48u, 64u, 80u, 720u}) {
        std::vector<bool> seen(stride);
        for (std::uint32_t j = 0; j < stride; ++j) {
            ASSERT_LT(cuda::placed(j, stride), stride);
            seen[cuda::placed(j, stride)] = true;
        }
        EXPECT_EQ(std::count(seen.begin(), seen.end(), true), stride);
        if (stride >= 64) {
            EXPECT_EQ(cuda::placed(16, stride), cuda::placed(0, stride) + 1);
            EXPECT_EQ(cuda::placed(49, stride), cuda::placed(1, stride) + 3);
        }
    }
}

}  // namespace
}  // namespace bitbayes::learn

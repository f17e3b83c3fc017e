// Fast evaluation against the plain loops that define the integer network.
#include "packed/inference.hpp"

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <random>

namespace bitbayes::packed {
namespace {

std::mt19937 engine(1);

IntegerLayer random_layer(std::size_t neurons, std::size_t fan_in, bool first) {
    IntegerLayer layer{neurons, fan_in, first, {}, {}};
    for (std::size_t k = 0; k < neurons * fan_in; ++k)
        layer.weight.push_back(engine() & 1 ? 1 : -1);
    for (std::size_t i = 0; first && i < neurons; ++i) {
        layer.threshold.push_back(static_cast<int>(engine() % 401) - 200);
    }
    return layer;
}

IntegerNetwork random_network(std::size_t inputs, const std::vector<std::size_t>& fan_ins,
                              std::size_t outputs) {
    IntegerNetwork network;
    std::size_t neurons = outputs;
    for (const std::size_t fan_in : fan_ins) neurons *= fan_in;
    network.layers.push_back(random_layer(neurons, inputs, true));
    for (const std::size_t fan_in : fan_ins) {
        neurons /= fan_in;
        network.layers.push_back(random_layer(neurons, fan_in, false));
    }
    return network;
}

/// Each not 0 with the given probability, at most `largest` in size.
std::vector<std::int16_t> random_inputs(std::size_t count, double share, int largest) {
    std::uniform_int_distribution<int> value(-largest, largest);
    std::bernoulli_distribution there(share);
    std::vector<std::int16_t> x(count);
    for (auto& one : x) one = static_cast<std::int16_t>(there(engine) ? value(engine) : 0);
    return x;
}

/// Calls `test` with every instruction set that runs here.
template <class Test>
void on_every_target(Test test) {
    for (const auto target : hwy::SupportedAndGeneratedTargets()) {
        hwy::SetSupportedTargetsForTest(target);
        hwy::GetChosenTarget().Update(hwy::SupportedTargets());
        SCOPED_TRACE(hwy::TargetName(target));
        test();
    }
    hwy::SetSupportedTargetsForTest(0);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

TEST(Inference, GivesTheScoresOfThePlainLoops) {
    on_every_target([] {
        for (const std::size_t inputs : {1, 7, 64, 785}) {
            for (const auto& fan_ins :
                 std::vector<std::vector<std::size_t>>{{}, {1}, {21}, {9, 5}}) {
                for (const std::size_t outputs : {1, 3, 30}) {
                    const auto network = random_network(inputs, fan_ins, outputs);
                    const Inference fast(network);
                    for (const int largest : {1, 255, 32767}) {
                        const auto x = random_inputs(inputs, 0.3, largest);
                        ASSERT_EQ(fast.scores(x), network.scores(x));
                    }
                }
            }
        }
    });
}

TEST(Inference, EndsOfTheRangeAreExact) {
    on_every_target([] {
        auto network = random_network(300, {}, 600);
        network.layers[0].weight.assign(300 * 600, 1);
        const Inference fast(network);
        for (const std::int16_t value : {-32768, 32767, 16384, -1, 0}) {
            const std::vector<std::int16_t> x(300, value);
            ASSERT_EQ(fast.scores(x), network.scores(x));
        }
    });
}

TEST(Inference, SumsBeyondInt32AreExact) {
    constexpr std::size_t kWide = 140000;
    auto network = random_network(kWide, {}, 2);
    network.layers[0].weight.assign(2 * kWide, -1);
    network.layers[0].weight[5] = 1;
    const Inference fast(network);
    const std::vector<std::int16_t> x(kWide, -32768);
    EXPECT_EQ(fast.scores(x), network.scores(x));
    EXPECT_GT(fast.scores(x)[0], std::int64_t{1} << 32);
}

TEST(Inference, EntriesAreTheInputsThatAreNotZero) {
    const auto network = random_network(500, {7}, 4);
    const Inference fast(network);
    const auto x = random_inputs(500, 0.1, 100);
    std::vector<Entry> entries;
    for (std::uint32_t j = 0; j < 500; ++j) {
        if (x[j] != 0) entries.push_back({j, x[j]});
    }
    EXPECT_EQ(fast.scores(entries), network.scores(x));
    EXPECT_EQ(fast.scores(std::vector<Entry>{}), network.scores(std::vector<std::int16_t>(500)));
}

}  // namespace
}  // namespace bitbayes::packed

// Fast scores against the plain loops of Network::scores, on every instruction set that runs here.
#include "packed/engine.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "engine_samples.hpp"

namespace bitbayes::packed {
namespace {

using Scores = std::vector<std::int64_t>;

template <class T>
Scores fast(const Engine& engine, const std::vector<T>& rows, std::size_t count) {
    Scores result(count * engine.outputs());
    engine.scores(std::span<const T>(rows), result);
    return result;
}

/// Scores from int16, from u8 if the columns allow it, and from the non-zero columns.
void expect_same(const Network& network, const std::vector<std::int16_t>& rows) {
    const std::size_t width = network.quantiser.columns(), count = rows.size() / width;
    const auto expected = plain_scores(network, rows);
    const ColumnType type = network.quantiser.type;
    for (const PlaneKernels* level : plane_levels()) {
        SCOPED_TRACE(level->name);
        const Engine engine(network, *level);
        EXPECT_STREQ(engine.level(), level->name);
        ASSERT_EQ(fast(engine, rows, count), expected);
        if (type == ColumnType::kBit || type == ColumnType::kU8) {
            const std::vector<std::uint8_t> bytes(rows.begin(), rows.end());
            ASSERT_EQ(fast(engine, bytes, count), expected);
        }
        if (type == ColumnType::kSign || !network.comparator.empty()) continue;
        Scores result(engine.outputs());
        for (std::size_t r = 0; r < count; ++r) {
            std::vector<ColumnValue> row;
            for (std::uint32_t c = 0; c < width; ++c) {
                if (rows[r * width + c] != 0) row.push_back({c, rows[r * width + c]});
            }
            row.push_back({static_cast<std::uint32_t>(width), 7});
            engine.scores(row, result);
            ASSERT_TRUE(std::equal(result.begin(), result.end(),
                                   expected.begin() + std::ptrdiff_t(r * result.size())));
        }
    }
}

TEST(Engine, ColumnsOfWords) {
    test::RandomNetwork random(4);
    for (const ColumnType type : {ColumnType::kBit, ColumnType::kU8, ColumnType::kI16}) {
        auto shape = shape_of(type, 40, {7}, 3, 1, 3);
        shape.words = true;
        const auto network = random.network(shape);
        expect_same(network, random.rows(network, 50));
    }
}

TEST(Engine, EveryTypeOfColumnAndDepth) {
    test::RandomNetwork random(1);
    const std::vector<std::vector<std::size_t>> depths{{}, {1}, {4}, {21}, {9, 5}, {6, 3, 2}};
    for (const ColumnType type : kTypes) {
        for (const std::size_t comparators : {0, 3}) {
            for (const auto& fan_ins : depths) {
                for (const std::size_t outputs : {1, 3, 30}) {
                    const auto network =
                        random.network(shape_of(type, 40, fan_ins, outputs, 1, comparators));
                    SCOPED_TRACE(std::string(name_of(type)) + (comparators > 0 ? " compared" : "") +
                                 ", layers " + std::to_string(fan_ins.size() + 1) + ", outputs " +
                                 std::to_string(outputs));
                    ASSERT_NO_FATAL_FAILURE(expect_same(network, some_rows(random, network, 5)));
                }
            }
        }
    }
}

TEST(Engine, DenseLayersAndTreesOnThem) {
    test::RandomNetwork random(2);
    const std::vector<std::vector<std::size_t>> widths{{1},      {24},        {64},       {70, 65},
                                                       {63, 64}, {33, 1, 65}, {600, 1100}};
    for (const auto& dense : widths) {
        for (const std::vector<std::size_t>& fan_ins :
             {std::vector<std::size_t>{}, std::vector<std::size_t>{21},
              std::vector<std::size_t>{5, 3}}) {
            for (const std::size_t outputs : {1, 3, 70}) {
                for (const std::size_t members : {1, 3}) {
                    auto shape =
                        shape_of(ColumnType::kU8, 30, fan_ins, outputs, members, 0, 0, dense);
                    shape.adds_scores = members > 1;
                    SCOPED_TRACE("hidden layers " + std::to_string(dense.size() + fan_ins.size()) +
                                 ", outputs " + std::to_string(outputs) + ", members " +
                                 std::to_string(members));
                    const auto network = random.network(shape);
                    ASSERT_NO_FATAL_FAILURE(expect_same(network, some_rows(random, network, 3)));
                }
            }
        }
    }
}

TEST(Engine, BatchesThroughDenseLayers) {
    test::RandomNetwork random(3);
    for (const ColumnType type : kTypes) {
        for (const std::size_t comparators : {0, 3}) {
            const auto network =
                random.network(shape_of(type, 50, {}, 4, 1, comparators, 0, {130, 90}));
            for (const std::size_t rows : {1, 32, 33, 100}) {
                ASSERT_NO_FATAL_FAILURE(expect_same(network, some_rows(random, network, rows)));
            }
        }
    }
}

TEST(Engine, AnyNumberOfColumns) {
    test::RandomNetwork random(1);
    for (const ColumnType type : kTypes) {
        for (const std::size_t columns : {1, 2, 7, 8, 9, 63, 64, 65, 511, 513, 785, 1100}) {
            const auto network = random.network(shape_of(type, columns, {5}, 2));
            for (const int percent : {0, 2, 20, 100}) {
                ASSERT_NO_FATAL_FAILURE(
                    expect_same(network, some_rows(random, network, 2, percent)));
            }
        }
    }
}

TEST(Engine, AnyNumberOfNeurons) {
    test::RandomNetwork random(1);
    for (const std::size_t outputs : {1, 2, 63, 64, 65, 128, 129, 511, 512, 513, 1025}) {
        for (const std::vector<std::size_t>& fan_ins :
             {std::vector<std::size_t>{}, std::vector<std::size_t>{1}}) {
            const auto network = random.network(shape_of(ColumnType::kU8, 33, fan_ins, outputs));
            ASSERT_NO_FATAL_FAILURE(expect_same(network, some_rows(random, network, 3)));
        }
    }
}

TEST(Engine, BatchesOfAnySize) {
    test::RandomNetwork random(1);
    const auto network = random.network(shape_of(ColumnType::kU8, 50, {11}, 4));
    for (const std::size_t rows : {1, 2, 7, 31, 32, 33, 1000}) {
        ASSERT_NO_FATAL_FAILURE(expect_same(network, some_rows(random, network, rows)));
    }
    Engine(network).scores(std::span<const std::int16_t>{}, {});
}

TEST(Engine, ColumnsThatAreLeftOut) {
    test::RandomNetwork random(1);
    for (const ColumnType type : kTypes) {
        for (const std::size_t comparators : {0, 3}) {
            const auto network = random.network(shape_of(type, 90, {7}, 5, 1, comparators, 30));
            ASSERT_NO_FATAL_FAILURE(expect_same(network, some_rows(random, network, 9, 80)));
        }
    }
}

TEST(Engine, NoInputsAtAll) {
    Network network;
    network.quantiser.missing.resize(3);
    network.members.push_back({Layer(3, 0, true)});
    network.members[0][0].threshold = {-4, 0, 5};
    expect_same(network, {1, 2, 3});
}

TEST(Engine, CommitteesVoteOrAddScores) {
    test::RandomNetwork random(1);
    const std::vector<std::vector<std::size_t>> depths{{}, {30}, {9, 5}};
    for (const std::size_t outputs : {1, 4}) {
        for (const auto& fan_ins : depths) {
            for (const std::size_t comparators : {0, 3}) {
                auto network =
                    random.network(shape_of(ColumnType::kU8, 40, fan_ins, outputs, 5, comparators));
                const auto rows = some_rows(random, network, 40);
                ASSERT_NO_FATAL_FAILURE(expect_same(network, rows));
                const auto votes = plain_scores(network, rows);
                network.adds_scores = true;
                ASSERT_NO_FATAL_FAILURE(expect_same(network, rows));
                EXPECT_NE(plain_scores(network, rows), votes);
            }
        }
    }
}

TEST(Engine, EndsOfTheRanges) {
    test::RandomNetwork random(1);
    for (const ColumnType type : kTypes) {
        auto network = random.network(shape_of(type, 300, {}, 3));
        auto& layer = network.members[0][0];
        for (std::size_t j = 0; j < 300; ++j) layer.set_positive(0, j);
        std::fill_n(layer.bits.begin() + std::ptrdiff_t(layer.row_words()), layer.row_words(), 0);
        const auto [low, high] = range_of(type);
        for (const int value : {low, high, low / 2, high / 2 + 1}) {
            const std::vector<std::int16_t> row(300, static_cast<std::int16_t>(value));
            if (type != ColumnType::kSign || value == low || value == high) {
                ASSERT_NO_FATAL_FAILURE(expect_same(network, row));
            }
        }
    }
}

TEST(Engine, SumAtItsThreshold) {
    test::RandomNetwork random(1);
    auto network = random.network(shape_of(ColumnType::kU8, 60, {1}, 200));
    const auto row = some_rows(random, network, 1);
    auto& layer = network.members[0][0];
    for (std::size_t i = 0; i < layer.neurons; ++i) {
        std::int64_t sum = 0;
        for (std::size_t k = 0; k < 60; ++k) sum += layer.weight(i, k) * row[k];
        layer.threshold[i] = sum + static_cast<std::int64_t>(i % 3) - 1;
    }
    expect_same(network, row);
}

TEST(Engine, SumsBeyondInt32) {
    constexpr std::size_t kWide = 140000;
    Network network;
    network.quantiser.missing.resize(kWide);
    for (std::uint32_t c = 0; c < kWide; ++c) network.column.push_back(c);
    network.members.push_back({Layer(2, kWide, true)});
    network.members[0][0].set_positive(1, 5);
    network.members[0][0].threshold = {-5'000'000'000, 5'000'000'000};
    const std::vector<std::int16_t> row(kWide, -32768);
    EXPECT_GT(plain_scores(network, row)[0], std::int64_t{1} << 32);
    expect_same(network, row);
}

}  // namespace
}  // namespace bitbayes::packed

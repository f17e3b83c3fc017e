// What exported C and its README.md say, without compiling it.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "bitbayes/types/error.hpp"
#include "emit/c.hpp"
#include "packed/random_network.hpp"

namespace bitbayes::emit {
namespace {

using packed::ColumnType;
using packed::Network;
using test::NetworkShape;
using test::RandomNetwork;

constexpr ColumnType kBit = ColumnType::kBit, kSign = ColumnType::kSign, kU8 = ColumnType::kU8,
                     kI16 = ColumnType::kI16;

TEST(C, FilesAreThoseOfTheLayoutAndHoldNoForbiddenWord) {
    RandomNetwork random(8);
    Network network = random.network({kI16, 12, 2, 4, {3}, 3, 3, false, 2, false, {32, 7}});
    network.class_names = {"float", "undoubled double", "malloc"};
    const auto names = [&](const COptions& options) {
        std::string all;
        for (const auto& [path, text] : emit_c(network, options)) {
            all += path + ' ';
            for (const char* word : {"float", "double", "malloc"}) {
                EXPECT_TRUE(path == "README.md" || text.find(word) == text.npos) << path << word;
            }
            EXPECT_EQ(text.find("bbnet"), std::string::npos) << path;
            EXPECT_EQ(text.find("BBNET"), std::string::npos) << path;
            EXPECT_EQ(text.back(), '\n') << path;
        }
        EXPECT_EQ(emit_c(network, options), emit_c(network, options));
        return all;
    };
    EXPECT_EQ(names({"net", false, false, {}}), "README.md example/main.c net.c net.h ");
    EXPECT_EQ(names({"net", true, false, {}}), "README.md example/main.c net.h ");
    EXPECT_EQ(names({"net", false, true, {}}),
              "README.md examples/Demo/Demo.ino library.properties src/net.c src/net.h ");
    EXPECT_THROW(emit_c(network, {"9net", false, false, {}}), Error);
}

TEST(C, FiguresCountTheTables) {
    RandomNetwork random(9);
    const Network on_bits = random.network({kSign, 40, 0, 0, {3}, 2, 1, false, 0});
    const CFigures bits = c_figures(on_bits);
    // 40 inputs and a row of zeros, sums of 6 bits, upper weights; six neurons need one byte.
    EXPECT_EQ(bits.flash_bytes, 41u + 6 + 1);
    EXPECT_EQ(bits.ram_bytes, 6u + 1 + 41 + 24 + 2 * 4 + 16);
    EXPECT_EQ(bits.row_bytes, 40u);
    EXPECT_EQ(bits.additions, 40u);
    EXPECT_EQ(bits.words, 1u + 2);
    const Network dense = random.network({kSign, 40, 0, 0, {3}, 2, 1, false, 0, false, {32, 40}});
    const CFigures figures = c_figures(dense);
    EXPECT_EQ(figures.flash_bytes, 4u * ((41 + 6) + 2 * (33 + 6) + (41 + 6) + 1));
    EXPECT_EQ(figures.ram_bytes, 4u * (2 * 6 + 2 * 2) + 41 + 24 + 2 * 4 + 16);
    EXPECT_EQ(figures.additions, 40u + 2 * 32 + 40);
    EXPECT_EQ(figures.words, 1u + 2);
    const auto readme = emit_c(dense, {}).at("README.md");
    EXPECT_NE(readme.find("| additions of 32-bit words, at most | 144 |"), std::string::npos);
    EXPECT_NE(readme.find("layer 2: 40 neurons of fan-in 32 and a constant"), std::string::npos);
    Network values = random.network({kI16, 10, 0, 0, {}, 2, 1, false, 0});
    values.members[0][0] = packed::Layer(2, 10, true);
    values.members[0][0].threshold = {5, 70000};
    EXPECT_EQ(c_figures(values).additions, 16u * 10);
    EXPECT_EQ(c_figures(values).flash_bytes, 11u + 20);
    EXPECT_EQ(c_figures(values).row_bytes, 20u);
}

TEST(C, ComparatorsBelowTheMedianAreOnAtRest) {
    RandomNetwork random(14);
    Network network = random.network({kI16, 3, 0, 9, {2}, 2, 1, false, 0});
    std::vector<std::size_t> counts(3), on(3);
    for (std::size_t k = 0; k < network.inputs(); ++k) {
        const auto column = network.column[k];
        ++counts[column];
        on[column] += network.quantiser.missing[column] > network.comparator[k] ? 1 : 0;
    }
    std::size_t most = 0;
    for (std::size_t j = 0; j < 3; ++j) most += std::max(on[j], counts[j] - on[j]);
    EXPECT_EQ(c_figures(network).additions, most);
}

TEST(C, ReadmeTellsWhatACommitteeDoes) {
    Network network = RandomNetwork(9).network({kU8, 9, 0, 0, {3}, 2, 3, false, 0});
    const auto has = [&](const char* text) {
        return emit_c(network, {}).at("README.md").find(text) != std::string::npos;
    };
    EXPECT_TRUE(has("in a committee of 3 such networks, which vote."));
    network.adds_scores = true;
    EXPECT_TRUE(has("in a committee of 3 such networks, which add scores."));
}

TEST(C, TypesAreAsWideAsTheNetworkNeeds) {
    RandomNetwork random(11);
    const auto has = [&](const NetworkShape& shape, const char* text) {
        return emit_c(random.network(shape), {"net", false, false, {}}).at("net.c").find(text) !=
               std::string::npos;
    };
    const NetworkShape small{kU8, 128, 0, 0, {2}, 2, 1, false, 0};
    EXPECT_TRUE(has(small, "typedef uint_fast16_t net_index;"));
    EXPECT_TRUE(has(small, "typedef int_fast16_t net_sum;"));
    EXPECT_TRUE(has(small, "typedef uint8_t net_word;"));
    EXPECT_TRUE(has({kU8, 8, 0, 0, {9}, 1, 1, false, 0}, "typedef uint16_t net_word;"));
    EXPECT_TRUE(has({kU8, 8, 0, 0, {9}, 2, 1, false, 0}, "typedef uint32_t net_word;"));
    EXPECT_TRUE(has(small, "PROGMEM"));
    EXPECT_TRUE(has({kU8, 128, 0, 0, {}, 2, 1, false, 0}, "typedef int_fast32_t net_sum;"));
    EXPECT_TRUE(has({kSign, 255, 0, 0, {}, 2, 1, false, 0}, "typedef uint8_t net_entry;"));
    EXPECT_TRUE(has({kSign, 256, 0, 0, {}, 2, 1, false, 0}, "typedef uint16_t net_entry;"));
    const NetworkShape large{kBit, 320, 0, 0, {7000}, 1, 1, false, 0};
    EXPECT_TRUE(has(large, "typedef uint_fast32_t net_index;"));
    EXPECT_TRUE(has(large, "#error"));
    EXPECT_FALSE(has(large, "PROGMEM"));
}

TEST(C, ReadmeTellsWhatEachColumnHolds) {
    RandomNetwork random(10);
    Network network = random.network({kI16, 5, 1, 0, {3}, 2, 1, false, 7});
    network.column = {0, 2, 3, 4};
    network.quantiser.missing.assign(5, 3);
    network.quantiser.origin.assign(5, 0.5);
    network.quantiser.step.assign(5, 0.125);
    const std::string same = emit_c(network, {}).at("README.md");
    EXPECT_NE(same.find("round((value - origin) / step)"), std::string::npos);
    EXPECT_NE(same.find("saturated to -32768 .. 32767"), std::string::npos);
    EXPECT_NE(same.find("origin = 0.5, step = 0.125."), std::string::npos);
    EXPECT_NE(same.find("A missing value is 3 in every column."), std::string::npos);
    EXPECT_NE(same.find("Not read, constant in training: 1."), std::string::npos);
    EXPECT_NE(same.find("A margin below 7 means"), std::string::npos);
    EXPECT_NE(
        same.find(fmt::format("| FLASH, tables | {} bytes |", c_figures(network).flash_bytes)),
        std::string::npos);
    network.quantiser.step[2] = 0.1;
    const std::string each = emit_c(network, {}).at("README.md");
    EXPECT_NE(each.find("| 2 | 0.5 | 0.1 |"), std::string::npos);
    EXPECT_EQ(each.find("| 1 | 0.5"), std::string::npos);
    network.quantiser.missing = {3, 3, 3, 4, 3};
    EXPECT_NE(emit_c(network, {}).at("README.md").find("column by column:\n\n    3, 3, 3, 4, 3\n"),
              std::string::npos);
}

}  // namespace
}  // namespace bitbayes::emit

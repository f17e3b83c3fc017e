// Every form of Verilog gives the answers, margins and scores of packed::Network, in Icarus.
#include "emit/verilog.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "bitbayes/error.hpp"
#include "packed/random_network.hpp"
#include "simulator.hpp"

namespace bitbayes::emit {
namespace {

using packed::ColumnType;
using test::NetworkShape;
using test::RandomNetwork;
using test::VerilogFolder;

struct Case {
    NetworkShape shape;
    std::optional<std::size_t> parallel;
};

std::vector<Case> cases() {
    std::vector<NetworkShape> shapes{
        {.type = ColumnType::kBit, .columns = 12, .fan_ins = {3}, .outputs = 4},
        {.type = ColumnType::kSign, .columns = 9, .constant = 2, .fan_ins = {5}, .outputs = 1},
        {.type = ColumnType::kU8, .columns = 20, .constant = 7, .fan_ins = {9}, .outputs = 3},
        {.type = ColumnType::kI8, .columns = 7, .fan_ins = {4}, .outputs = 2},
        {.type = ColumnType::kI16, .columns = 5, .fan_ins = {3, 2}, .outputs = 3},
        {.type = ColumnType::kSign, .columns = 6, .fan_ins = {2, 3, 3}, .outputs = 2},
        {.type = ColumnType::kU8, .columns = 6, .fan_ins = {}, .outputs = 5},
        {.type = ColumnType::kSign, .columns = 11, .fan_ins = {}, .outputs = 1},
        {.type = ColumnType::kI16, .columns = 8, .constant = 3, .comparators = 4, .fan_ins = {7}},
        {.type = ColumnType::kU8, .columns = 5, .comparators = 3, .fan_ins = {}, .outputs = 4},
        {.type = ColumnType::kBit, .columns = 5, .comparators = 1, .fan_ins = {3}, .outputs = 2},
        {.type = ColumnType::kSign, .columns = 5, .comparators = 2, .fan_ins = {3}, .outputs = 2},
        {.type = ColumnType::kI8, .columns = 4, .fan_ins = {3}, .outputs = 3, .members = 3},
        {.type = ColumnType::kSign, .columns = 7, .fan_ins = {3}, .outputs = 1, .members = 4},
        {.type = ColumnType::kU8,
         .columns = 4,
         .fan_ins = {},
         .outputs = 2,
         .members = 5,
         .abstain_below = 3},
        {.type = ColumnType::kU8,
         .columns = 6,
         .fan_ins = {5},
         .end_thresholds = true,
         .abstain_below = 2},
        {.type = ColumnType::kI16,
         .columns = 6,
         .fan_ins = {},
         .outputs = 3,
         .end_thresholds = true,
         .abstain_below = 999999999},
        {.type = ColumnType::kI16, .columns = 1, .fan_ins = {1}, .outputs = 1},
    };
    std::vector<Case> all;
    for (const auto& shape : shapes) {
        for (const std::optional<std::size_t> parallel :
             {std::optional<std::size_t>{}, {1}, {3}, {8}, {64}}) {
            all.push_back({shape, parallel});
        }
    }
    return all;
}

TEST(Verilog, IcarusGivesTheAnswersOfTheNetwork) {
    if (!test::has_tool("iverilog")) GTEST_SKIP() << "skipped: no iverilog; see apt-test.txt";
    RandomNetwork random(1);
    std::size_t number = 0;
    for (const Case& each : cases()) {
        const auto network = random.network(each.shape);
        VerilogFolder folder;
        const std::string name = fmt::format("net{}", number++);
        folder.add(network, {name, each.parallel}, random.rows(network, 9));
        const std::string top = name + "_tb";
        EXPECT_EQ(folder.complaints(folder.with_sources(
                      {"iverilog", "-g2001", "-Wall", "-s", top, "-o", "tb.vvp"})),
                  "")
            << number;
        EXPECT_EQ(folder.run_tool({"vvp", "-n", "tb.vvp"}), 0);
        EXPECT_EQ(folder.said(), "PASS: 9 rows\n") << number;
    }
}

}  // namespace
}  // namespace bitbayes::emit

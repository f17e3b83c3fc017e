// Exports in Verilator, Yosys and nextpnr.
#include "tools/synthesis.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "bitbayes/types/error.hpp"
#include "emit/verilog_folder.hpp"
#include "emit/verilog_shapes.hpp"
#include "tools/environment.hpp"

namespace bitbayes::tools {
namespace {

using emit::VerilogOptions;
using test::RandomNetwork;
using test::VerilogFolder;

void expect_the_answers_of(const packed::Network& network, const Simulation& simulation,
                           const std::vector<std::int16_t>& columns) {
    const std::size_t width = network.quantiser.columns();
    ASSERT_EQ(simulation.rows.size() * width, columns.size()) << simulation.last_line;
    for (std::size_t r = 0; r < simulation.rows.size(); ++r) {
        const auto scores = network.scores(std::span(columns).subspan(r * width, width));
        const auto answer = packed::Network::answer(scores);
        const SimulatedRow& its = simulation.rows[r];
        EXPECT_EQ(its.scores, scores);
        EXPECT_EQ(its.answer.class_index, answer.class_index);
        EXPECT_EQ(its.answer.margin, answer.margin);
        EXPECT_EQ(its.answer.legal, answer.legal);
        EXPECT_EQ(its.known, answer.margin >= network.abstain_below);
        EXPECT_EQ(its.clocks > 0, r % 4 == 0);  // the others have company
    }
}

TEST(VerilogTools, VerilatorGivesTheAnswersOfTheNetwork) {
    BITBAYES_NEED_TOOL("verilator");
    using enum packed::ColumnType;
    RandomNetwork random(1);
    const std::vector<std::pair<test::NetworkShape, std::optional<std::size_t>>> cases{
        {{.type = kU8, .columns = 60, .constant = 9, .fan_ins = {21}, .outputs = 10}, 64},
        {{.type = kI16, .comparators = 3, .fan_ins = {5, 3}, .members = 3, .abstain_below = 2}, 7},
        {{.type = kI8, .constant = 2, .fan_ins = {9}, .members = 3, .abstain_below = 2}, {}},
        {{.type = kU8, .columns = 60, .constant = 9, .outputs = 10, .dense = {40, 70}}, 64},
        {{.type = kI16,
          .comparators = 3,
          .fan_ins = {5},
          .members = 3,
          .dense = {20},
          .adds_scores = true},
         7},
        {{.type = kU8, .columns = 6, .fan_ins = {3}, .members = 3, .adds_scores = true}, {}},
    };
    for (const auto& [shape, parallel] : cases) {
        const auto network = random.network(shape);
        const auto rows = random.rows(network, 200);
        VerilogFolder folder;
        folder.add(network, {"net", parallel}, rows);
        const auto simulation = simulate(Simulator::kVerilator, folder.exported(), network,
                                         {rows, test::all_scores(network, rows)}, 60);
        EXPECT_EQ(simulation.last_line, "PASS: 200 rows");
        EXPECT_FALSE(simulation.out_of_time);
        expect_the_answers_of(network, simulation, rows);
    }
}

TEST(VerilogTools, ASimulationMayBeCutShort) {
    BITBAYES_NEED_TOOL("iverilog");
    RandomNetwork random(2);
    const auto network = random.network({.columns = 50, .fan_ins = {51}});
    const auto rows = random.rows(network, 2000);
    VerilogFolder folder;
    folder.add(network, {"net", 1}, rows);
    const auto simulation = simulate(Simulator::kIcarus, folder.exported(), network,
                                     {rows, test::all_scores(network, rows)}, 0.5);
    EXPECT_TRUE(simulation.out_of_time);
    EXPECT_LT(simulation.rows.size(), 2000u);
    EXPECT_EQ(simulation.last_line, "");
}

TEST(VerilogTools, WhatASimulatorRefusesIsAnError) {
    BITBAYES_NEED_TOOL("iverilog");
    RandomNetwork random(3);
    const auto network = random.network({.fan_ins = {3}});
    VerilogFolder folder;
    folder.add(network, {"net", {}}, random.rows(network, 1));
    folder.add_file("net.v", "module net (");
    EXPECT_THROW(simulate(Simulator::kIcarus, folder.exported(), network, {}, 10), Error);
}

/// Neither a pattern nor a shell sees the folder.
TEST(VerilogTools, OtherFilesOfTheFolderAreNotLookedAt) {
    BITBAYES_NEED_TOOL("iverilog");
    RandomNetwork random(6);
    const auto network = random.network({.columns = 3, .fan_ins = {3}});
    const auto rows = random.rows(network, 3);
    VerilogFolder folder;
    folder.add(network, {"net", {}}, rows);
    const auto exported = folder.exported();
    for (const char* file : {"net_; exec -- touch pwned ;.v", "net_z.v", "test/net_z.v", "-z.v"}) {
        folder.add_file(file, "nonsense");
    }
    const auto simulation = simulate(Simulator::kIcarus, exported, network,
                                     {rows, test::all_scores(network, rows)}, 60);
    EXPECT_EQ(simulation.last_line, "PASS: 3 rows");
    BITBAYES_NEED_TOOL("yosys");
    const auto synthesis = synthesise(exported, 60).synthesis;
    EXPECT_EQ(synthesis.problem, "");
    EXPECT_GT(synthesis.luts(), 0u);
    EXPECT_FALSE(std::filesystem::exists(folder.path() / "pwned"));
}

TEST(VerilogTools, TheTemporaryFolderMayHaveAnyName) {
    BITBAYES_NEED_TOOL("verilator");
    const TemporaryFolder parent;
    const auto odd = parent.path() / "a b;'\"$(c)";
    std::filesystem::create_directory(odd);
    RandomNetwork random(7);
    const auto network = random.network({.columns = 3, .fan_ins = {3}});
    const auto rows = random.rows(network, 3);
    VerilogFolder folder;
    folder.add(network, {"net", {}}, rows);
    const test::Environment temporary("TMPDIR", odd.c_str());
    for (const auto simulator : {Simulator::kVerilator, Simulator::kIcarus}) {
        if (!test::has_tool(name_of(simulator))) continue;
        const auto simulation = simulate(simulator, folder.exported(), network,
                                         {rows, test::all_scores(network, rows)}, 60);
        EXPECT_EQ(simulation.last_line, "PASS: 3 rows");
    }
    if (test::has_tool("yosys")) {
        EXPECT_EQ(synthesise(folder.exported(), 60).synthesis.problem, "");
    }
    EXPECT_TRUE(std::filesystem::is_empty(odd));
}

/// As users call it, but every warning is an error; no latches.
TEST(VerilogTools, YosysTakesBothFormsForIce40) {
    BITBAYES_NEED_TOOL("yosys");
    RandomNetwork random(4);
    const std::vector<std::pair<test::NetworkShape, std::optional<std::size_t>>> cases{
        {{.columns = 16, .fan_ins = {9}, .outputs = 3}, {}},
        {{.type = packed::ColumnType::kI16, .columns = 64, .comparators = 2, .fan_ins = {9}}, 27},
        {{.columns = 8, .outputs = 3, .dense = {5, 4}}, {}},
        {{.columns = 64, .fan_ins = {3}, .dense = {20}}, 8},
    };
    for (const auto& [shape, parallel] : cases) {
        const auto network = random.network(shape);
        VerilogFolder folder;
        folder.add(network, {"net", parallel}, {});
        EXPECT_EQ(folder.say("timeout 60 yosys -q -e '.*' -p 'read_verilog" + folder.design() +
                             "; synth_ice40 -top net; select -assert-none t:*LATCH*; "
                             "tee -q -o plain.txt stat'"),
                  "");
        const auto [synthesis, placement] = synthesise(folder.exported(), 60);
        EXPECT_EQ(synthesis.problem, "");
        EXPECT_NE(synthesis.version.find("Yosys"), std::string::npos);
        EXPECT_EQ(synthesis.block_rams() > 0, parallel.has_value());
        const std::string flip_flops =
            folder.say("awk '/SB_DFF/ {n += $2} END {print n}' plain.txt");
        EXPECT_EQ(flip_flops, fmt::format("{}\n", synthesis.flip_flops()));
        EXPECT_NEAR(std::stod(folder.say("awk '/SB_LUT4/ {print $2}' plain.txt")), synthesis.luts(),
                    0.02 * synthesis.luts());
        if (placement.version.empty()) continue;
        EXPECT_EQ(placement.problem, "");
        EXPECT_GT(placement.fmax_mhz, 50);
        EXPECT_GE(placement.cells.at("ICESTORM_LC"), synthesis.luts());
        EXPECT_EQ(placement.cells.at("ICESTORM_RAM"), synthesis.block_rams());
    }
}

TEST(VerilogTools, YosysIsGivenUpAfterItsTime) {
    BITBAYES_NEED_TOOL("yosys");
    RandomNetwork random(5);
    const auto network = random.network({.columns = 30, .fan_ins = {9}, .outputs = 10});
    VerilogFolder folder;
    folder.add(network, {"net", {}}, {});
    const auto [synthesis, placement] = synthesise(folder.exported(), 0.2);
    EXPECT_EQ(synthesis.problem, "synthesis takes more than 0.2 s");
    EXPECT_TRUE(synthesis.cells.empty());
    if (!placement.version.empty()) {
        EXPECT_EQ(placement.problem, "nothing to place: synthesis takes more than 0.2 s");
    }
}

TEST(VerilogTools, WhatDoesNotFitIsSaid) {
    BITBAYES_NEED_TOOL("nextpnr-ice40");
    RandomNetwork random(8);
    const auto network = random.network(
        {.type = packed::ColumnType::kBit, .columns = 3000, .fan_ins = {}, .outputs = 48});
    VerilogFolder folder;
    folder.add(network, {"net", 48}, {});
    const auto placement = synthesise(folder.exported(), 60).placement;
    EXPECT_EQ(placement.problem.find("does not fit hx8k-ct256: "), 0u) << placement.problem;
    EXPECT_NE(placement.problem.find("of 32 ICESTORM_RAM"), std::string::npos) << placement.problem;
    EXPECT_EQ(placement.fmax_mhz, 0);
}

}  // namespace
}  // namespace bitbayes::tools

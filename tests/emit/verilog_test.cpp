// Every form of Verilog gives the answers, margins and scores of packed::Network.
#include "emit/verilog.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/sha256.hpp"
#include "bitbayes/types/error.hpp"
#include "tools/verilog_tools.hpp"
#include "verilog_folder.hpp"
#include "verilog_shapes.hpp"

namespace bitbayes::emit {
namespace {

using test::NetworkShape;
using test::RandomNetwork;
using test::VerilogFolder;

TEST(Verilog, IcarusGivesTheAnswersOfTheNetwork) {
    BITBAYES_NEED_TOOL("iverilog");
    RandomNetwork random(1);
    for (const NetworkShape& shape : test::verilog_shapes()) {
        for (const auto parallel : test::verilog_parallels()) {
            SCOPED_TRACE(test::shape_text(shape, parallel));
            const auto network = random.network(shape);
            VerilogFolder folder;
            folder.add(network, {"net", parallel}, random.rows(network, 9));
            EXPECT_EQ(folder.say("iverilog -g2001 -Wall -s net_tb -o tb" + folder.sources()), "");
            EXPECT_EQ(folder.say("vvp -n tb"), "PASS: 9 rows\n");
        }
    }
}

TEST(Verilog, LintFindsNothing) {
    BITBAYES_NEED_TOOL("verilator");
    RandomNetwork random(2);
    for (const NetworkShape& shape : test::verilog_shapes()) {
        for (const std::optional<std::size_t> parallel : {std::optional<std::size_t>{}, {3}}) {
            const auto network = random.network(shape);
            VerilogFolder folder;
            folder.add(network, {"net", parallel}, {});
            EXPECT_EQ(folder.say("verilator --lint-only -Wall --top-module net" + folder.design()),
                      "");
        }
    }
}

TEST(Verilog, TheTestbenchFindsEveryKindOfDifference) {
    BITBAYES_NEED_TOOL("iverilog");
    RandomNetwork random(3);
    const auto network = random.network({.fan_ins = {3}, .outputs = 2});
    for (const auto parallel : {std::optional<std::size_t>{}, {4}}) {
        VerilogFolder folder;
        const auto rows = random.rows(network, 1);
        folder.add(network, {"net", parallel}, rows);
        folder.say("iverilog -g2001 -s net_tb -o tb" + folder.sources());
        const std::string answers = testbench_answers(network, test::all_scores(network, rows));
        std::istringstream in(answers);
        std::vector<int> numbers(std::istream_iterator<int>(in), {});
        ASSERT_EQ(numbers.size(), 6u);
        for (auto& number : numbers) {
            ++number;
            folder.add_file("test/net_answers.txt", fmt::format("{}\n", fmt::join(numbers, " ")));
            EXPECT_EQ(folder.say("vvp -n tb"), "row 0 differs\nFAIL: 1 of 1 rows\n");
            --number;
        }
        folder.add_file("test/net_answers.txt", answers);
        EXPECT_EQ(folder.say("vvp -n tb"), "PASS: 1 rows\n");
        folder.add_file("test/net_columns.txt", "");
        EXPECT_EQ(folder.say("vvp -n tb"), "FAIL: 0 of 0 rows\n");
    }
}

TEST(Verilog, TwoNetworksLiveInOneDesign) {
    BITBAYES_NEED_TOOL("iverilog");
    RandomNetwork random(4);
    VerilogFolder folder;
    for (const std::string name : {"first", "second"}) {
        const auto network = random.network({.fan_ins = {3}});
        folder.add(network, {name, 5}, random.rows(network, 3));
    }
    EXPECT_EQ(folder.say("iverilog -g2001 -s first_tb -s second_tb -o tb" + folder.sources()), "");
    EXPECT_EQ(folder.say("grep -l bitbayes_ *.v test/*.v"), "exit status 1\n");
}

/// The largest number in every column, in columns of words the word that most comparators ask for.
std::vector<std::int16_t> busiest_row(const packed::Network& network) {
    const int high = packed::range_of(network.quantiser.type).high;
    std::vector<std::int16_t> row(network.quantiser.columns(), static_cast<std::int16_t>(high));
    std::vector<std::int64_t> most(row.size(), 0);
    for (std::size_t k = 0; k < network.inputs(); ++k) {
        if (!network.asks_for_word(k)) continue;
        const std::size_t j = network.column[k];
        std::int64_t times = 0;
        for (std::size_t other = 0; other < network.inputs(); ++other) {
            times +=
                network.column[other] == j && network.comparator[other] == network.comparator[k];
        }
        if (times > most[j]) row[j] = network.comparator[k];
        most[j] = std::max(most[j], times);
    }
    return row;
}

/// All neurons of dense hidden layers are +1, whatever the inputs.
void make_positive(packed::Network& network) {
    for (auto& layers : network.members) {
        for (auto& layer : layers) {
            for (auto& t : layer.threshold) t = -network.largest_sum();
        }
    }
}

/// No input is 0, every comparator is exceeded, hidden neurons are +1.
TEST(Verilog, TheLargestNumberOfClocksIsReached) {
    BITBAYES_NEED_TOOL("iverilog");
    RandomNetwork random(5);
    for (const NetworkShape& shape : test::verilog_shapes()) {
        for (const auto parallel : test::verilog_parallels()) {
            SCOPED_TRACE(test::shape_text(shape, parallel));
            auto network = random.network(shape);
            if (!shape.dense.empty()) make_positive(network);
            const auto row = busiest_row(network);
            VerilogFolder folder;
            folder.add(network, {"net", parallel}, row);
            const auto simulation =
                tools::simulate(tools::Simulator::kIcarus, folder.exported(), network,
                                {row, test::all_scores(network, row)}, 60);
            ASSERT_EQ(simulation.last_line, "PASS: 1 rows");
            EXPECT_EQ(simulation.rows[0].clocks,
                      verilog_figures(network, {"net", parallel}).latency);
        }
    }
}

/// With a source and a sink that never pause, a row leaves the parallel form every cycles_per_image
/// clocks.
TEST(Verilog, TheParallelFormKeepsItsPace) {
    BITBAYES_NEED_TOOL("iverilog");
    RandomNetwork random(10);
    for (const NetworkShape& shape : test::verilog_shapes()) {
        SCOPED_TRACE(test::shape_text(shape, {}));
        const auto network = random.network(shape);
        VerilogFolder folder;
        folder.add(network, {"net", {}}, random.rows(network, 1));
        folder.add_file("pace.v", fmt::format(R"(module pace;
    reg clk = 0, rst = 1;
    integer column = 0, rows = 0, now = 0, last = 0;
    wire s_tready, m_tvalid;
    net net (.clk(clk), .rst(rst), .s_tvalid(1'b1), .s_tready(s_tready), .s_tdata(16'd1),
             .s_tlast(column == {0} - 1), .m_tvalid(m_tvalid), .m_tready(1'b1));
    always #5 clk = ~clk;
    always @(negedge clk) begin
        now = now + 1;
        if (m_tvalid && rows > 20) $display("%0d", now - last);
        if (m_tvalid) rows = rows + 1;
        if (m_tvalid) last = now;
        if (rows == 24) $finish;
    end
    always @(posedge clk) begin
        rst <= 0;
        if (s_tready && !rst) column <= column == {0} - 1 ? 0 : column + 1;
    end
endmodule
)",
                                              network.quantiser.columns()));
        folder.say("iverilog -g2001 -s pace -o pace" + folder.sources());
        const auto clocks = verilog_figures(network, {"net", {}}).cycles_per_image;
        EXPECT_EQ(folder.say("vvp -n pace"), fmt::format("{0}\n{0}\n{0}\n", clocks));
    }
}

/// Nothing about the network is in the ports: forms and networks can be exchanged.
TEST(Verilog, PortsAreTheSameForAllNetworks) {
    RandomNetwork random(11);
    std::string ports;
    for (const NetworkShape& shape : test::verilog_shapes()) {
        for (const auto parallel : test::verilog_parallels()) {
            const auto files = emit_verilog(random.network(shape), {"net", parallel}, {});
            std::string top = files.at("net.v");
            top = top.substr(top.find("\nmodule net"));
            top = top.substr(0, top.find("\n);"));
            top.resize(top.rfind("//"));  // how many scores
            if (ports.empty()) ports = top;
            EXPECT_EQ(top, ports);
        }
    }
    EXPECT_NE(ports.find("output wire [63:0] m_tdata"), ports.npos);
}

TEST(Verilog, FormsFollowTheNumberOfWeights) {
    RandomNetwork random(6);
    const auto small = random.network({.columns = 4096, .fan_ins = {}, .outputs = 1});
    EXPECT_FALSE(verilog_figures(small, {}).folded);
    EXPECT_EQ(verilog_figures(small, {}).rom_bits, 0u);
    EXPECT_TRUE(verilog_figures(small, {"net", 1}).folded);
    const auto large = random.network({.columns = 4097, .fan_ins = {}, .outputs = 1});
    EXPECT_TRUE(verilog_figures(large, {}).folded);
    const auto wide = random.network({.columns = 50, .fan_ins = {9}, .outputs = 10});
    EXPECT_EQ(verilog_figures(wide, {}).parallel, 64u);
    EXPECT_EQ(verilog_figures(wide, {"net", 1000}).parallel, 90u);
}

TEST(Verilog, ReadmeStatesClocksAndRomOfDenseNetworks) {
    RandomNetwork random(9);
    const auto network = random.network({.columns = 12, .outputs = 4, .dense = {20, 9}});
    const auto figures = verilog_figures(network, {"net", 8});
    // 3, 2 and 1 groups of 8 lanes, each with its weights and thresholds; 12 steps of the loader
    const auto words = (figures.rom_bits - 12) / 8;
    EXPECT_EQ((words - (3 * 12 + 2 * 20 + 1 * 9)) % 6, 0u);
    const std::string readme = emit_verilog(network, {"net", 8}, {}).at("README.md");
    EXPECT_NE(readme.find(fmt::format("at most {} clocks", figures.latency)), readme.npos);
    EXPECT_NE(readme.find(fmt::format("({} bits)", figures.rom_bits)), readme.npos);
}

/// Designs that use the Verilog of a tree do not change under their users: renew the digest only for
/// a change that the changelog names.
TEST(Verilog, TreesKeepTheirBytes) {
    RandomNetwork random(8);
    Sha256 digest;
    for (const NetworkShape& shape : test::tree_shapes()) {
        for (const auto parallel : test::verilog_parallels()) {
            const auto network = random.network(shape);
            for (const auto& [file, text] : emit_verilog(network, {"net", parallel}, {})) {
                if (file == "README.md") continue;
                digest.add(std::as_bytes(std::span(file)));
                digest.add(std::as_bytes(std::span(text)));
            }
        }
    }
    EXPECT_EQ(digest.hex(), "b390a102d1b76af5de027f75b0b9b273498d907490925241faf5ccd6fa9c04b1");
}

TEST(Verilog, RefusesWhatItCannotWrite) {
    RandomNetwork random(7);
    auto network = random.network({.fan_ins = {3}});
    EXPECT_THROW(emit_verilog(network, {"9net", {}}, {}), Error);
    EXPECT_THROW(emit_verilog(network, {"module", {}}, {}), Error);
    EXPECT_THROW(emit_verilog(network, {"net", 0}, {}), Error);
    network.members[0].emplace_back(3, 3, true).threshold = {1, -1, 1};  // dense above a tree
    EXPECT_THROW(emit_verilog(network, {"net", {}}, {}), Error);
    network = random.network({.columns = 1, .fan_ins = {}});
    network.members[0][0].threshold[0] = std::int64_t{1} << 31;  // scores of more than 32 bits
    EXPECT_THROW(emit_verilog(network, {"net", {}}, {}), Error);
    network = random.network({.dense = {3}});
    network.members[0][1].fan_in = 2;
    EXPECT_THROW(emit_verilog(network, {"net", {}}, {}), Error);
}

}  // namespace
}  // namespace bitbayes::emit

// The blocks of runtime/rtl on their own: small ones, on all possible inputs.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "emit/files.hpp"
#include "packed/network.hpp"
#include "verilog_folder.hpp"

namespace bitbayes::emit {
namespace {

using test::VerilogFolder;

/// What `testbench`, a module t, prints together with these blocks.
std::string simulate(const std::vector<std::string>& blocks, const std::string& testbench) {
    VerilogFolder folder;
    for (const auto& block : blocks) {
        folder.add_file(block + ".v", std::string(runtime_file("rtl/" + block + ".v")));
    }
    folder.add_file("t.v", testbench);
    const std::string problem = folder.say("iverilog -g2001 -Wall -s t -o t" + folder.sources());
    return problem.empty() ? folder.say("vvp -n t") : problem;
}

/// A testbench of that name with constants before its body.
std::string module_t(const std::string& constants, const std::string& body) {
    return fmt::format("module t;\n    localparam {};\n{}endmodule\n", constants, body);
}

TEST(Blocks, PopcountCountsEverything) {
    BITBAYES_NEED_TOOL("iverilog");
    const std::string body = R"(
    reg clk = 0;
    reg [COUNT:0] all = 0;
    wire [LEVELS:0] sum;
    integer expected, n, wrong = 0;
    bitbayes_popcount #(.COUNT(COUNT), .LEVELS(LEVELS)) dut (
        .clk(clk), .bits(all[COUNT-1:0]), .sum(sum));
    initial begin
        while (!all[COUNT]) begin
            repeat (LEVELS) begin
                #1 clk = 1;
                #1 clk = 0;
            end
            expected = 0;
            for (n = 0; n < COUNT; n = n + 1) expected = expected + all[n];
            #1 if (sum !== expected) wrong = wrong + 1;
            all = all + 1;
        end
        $display("%0d wrong of %0d", wrong, all);
    end
)";
    for (const auto& [count, levels] : std::vector<std::array<int, 2>>{
             {1, 0}, {2, 1}, {3, 1}, {4, 2}, {6, 2}, {7, 2}, {8, 3}, {9, 3}, {15, 3}}) {
        const auto constants = fmt::format("COUNT = {}, LEVELS = {}", count, levels);
        EXPECT_EQ(simulate({"popcount"}, module_t(constants, body)),
                  fmt::format("0 wrong of {}\n", 1 << count));
    }
}

/// New bits every clock: those that wait for a higher level must keep step with the others.
TEST(Blocks, PopcountIsAPipeline) {
    BITBAYES_NEED_TOOL("iverilog");
    const std::string body = R"(
    reg clk = 0;
    reg [COUNT-1:0] bits;
    wire [LEVELS:0] sum;
    reg [7:0] expected [0:63];
    integer n, k, wrong = 0;
    bitbayes_popcount #(.COUNT(COUNT), .LEVELS(LEVELS)) dut (.clk(clk), .bits(bits), .sum(sum));
    initial begin
        for (n = 0; n < 64; n = n + 1) begin
            bits = {$random, $random, $random};
            expected[n] = 0;
            for (k = 0; k < COUNT; k = k + 1) expected[n] = expected[n] + bits[k];
            #1 clk = 1;
            #1 clk = 0;
            if (n >= LEVELS - 1 && sum !== expected[n-LEVELS+1]) wrong = wrong + 1;
        end
        $display("%0d wrong", wrong);
    end
)";
    for (const auto& [count, levels] :
         std::vector<std::array<int, 2>>{{5, 2}, {31, 4}, {40, 5}, {64, 6}, {77, 6}}) {
        const auto constants = fmt::format("COUNT = {}, LEVELS = {}", count, levels);
        EXPECT_EQ(simulate({"popcount"}, module_t(constants, body)), "0 wrong\n");
    }
}

/// All scores of 3 bits but -4, which does not occur: a margin must fit as well.
TEST(Blocks, ArgmaxGivesTheAnswersOfTheNetwork) {
    BITBAYES_NEED_TOOL("iverilog");
    const std::string body = R"(
    reg clk = 0, rst = 1, valid = 0;
    integer n, k;
    reg [3*COUNT-1:0] all;
    reg signed [2:0] score;
    wire [LABEL_WIDTH-1:0] label;
    wire [2:0] margin;
    wire legal, out_valid;
    bitbayes_argmax_stream #(.COUNT(COUNT), .WIDTH(3), .LABEL_WIDTH(LABEL_WIDTH)) stream (
        .clk(clk), .rst(rst), .valid(valid), .score(score), .out_valid(out_valid), .label(label),
        .margin(margin), .legal(legal));
    task tick;
        begin
            #1 clk = 1;
            #1 clk = 0;
            if (out_valid) $display("%0d %0d %0d", label, margin, legal);
        end
    endtask
    initial begin
        tick;
        rst = 0;
        valid = 1;
        for (n = 0; n < 1 << (3 * COUNT); n = n + 1) begin
            all = n;
            for (k = 0; k < COUNT; k = k + 1) begin
                score = all[3*k +: 3];
                tick;
            end
        end
        valid = 0;
        repeat (3) tick;
    end
)";
    for (const int count : {1, 2, 3, 4}) {
        const auto constants =
            fmt::format("COUNT = {}, LABEL_WIDTH = {}", count, count > 2 ? 2 : 1);
        std::istringstream said(simulate({"argmax_stream"}, module_t(constants, body)));
        std::string line;
        for (int n = 0; n < 1 << (3 * count); ++n) {
            ASSERT_TRUE(std::getline(said, line));
            std::vector<std::int64_t> scores;
            for (int k = 0; k < count; ++k) scores.push_back((((n >> (3 * k)) & 7) ^ 4) - 4);
            if (std::count(scores.begin(), scores.end(), -4) > 0) continue;
            const auto answer = packed::Network::answer(scores);
            EXPECT_EQ(line, fmt::format("{} {} {}", answer.class_index, answer.margin,
                                        static_cast<int>(answer.legal)));
        }
        EXPECT_FALSE(std::getline(said, line));
    }
}

/// All labels of committees of 1 to 3 members.
TEST(Blocks, BothVotesGiveTheVotesOfTheNetwork) {
    BITBAYES_NEED_TOOL("iverilog");
    const std::string body = R"(
    localparam WIDTH = LEVELS + 2;
    reg clk = 0, rst = 1, valid = 0;
    reg [2*MEMBERS-1:0] all;
    reg [1:0] label;
    wire [OUTPUTS*WIDTH-1:0] scores;
    bitbayes_vote #(.MEMBERS(MEMBERS), .OUTPUTS(OUTPUTS), .LABEL_WIDTH(2), .LEVELS(LEVELS)) flat (
        .clk(clk), .labels(all), .scores(scores));
    wire out_valid;
    wire signed [LEVELS+1:0] score;
    bitbayes_vote_stream #(.MEMBERS(MEMBERS), .MEMBER_WIDTH(LEVELS + 1), .OUTPUTS(OUTPUTS),
                           .LABEL_WIDTH(2), .WIDTH(WIDTH)) stream (
        .clk(clk), .rst(rst), .valid(valid), .label(label), .out_valid(out_valid), .score(score));
    integer n, k;
    task tick;
        begin
            #1 clk = 1;
            #1 clk = 0;
        end
    endtask
    initial begin
        tick;
        rst = 0;
        for (n = 0; n < 1 << (2 * MEMBERS); n = n + 1) begin
            all = n;
            for (k = 0; k < MEMBERS; k = k + 1) begin
                valid = 1;
                label = all[2*k +: 2];
                tick;
            end
            valid = 0;
            for (k = 0; k < OUTPUTS; k = k + 1) begin
                $write("%0d %0d ", out_valid, score);
                tick;
            end
            repeat (LEVELS + 1) tick;
            for (k = 0; k < OUTPUTS; k = k + 1) $write("%0d ", $signed(scores[k*WIDTH +: WIDTH]));
            $display("%0d", out_valid);
        end
    end
)";
    for (const auto& [members, levels, outputs] :
         std::vector<std::array<int, 3>>{{1, 0, 4}, {2, 1, 1}, {3, 1, 3}, {3, 1, 1}}) {
        const auto constants =
            fmt::format("MEMBERS = {}, LEVELS = {}, OUTPUTS = {}", members, levels, outputs);
        std::istringstream said(
            simulate({"popcount", "vote", "vote_stream"}, module_t(constants, body)));
        for (int n = 0; n < 1 << (2 * members); ++n) {
            std::vector<int> scores(static_cast<std::size_t>(outputs), -members);
            for (int m = 0; m < members; ++m) {
                const int label = n >> (2 * m) & 3;
                const int voted = outputs == 1 ? label - 1 : label;
                if (voted >= 0 && voted < outputs) scores[static_cast<std::size_t>(voted)] += 2;
            }
            std::string line;
            ASSERT_TRUE(std::getline(said, line));
            EXPECT_EQ(line,
                      fmt::format("1 {} {} 0", fmt::join(scores, " 1 "), fmt::join(scores, " ")));
        }
    }
}

}  // namespace
}  // namespace bitbayes::emit

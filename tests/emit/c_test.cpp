// Exported C, compiled here with every warning and undefined behaviour as an error, against the plain
// loops that define the network.
#include "emit/c.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "bitbayes/types/error.hpp"
#include "emit/export_folder.hpp"
#include "packed/random_network.hpp"
#include "tools/c_program.hpp"
#include "tools/environment.hpp"
#include "tools/process.hpp"

namespace bitbayes::emit {
namespace {

using packed::ColumnType;
using packed::Network;
using test::Environment;
using test::ExportFolder;
using test::NetworkShape;
using test::RandomNetwork;

constexpr const char* kStrict =
    "cc -Wconversion -Wsign-conversion -Wshadow -Wstrict-prototypes -fsanitize=undefined "
    "-fno-sanitize-recover=all";

std::vector<std::int32_t> raw_of(const Network& network, std::span<const std::int16_t> rows) {
    return network.quantiser.has_raw() ? std::vector<std::int32_t>(rows.begin(), rows.end())
                                       : std::vector<std::int32_t>();
}

/// Rows whose answers are not those of the library.
std::size_t differences(const Network& network, const tools::CAnswers& got,
                        std::span<const std::int16_t> rows) {
    const std::size_t columns = network.quantiser.columns(), outputs = network.outputs();
    std::size_t count = 0;
    for (std::size_t r = 0; r < rows.size() / columns; ++r) {
        const auto scores = network.scores(rows.subspan(r * columns, columns));
        const auto want = Network::answer(scores);
        const int predicted =
            want.margin < network.abstain_below ? -1 : static_cast<int>(want.class_index);
        const auto& answer = got.answers[r];
        const bool raw_same = got.raw_predicted.empty() || got.raw_predicted[r] == predicted;
        const bool same = raw_same && answer.class_index == want.class_index &&
                          answer.margin == want.margin && answer.legal == want.legal &&
                          got.predicted[r] == predicted &&
                          std::equal(scores.begin(), scores.end(),
                                     got.scores.begin() + static_cast<std::ptrdiff_t>(r * outputs));
        count += same ? 0 : 1;
    }
    return count;
}

void expect_same(const Network& network, RandomNetwork& random, const COptions& options = {}) {
    const auto rows = random.rows(network, 60);
    const ExportFolder folder(emit_c(network, options));
    const tools::CAnswers got =
        tools::run_c(folder.path(), options, network, {rows, raw_of(network, rows)});
    ASSERT_EQ(got.answers.size(), 60u);
    EXPECT_EQ(differences(network, got, rows), 0u);
}

constexpr ColumnType kBit = ColumnType::kBit, kSign = ColumnType::kSign, kU8 = ColumnType::kU8,
                     kI8 = ColumnType::kI8, kI16 = ColumnType::kI16;

class Shapes : public testing::TestWithParam<NetworkShape> {};

TEST_P(Shapes, AnswerAsTheLibrary) {
    const Environment compiler("CC", kStrict);
    RandomNetwork random(1);
    expect_same(random.network(GetParam()), random);
}

// type, columns, constant, comparators, fan-ins, outputs, members, thresholds at the ends, abstain,
// words, widths of dense layers, committees that add scores
const std::vector<NetworkShape> kShapes{
    {kU8, 1, 0, 0, {}, 1, 1, false, 0},
    {kU8, 64, 3, 0, {11}, 10, 1, false, 2},
    {kU8, 784, 67, 0, {5}, 3, 1, false, 0},
    {kU8, 128, 0, 0, {}, 4, 1, true, 100},    // sums of 16 bits, up to 32640 and their ends
    {kI8, 255, 1, 0, {4, 2}, 3, 1, true, 0},  // 254 * 128 + 1 just fits into 16 bits
    {kI8, 30, 30, 0, {3}, 2, 1, false, 0},    // every column constant
    {kI16, 40, 7, 0, {7, 3}, 5, 1, false, 1},
    {kI16, 33, 0, 0, {}, 3, 1, true, 5000},
    {kI16, 9, 0, 0, {}, 1, 3, false, 2},
    {kBit, 8, 0, 0, {3}, 1, 1, false, 0},
    {kBit, 9, 0, 0, {2}, 1, 1, false, 0},  // often a score of 0
    {kBit, 16, 5, 0, {2}, 3, 1, true, 1},
    {kBit, 256, 9, 0, {13}, 10, 1, false, 0},
    {kBit, 33, 0, 0, {}, 4, 5, false, 2},
    {kSign, 7, 1, 0, {}, 3, 1, true, 0},
    {kSign, 21, 0, 0, {21}, 1, 1, false, 3},
    {kSign, 64, 0, 0, {9, 5, 3}, 2, 1, false, 0},
    {kSign, 65, 3, 0, {8}, 3, 4, true, 0},
    {kI16, 57, 2, 8, {15}, 1, 1, false, 0},
    {kI16, 3, 0, 2, {}, 3, 1, true, 1},
    {kU8, 20, 4, 3, {6}, 4, 3, false, 0},
    {kI8, 5, 0, 300, {3}, 3, 1, false, 2},  // more comparators than a byte counts
    {kI16, 12, 3, 4, {2, 2}, 1, 7, false, 4},
    {kBit, 9, 1, 1, {5}, 2, 1, false, 0, true},
    {kU8, 20, 4, 3, {6}, 4, 3, false, 0, true},
    {kI16, 12, 3, 4, {2, 2}, 1, 7, false, 4, true},
    {kSign, 2, 0, 0, {40000}, 1, 1, false, 0},  // an upper sum beyond 16 bits
    {kBit, 320, 0, 0, {7000}, 1, 1, false, 0},  // a table beyond 16-bit indices
};
const std::vector<NetworkShape> kDenseShapes{
    {kU8, 5, 0, 0, {}, 1, 1, false, 0, false, {1}},
    {kU8, 64, 3, 0, {}, 10, 1, false, 2, false, {24}},
    {kBit, 30, 0, 0, {}, 3, 1, false, 0, false, {32}},  // no bit to spare for the constant
    {kI16, 15, 0, 0, {}, 1, 1, true, 1, false, {31, 33}},
    {kSign, 21, 0, 0, {}, 4, 1, false, 0, false, {64, 40, 96, 7}},
    {kI8, 12, 2, 0, {}, 3, 3, false, 1, false, {32, 20}},
    {kU8, 20, 1, 0, {}, 1, 4, false, 2, false, {33, 64}},
    {kU8, 30, 0, 0, {21}, 3, 1, false, 1, false, {40}},
    {kBit, 40, 3, 0, {5, 3}, 1, 1, false, 0, false, {8, 64}},
    {kSign, 20, 0, 0, {5}, 4, 3, false, 2, false, {16}},
    {kI16, 12, 3, 4, {3, 2}, 1, 7, false, 4, true, {40}},
    {kSign, 2, 0, 0, {}, 1, 1, false, 0, false, {40000}},     // an upper sum beyond 16 bits
    {kBit, 8, 0, 0, {}, 2, 1, false, 0, false, {96, 22000}},  // a table beyond 16-bit indices
};
const std::vector<NetworkShape> kAddingShapes{
    {kI16, 33, 0, 0, {}, 3, 3, true, 5000, false, {}, true},  // scores are sums of layer 1
    {kI8, 9, 0, 0, {}, 1, 4, false, 2, false, {}, true},
    {kBit, 33, 2, 0, {5}, 4, 5, false, 2, false, {}, true},
    {kI16, 12, 3, 4, {2, 2}, 1, 7, false, 4, true, {}, true},
    {kSign, 20, 0, 0, {5}, 4, 3, false, 2, false, {16}, true},
    {kU8, 20, 1, 0, {}, 1, 4, false, 2, false, {33, 64}, true},
    {kU8, 20, 1, 0, {}, 3, 2, false, 1, false, {32}, true},
};
INSTANTIATE_TEST_SUITE_P(Adding, Shapes, testing::ValuesIn(kAddingShapes));
INSTANTIATE_TEST_SUITE_P(Trees, Shapes, testing::ValuesIn(kShapes));
INSTANTIATE_TEST_SUITE_P(Dense, Shapes, testing::ValuesIn(kDenseShapes));

TEST(C, OtherLayoutsAnswerAsTheLibrary) {
    const Environment compiler("CC", kStrict);
    RandomNetwork random(2);
    for (const auto& dense : {std::vector<std::size_t>{}, std::vector<std::size_t>{20, 32}}) {
        const Network network = random.network({kU8, 30, 2, 0, {5}, 3, 1, false, 2, false, dense});
        for (const COptions& options :
             {COptions{"one_header", true, false, {}}, COptions{"board", false, true, {}},
              COptions{"both", true, true, {}}, COptions{"b", false, false, {}}}) {
            SCOPED_TRACE(options.name);
            expect_same(network, random, options);
        }
    }
}

/// Scales, origins, ends of the range, missing values and values far beyond those of training.
TEST(C, RawValuesGiveTheLibrarysColumns) {
    const Environment compiler("CC", kStrict);
    RandomNetwork random(15);
    for (const ColumnType type : {kI16, kI8, kU8, kSign, kBit}) {
        Network network = random.network({type, 6, 0, 0, {3}, 3, 1, false, 1});
        auto& quantiser = network.quantiser;
        quantiser.binary = true;
        quantiser.step = {0.25, 0.25, 8, 1, 0x1p-10, 1};
        quantiser.origin = {0, -12, 8000, 40000, 0x1p-10, 0};
        quantiser.low = {-90000, -70000, INT32_MIN, 0, -50, -3};
        quantiser.high = {90000, INT32_MAX, 70000, 60000, 50, 3};
        std::vector<std::int32_t> raw;
        std::vector<std::int16_t> rows;
        std::vector<int> known;
        for (int r = 0; r < 200; ++r) {
            bool outside = false;
            for (std::size_t j = 0; j < 6; ++j) {
                const double far = std::ldexp(random.between(-1000, 1000), random.between(-10, 21));
                const double value =
                    random.between(0, 9) == 0
                        ? std::nan("")
                        : quantiser.origin[j] +
                              (random.between(0, 9) == 0 ? far : random.between(-40, 40) / 8.0) *
                                  quantiser.step[j];
                raw.push_back(quantiser.raw(j, value));
                rows.push_back(quantiser(j, value));
                outside = outside || quantiser.outside(j, value);
            }
            known.push_back(outside ? 0 : 1);
        }
        EXPECT_GT(std::count(known.begin(), known.end(), 0), 5);
        EXPECT_GT(std::count(known.begin(), known.end(), 1), 5);
        const ExportFolder folder(emit_c(network, {}));
        const auto got = tools::run_c(folder.path(), {}, network, {rows, raw});
        for (std::size_t r = 0; r < known.size(); ++r) {
            EXPECT_EQ(got.raw_predicted[r], known[r] != 0 ? got.predicted[r] : -1) << r;
        }
    }
}

TEST(C, WithoutPowersOfTwoThereAreNoRawValues) {
    RandomNetwork random(16);
    Network network = random.network({kI16, 4, 0, 0, {3}, 3, 1, false, 0});
    network.quantiser.step.assign(4, 0.1);
    network.quantiser.origin.assign(4, 0);
    for (const auto& [path, text] : emit_c(network, {})) {
        EXPECT_EQ(text.find("_raw"), std::string::npos) << path;
    }
}

TEST(C, ThresholdsOfEverySizeKeepTheirValue) {
    RandomNetwork random(3);
    Network network = random.network({kI16, 5, 0, 0, {}, 6, 1, false, 0});
    network.members[0][0].threshold = {0, 127, -129, 32768, -1000000000, 900000000};
    expect_same(network, random);
    network.members[0][0].threshold.assign(6, std::int64_t{1} << 30);
    EXPECT_THROW(emit_c(network, {}), Error);
    network.members[0][0].threshold.assign(6, 400000000);
    EXPECT_NO_THROW(emit_c(network, {}));
    network.members.resize(3, network.members[0]);
    EXPECT_NO_THROW(emit_c(network, {})) << "votes";
    network.adds_scores = true;
    EXPECT_THROW(emit_c(network, {}), Error) << "margins between sums of three scores";
}

TEST(C, AChangedWeightIsADifference) {
    RandomNetwork random(4);
    const Network network = random.network({kSign, 9, 0, 0, {3}, 3, 1, false, 0});
    Files files = emit_c(network, {});
    std::string& code = files.at("bitbayes_net.c");
    const std::size_t table = code.find("bitbayes_net_weights_1[");
    const std::size_t digit = code.find("0x", table) + 5;
    code[digit] = code[digit] == '0' ? '3' : '0';
    const auto rows = random.rows(network, 60);
    const ExportFolder folder(files);
    EXPECT_GT(
        differences(network,
                    tools::run_c(folder.path(), {}, network, {rows, raw_of(network, rows)}), rows),
        0u);
}

TEST(C, RefusedFilesAndMissingCompilersAreErrors) {
    RandomNetwork random(5);
    const Network network = random.network({});
    const auto rows = random.rows(network, 1);
    Files files = emit_c(network, {});
    files.at("bitbayes_net.c") += "static int unused;\n";
    const ExportFolder folder(files);
    EXPECT_THROW(tools::run_c(folder.path(), {}, network, {rows, raw_of(network, rows)}), Error);
    const Environment compiler("CC", "/nonexistent/cc");
    try {
        tools::run_c(folder.path(), {}, network, {rows, raw_of(network, rows)});
        FAIL();
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::kUnavailable);
    }
}

TEST(C, ExamplesFindTheirRows) {
    RandomNetwork random(6);
    Network network = random.network({kI8, 12, 2, 0, {3}, 3, 1, false, 2});
    network.class_names = {"a \"quoted\\ one?\?/", "double\n\xff", "%s%d"};
    for (const bool single : {false, true}) {
        const COptions options{"net", single, false, random.rows(network, 4)};
        const ExportFolder folder(emit_c(network, options));
        const std::string sources = single ? "" : " net.c";
        const std::string flags = "-std=c99 -Wall -Wextra -Werror -pedantic";
        ASSERT_EQ(tools::run({{"sh", "-c",
                               "cc " + flags + " -I. example/main.c" + sources +
                                   " -o run && ./run > out && grep -c ^row out > count"},
                              folder.path(),
                              "/dev/null",
                              "/dev/null",
                              60}),
                  0);
        std::string lines;
        std::ifstream(folder.path() / "count") >> lines;
        EXPECT_EQ(lines, "4");
    }
}

TEST(C, TheSketchCompiles) {
    RandomNetwork random(12);
    const Network network = random.network({kSign, 12, 2, 0, {3}, 3, 1, false, 2, false, {32, 9}});
    for (const bool single : {false, true}) {
        const ExportFolder folder(emit_c(network, {"net", single, true, {}}));
        std::ofstream(folder.path() / "Arduino.h")
            << "#define F(text) text\nstruct { void begin(long); void print(const char *); void "
               "print(int); void println(long); } Serial;\nvoid delay(int);\n";
        EXPECT_EQ(tools::run({{"c++", "-Wall", "-Werror", "-Isrc", "-include", "Arduino.h", "-x",
                               "c++", "-fsyntax-only", "examples/Demo/Demo.ino"},
                              folder.path(),
                              "/dev/null",
                              "/dev/null",
                              60}),
                  0);
    }
}

TEST(C, IsAlsoCPlusPlus) {
    RandomNetwork random(7);
    for (const NetworkShape& shape : {kShapes[1], kShapes[10], kShapes[19], kShapes[21],
                                      kDenseShapes[1], kDenseShapes[4], kDenseShapes[9]}) {
        const ExportFolder folder(emit_c(random.network(shape), {"net", true, false, {}}));
        std::ofstream(folder.path() / "net.cpp")
            << "#define NET_IMPLEMENTATION\n#include \"net.h\"\n";
        EXPECT_EQ(tools::run({{"c++", "-std=c++11", "-Wall", "-Wextra", "-Werror", "-c", "net.cpp"},
                              folder.path(),
                              "/dev/null",
                              "/dev/null",
                              60}),
                  0);
    }
}

}  // namespace
}  // namespace bitbayes::emit

#include "sweep/config.hpp"

#include <gtest/gtest.h>

#include "bitbayes/types/error.hpp"

namespace bitbayes::cli::sweep {
namespace {

std::string message_of(const std::string& text) {
    try {
        parse_config(text, "a.toml");
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::kUsage);
        return error.what();
    }
    return "";
}

TEST(SweepConfig, DefaultsOfTheShortestFile) {
    const Config config = parse_config("data = 'x.csv'", "a.toml");
    EXPECT_EQ(config.data, "x.csv");
    EXPECT_EQ(config.best, "error_mean");
    EXPECT_FALSE(config.hold_out);
    EXPECT_EQ(config.folds, 0u);
    EXPECT_TRUE(config.varied().empty());
}

TEST(SweepConfig, ValuesAreTextsOfTheCommandLine) {
    const Config config = parse_config(
        "data = 'x.csv'\n"
        "[grid]\n"
        "learning-rate = [1e-3, 0.5]\n"
        "dense = ['512,512', 1024, [8, 4]]\n"
        "bias = [true, false]\n"
        "evidence = ['1:5', 2.0]\n",
        "a.toml");
    ASSERT_EQ(config.grid.size(), 4u);  // in the order of the file
    EXPECT_EQ(config.grid[0].option->name, "learning_rate");
    EXPECT_EQ(config.grid[0].values, (std::vector<std::string>{"0.001", "0.5"}));
    EXPECT_EQ(config.grid[1].values, (std::vector<std::string>{"512,512", "1024", "8,4"}));
    EXPECT_EQ(config.grid[2].values, (std::vector<std::string>{"true", "false"}));
    EXPECT_EQ(config.grid[3].values, (std::vector<std::string>{"1:5", "2"}));
}

TEST(SweepConfig, ReadingOptions) {
    const Config config = parse_config(
        "data = 'x.csv'\n[reading]\nlabel = 3\nignore = ['a', 2]\ncategorical = 'zip'\n"
        "header = 'no'\nformat = 'csv'\nid = 'name'\n",
        "a.toml");
    EXPECT_EQ(config.reading.label, "3");
    EXPECT_EQ(config.reading.ignore, (std::vector<std::string>{"a", "2"}));
    EXPECT_EQ(config.reading.categorical, std::vector<std::string>{"zip"});
    EXPECT_EQ(config.reading.header, "no");
    EXPECT_EQ(config.reading.id, "name");
}

TEST(SweepConfig, VariedOptionsInTheOrderOfTheTable) {
    const Config config = parse_config(
        "data = 'x.csv'\ndraws = 1\n[options]\nepochs = 1\n[draw]\nseed = [1, 2]\n"
        "[grid]\nevidence = [1]\n[[runs]]\ntree = 5\n",
        "a.toml");
    std::vector<std::string_view> names;
    for (const auto* option : config.varied()) names.push_back(option->name);
    EXPECT_EQ(names, (std::vector<std::string_view>{"tree", "seed", "evidence"}));
}

TEST(SweepConfig, ErrorsNameFileAndLine) {
    EXPECT_EQ(message_of("data = 'x.csv'\n\n[grid]\nsead = [1]\n"),
              "a.toml:4: \"sead\" is not known here; hint: did you mean seed?");
    EXPECT_EQ(message_of("data = 'x.csv'\n[grid]\nepochs = [1, 0]\n"),
              "a.toml:3: epochs: '0' is not a whole number from 1 to 4294967295");
    EXPECT_EQ(message_of("data = 'x'\n[grid]\nseed = []\n"),
              "a.toml:3: seed needs at least one value");
    EXPECT_EQ(message_of("data = 'x'\n[grid]\nseed = 1\n"), "a.toml:3: seed is a list of values");
    EXPECT_EQ(message_of("data = 3\n"), "a.toml:1: data is a text in quotes");
    EXPECT_EQ(message_of("data = 'x'\nfolds = 1\n"), "a.toml:2: folds is a whole number from 2");
    EXPECT_NE(message_of("data = 'x'\nhold_out = 1.0\n").find("between 0 and 1"),
              std::string::npos);
    EXPECT_NE(message_of("data = 'x'\ngrid = 3\n").find("grid is a table"), std::string::npos);
    EXPECT_NE(message_of("data = 'x'\nruns = [3]\n").find("[[runs]]"), std::string::npos);
    EXPECT_NE(message_of("data = 'x'\n[options]\nclass_weight = 'f.csv'\n").find("\"balanced\""),
              std::string::npos);
    EXPECT_NE(message_of("data = 'x'\ndraws = 1\n[draw]\nseed = {low = 1, hihg = 2}\n")
                  .find("a.toml:4: \"hihg\" is not known here; hint: did you mean high?"),
              std::string::npos);
}

}  // namespace
}  // namespace bitbayes::cli::sweep

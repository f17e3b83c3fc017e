#include "sweep/expand.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>

#include "base/text.hpp"
#include "bitbayes/types/error.hpp"

namespace bitbayes::cli::sweep {
namespace {

std::vector<Settings> runs_of(const std::string& text) {
    return expand(parse_config("data = 'x.csv'\n" + text, "a.toml"));
}

/// "tree=3 seed=1"
std::string text_of(const Settings& settings) {
    std::string text;
    for (const auto& [option, value] : settings) {
        text += fmt::format("{}{}={}", text.empty() ? "" : " ", option->name, value);
    }
    return text;
}

std::vector<std::string> texts_of(const std::string& config) {
    std::vector<std::string> texts;
    for (const Settings& settings : runs_of(config)) texts.push_back(text_of(settings));
    return texts;
}

TEST(SweepExpand, NothingVariedIsOneRun) {
    EXPECT_EQ(texts_of("[options]\nepochs = 3\n"), std::vector<std::string>{"epochs=3"});
}

TEST(SweepExpand, GridIsTheProductLastKeyFastest) {
    EXPECT_EQ(texts_of("[grid]\ntree = [3, 5]\nseed = [1, 2]\n"),
              (std::vector<std::string>{"tree=3 seed=1", "tree=3 seed=2", "tree=5 seed=1",
                                        "tree=5 seed=2"}));
}

TEST(SweepExpand, ListsComeAfterTheGridOrAlone) {
    EXPECT_EQ(texts_of("[options]\nepochs = 2\n[grid]\nseed = [1]\n[[runs]]\ntree = 3\n"),
              (std::vector<std::string>{"epochs=2 seed=1", "epochs=2 tree=3"}));
    EXPECT_EQ(texts_of("[[runs]]\ntree = 3\n[[runs]]\ndense = [8, 8]\n"),
              (std::vector<std::string>{"tree=3", "dense=8,8"}));
}

TEST(SweepExpand, DrawsAreCombinedWithTheGrid) {
    const auto texts =
        texts_of("draws = 2\n[draw]\nevidence = {low = 1, high = 2}\n[grid]\nseed = [1, 2]\n");
    ASSERT_EQ(texts.size(), 4u);
    EXPECT_EQ(texts[0].substr(0, texts[0].find(' ')), texts[1].substr(0, texts[1].find(' ')));
    EXPECT_NE(texts[0].substr(0, texts[0].find(' ')), texts[2].substr(0, texts[2].find(' ')));
}

TEST(SweepExpand, ADrawDependsOnItsNumberAndOptionAlone) {
    const auto few = runs_of("draws = 3\n[draw]\nevidence = {low = 0.1, high = 9, log = true}\n");
    const auto many = runs_of(
        "draws = 30\n[draw]\nseed = {low = 0, high = 99}\nevidence = {low = 0.1, high = 9, log = "
        "true}\n");
    for (std::size_t k = 0; k < few.size(); ++k) EXPECT_EQ(few[k][0].second, many[k][1].second);
    const auto other =
        runs_of("draws = 3\ndraw_seed = 2\n[draw]\nevidence = {low = 0.1, high = 9, log = true}\n");
    EXPECT_NE(few[0][0].second, other[0][0].second);
}

TEST(SweepExpand, DrawsCoverTheirRange) {
    const auto runs = runs_of(
        "draws = 2000\n[draw]\nevidence = {low = 0.01, high = 100, log = true}\n"
        "prior_scale = {low = 1, high = 3}\nseed = {low = 5, high = 7}\n"
        "epochs = {low = 1, high = 8, log = true}\npreprocess = ['none', 'center']\n");
    std::size_t below_one = 0, below_two = 0;
    std::map<std::string, std::size_t> seeds, epochs, words;
    for (const Settings& run : runs) {
        const double evidence = *parse_number(run[0].second), scale = *parse_number(run[1].second);
        EXPECT_TRUE(evidence >= 0.01 && evidence <= 100);
        EXPECT_TRUE(scale >= 1 && scale <= 3);
        below_one += evidence < 1;
        below_two += scale < 2;
        ++seeds[run[2].second];
        ++epochs[run[3].second];
        ++words[run[4].second];
    }
    // Binomial, four standard deviations.
    EXPECT_NEAR(static_cast<double>(below_one), 1000, 90);
    EXPECT_NEAR(static_cast<double>(below_two), 1000, 90);
    ASSERT_EQ(seeds.size(), 3u);
    for (const auto& [seed, count] : seeds) EXPECT_NEAR(static_cast<double>(count), 667, 85);
    ASSERT_EQ(epochs.size(), 8u);
    EXPECT_NEAR(static_cast<double>(epochs["1"]), 2000 * std::log(2) / std::log(9), 85);
    EXPECT_NEAR(static_cast<double>(words["none"]), 1000, 90);
}

TEST(SweepExpand, TooManyRunsAreRefusedBeforeTheyAreMade) {
    EXPECT_THROW(runs_of("draws = 1000000000000\n[draw]\nseed = [1]\n"), Error);
}

}  // namespace
}  // namespace bitbayes::cli::sweep

// Every golden vector to 1e-12, and the check itself: a wrong number must not pass.
#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "bitbayes/types/error.hpp"
#include "golden/golden.hpp"

namespace bitbayes::golden {
namespace {

std::string read(const std::filesystem::path& path) {
    std::ifstream file(path);
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
}

class Golden : public testing::TestWithParam<std::filesystem::path> {};

TEST_P(Golden, AllNumbersWithin1e12) {
    const GoldenReport report = check_golden(read(GetParam()), GetParam().string());
    EXPECT_TRUE(report.pass);
    if (report.kind == "exact") {
        EXPECT_GT(report.distance, 0);
        EXPECT_LT(report.distance, 0.7);
        return;
    }
    EXPECT_GE(report.max_abs_error.size(), 4u);
    for (const auto& [name, error] : report.max_abs_error) EXPECT_LE(error, 1e-12) << name;
}

std::vector<std::filesystem::path> golden_files() {
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(BITBAYES_GOLDEN_DIR)) {
        if (entry.path().extension() == ".json") files.push_back(entry.path());
    }
    std::sort(files.begin(), files.end());
    return files;
}

INSTANTIATE_TEST_SUITE_P(Files, Golden, testing::ValuesIn(golden_files()), [](const auto& file) {
    std::string name = file.param.stem().string();
    std::replace(name.begin(), name.end(), '-', '_');
    return name;
});

TEST(GoldenCheck, ThereAreTwentyTwoFiles) { EXPECT_EQ(golden_files().size(), 22u); }

TEST(GoldenCheck, NoticesOneWrongNumber) {
    const std::string dir = BITBAYES_GOLDEN_DIR;
    const auto original = nlohmann::json::parse(read(dir + "/three_layer.json"));
    for (const char* key : {"mu", "sigma2", "nu", "G", "delta", "R", "h"}) {
        auto changed = original;
        auto& value = key == std::string("G") || key == std::string("delta") ||
                              key == std::string("R") || key == std::string("h")
                          ? changed["steps"][3][key][1][0][2]
                          : changed["steps"][3][key][1][0];
        value = value.get<double>() + 1e-11;
        const auto report = check_golden(changed.dump(), "changed");
        EXPECT_FALSE(report.pass) << key;
        EXPECT_GT(report.max_abs_error.at(key), 1e-12) << key;
    }
    auto changed = original;
    changed["steps"][0]["map_output_before"][0] =
        -changed["steps"][0]["map_output_before"][0].get<int>();
    EXPECT_FALSE(check_golden(changed.dump(), "changed").pass);
}

TEST(GoldenCheck, RefusesWhatIsNoGoldenVector) {
    const std::string deep = fmt::format(
        R"({{"widths":[1,1],"fan_in":[1],"h0":[[[1]]],"steps":[{{"x":[1],"y":[1],"mu":[{:[>300000}{:]>300000}]}}]}})",
        "", "");
    for (const char* text :
         {deep.c_str(), "", "{", "[]", "{}",
          R"({"widths":[3,1],"fan_in":[2],"h0":[[[1,2]]],"steps":[]})",
          R"({"widths":[2,1],"fan_in":[2],"h0":[[[1,2,3]]],"steps":[]})",
          R"({"widths":[4294967296,4294967296],"fan_in":[4294967296],"h0":[[]],"steps":[]})",
          R"({"widths":[2,1],"fan_in":[2],"h0":[[[1,2]]],"steps":[{"x":[1],"y":[1]}]})"}) {
        try {
            check_golden(text, "FILE");
            FAIL() << text;
        } catch (const Error& error) {
            EXPECT_EQ(error.code(), ErrorCode::kData) << text;
            EXPECT_EQ(std::string(error.what()).rfind("FILE: ", 0), 0u) << error.what();
        }
    }
}

}  // namespace
}  // namespace bitbayes::golden

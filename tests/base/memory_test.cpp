#include "base/memory.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/temp_folder.hpp"

namespace bitbayes {
namespace {

TEST(Memory, AmountsAsText) {
    EXPECT_EQ(bytes_text(0), "0 bytes");
    EXPECT_EQ(bytes_text(1023), "1023 bytes");
    EXPECT_EQ(bytes_text(1536), "1.5 KB");
    EXPECT_EQ(bytes_text(64 << 20), "64 MB");
    EXPECT_EQ(bytes_text(std::uint64_t{1023} << 20), "1.0 GB");
    EXPECT_EQ(bytes_text(std::uint64_t{9} << 60), "9437184 TB");
}

TEST(Memory, AmountsFromText) {
    EXPECT_EQ(parse_bytes("4096"), 4096u);
    EXPECT_EQ(parse_bytes("64K"), 65536u);
    EXPECT_EQ(parse_bytes("1.5M"), 1572864u);
    EXPECT_EQ(parse_bytes("2G"), std::uint64_t{2} << 30);
    EXPECT_EQ(parse_bytes("1T"), std::uint64_t{1} << 40);
    for (const char* bad : {"", "G", "2GB", "-1", "2g", "nan", "1e30", "99999999999T", "2 G"}) {
        EXPECT_FALSE(parse_bytes(bad)) << bad;
    }
}

TEST(Memory, TheBudgetIsWhatWasAskedForOrMostOfTheMachines) {
    EXPECT_EQ(memory_budget(12345), 12345u);
    EXPECT_GT(memory_of_machine(), 1u << 20);
    EXPECT_GT(memory_budget(0), memory_of_machine() / 2);
    EXPECT_LT(memory_budget(0), memory_of_machine());
}

class ControlGroups : public ::testing::Test {
  protected:
    void write(const std::string& path, const std::string& text) {
        const std::filesystem::path file = folder_ / path;
        std::filesystem::create_directories(file.parent_path());
        std::ofstream(file) << text;
    }
    std::uint64_t limit(const std::string& membership) {
        write("membership", membership);
        return control_group_limit(folder_ / "membership", folder_ / "");
    }

    test::TempFolder folder_;
};

TEST_F(ControlGroups, TheLowestOfTheGroupAndThoseAboveCounts) {
    EXPECT_EQ(limit("0::/a/b\n"), UINT64_MAX);
    write("a/memory.max", "5000\n");
    write("a/b/memory.max", "max\n");
    EXPECT_EQ(limit("0::/a/b\n"), 5000u);
    write("a/b/memory.max", "300\n");
    EXPECT_EQ(limit("0::/a/b\n"), 300u);
    EXPECT_EQ(limit("0::/\n"), UINT64_MAX);
}

TEST_F(ControlGroups, Version1) {
    write("memory/job/memory.limit_in_bytes", "77\n");
    EXPECT_EQ(limit("5:cpu:/other\n4:memory:/job\n0::/\n"), 77u);
    EXPECT_EQ(limit("damaged\n4:memory\n"), UINT64_MAX);
}

}  // namespace
}  // namespace bitbayes

#include "base/folder.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <set>

#include "base/temp_folder.hpp"
#include "bitbayes/types/error.hpp"

namespace bitbayes {
namespace {

void expect_io_error(const std::function<void()>& act, const std::string& words) {
    try {
        act();
        FAIL() << "no error";
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::kIo);
        EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
    }
}

TEST(Folder, NewAndEmptyOnesAreFree) {
    const test::TempFolder folder;
    EXPECT_NO_THROW(check_folder(folder / "new", false));
    EXPECT_NO_THROW(check_folder(folder / ".", false));
    write_files(folder / "new", {{"a.txt", "a"}, {"in/b.txt", "b"}});
    EXPECT_EQ(test::slurp(folder / "new/in/b.txt"), "b");
    expect_io_error([&] { check_folder(folder / "new", false); }, "not empty");
    EXPECT_NO_THROW(check_folder(folder / "new", true));
}

TEST(Folder, AFileInItsPlace) {
    const test::TempFolder folder;
    test::spill(folder / "file", "x");
    expect_io_error([&] { check_folder(folder / "file", true); }, "file: not a folder");
    expect_io_error(
        [&] {
            write_files(folder / "file/deep", {{"a", ""}});
        },
        "cannot make the folder");
}

using Names = std::set<std::string>;

/// Everything in the folder but folders, links included.
Names names_in(const std::string& folder) {
    Names names;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
        if (entry.is_directory() && !entry.is_symlink()) continue;
        names.insert(entry.path().lexically_relative(folder).string());
    }
    return names;
}

TEST(Folder, FilesAppearTogetherAndReplaceThoseOfBefore) {
    const test::TempFolder folder;
    const std::string out = folder / "deep/out";
    write_together(out, {{"a.txt", "a"}, {"in/b.txt", "b"}, {"old/c.txt", "c"}});
    EXPECT_EQ(names_in(out), (Names{"a.txt", "in/b.txt", "old/c.txt", kFileList}));
    test::spill(out + "/mine.txt", "mine");
    test::spill(out + "/in/mine.txt", "mine too");
    std::filesystem::create_directory(out + "/empty");
    std::filesystem::create_symlink("nowhere", out + "/link");
    std::filesystem::permissions(out, std::filesystem::perms(0750));
    write_together(out + "/", {{"a.txt", "new"}, {"d.txt", "d"}});
    EXPECT_EQ(names_in(out),
              (Names{"a.txt", "d.txt", "mine.txt", "in/mine.txt", "link", kFileList}));
    EXPECT_EQ(test::slurp(out + "/a.txt"), "new");
    EXPECT_EQ(test::slurp(out + "/in/mine.txt"), "mine too");
    EXPECT_TRUE(std::filesystem::is_directory(out + "/empty"));
    EXPECT_FALSE(std::filesystem::exists(out + "/old"));
    EXPECT_EQ(std::filesystem::status(out).permissions(), std::filesystem::perms(0750));
    EXPECT_EQ(names_in(folder / "deep").size(), 6u);  // nothing beside it
}

/// The folder that somebody works in is not exchanged, and neither is one through a link.
TEST(Folder, TheWorkingFolderStaysTheSame) {
    const test::TempFolder folder;
    const std::string out = folder / "out";
    write_together(out, {{"a.txt", "a"}, {"in/b.txt", "b"}});
    test::spill(out + "/mine.txt", "mine");
    const auto before = std::filesystem::current_path();
    std::filesystem::current_path(out);
    write_together(".", {{"c.txt", "c"}});
    EXPECT_TRUE(std::filesystem::exists("c.txt"));
    std::filesystem::current_path(before);
    EXPECT_EQ(names_in(out), (Names{"c.txt", "mine.txt", kFileList}));
    EXPECT_FALSE(std::filesystem::exists(out + "/in"));
    std::filesystem::create_directory_symlink(out, folder / "link");
    write_together(folder / "link", {{"d.txt", "d"}});
    EXPECT_TRUE(std::filesystem::is_symlink(folder / "link"));
    EXPECT_EQ(names_in(out), (Names{"d.txt", "mine.txt", kFileList}));
}

TEST(Folder, WhatFailsChangesNothing) {
    const test::TempFolder folder;
    const std::string out = folder / "out";
    write_together(out, {{"a.txt", "a"}});
    expect_io_error(
        [&] {
            write_together(out, {{"a.txt", "new"}, {"b", ""}, {"b/c", ""}});
        },
        "cannot make the folder");
    EXPECT_EQ(names_in(folder / "."), (Names{"out/a.txt", std::string("out/") + kFileList}));
    EXPECT_EQ(test::slurp(out + "/a.txt"), "a");
}

TEST(Folder, WhatAKilledProcessLeftIsRemoved) {
    const test::TempFolder folder;
    std::filesystem::create_directories(folder / ".out.tmp-123456/in");
    write_together(folder / "out", {{"a.txt", "a"}});
    EXPECT_FALSE(std::filesystem::exists(folder / ".out.tmp-123456"));
}

}  // namespace
}  // namespace bitbayes

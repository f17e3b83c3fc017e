#include "tools/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "base/file_size_limit.hpp"
#include "base/temp_folder.hpp"
#include "bitbayes/types/error.hpp"
#include "tools/environment.hpp"

namespace bitbayes::tools {
namespace {

template <class Work>
std::string io_error(Work work) {
    try {
        work();
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::kIo) << error.what();
        return error.what();
    }
    ADD_FAILURE() << "no error";
    return "";
}

TEST(TemporaryFolder, NeedsAFolderThatCanBeWritten) {
    for (const char* folder : {"/nonexistent folder", "/dev/null", "/proc"}) {
        const test::Environment temporary("TMPDIR", folder);
        const std::string what = io_error([] { TemporaryFolder(); });
        EXPECT_TRUE(what.starts_with(std::string(folder) + ": no temporary folder")) << what;
        EXPECT_NE(what.find("hint: "), what.npos);
    }
}

TEST(TemporaryFolder, MayHaveAnyName) {
    const test::TempFolder parent;
    for (const char* name : {"a b", "-x", "; touch y", "'\"$(z)"}) {
        const std::string path = parent / name;
        std::filesystem::create_directory(path);
        const test::Environment temporary("TMPDIR", path.c_str());
        const TemporaryFolder folder;
        folder.write("in", "text");
        EXPECT_EQ(folder.run({"sh", "-c", "cat in; echo $TMPDIR; pwd"}, "out"), 0);
        EXPECT_EQ(folder.read("out"), "text.\n" + folder.path().string() + "\n");
        EXPECT_EQ(folder.path().parent_path(), path);
    }
}

TEST(TemporaryFolder, SaysWhenItIsFull) {
    const TemporaryFolder folder;
    folder.check_room();
    folder.write("small", "x");
    const test::FileSizeLimit limit(1000);
    EXPECT_NE(io_error([&] { folder.check_room(); }).find("cannot be written"), std::string::npos);
    EXPECT_NE(io_error([&] { folder.write("large", std::string(10000, 'x')); }).find("large"),
              std::string::npos);
}

TEST(TemporaryFolder, CopiesTheFilesThatAreNamed) {
    const TemporaryFolder from, to;
    from.write("a", "1");
    from.write("b", "2");
    to.copy(from.path(), std::vector<std::string>{"a"});
    EXPECT_EQ(to.read("a"), "1");
    EXPECT_FALSE(std::filesystem::exists(to.path() / "b"));
    EXPECT_NE(io_error([&] { to.copy(from.path(), std::vector<std::string>{"c"}); }).find("c: "),
              std::string::npos);
}

}  // namespace
}  // namespace bitbayes::tools

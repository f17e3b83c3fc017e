#include "base/folder.hpp"

#include <gtest/gtest.h>

#include <functional>

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

}  // namespace
}  // namespace bitbayes

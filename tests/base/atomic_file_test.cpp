#include "base/atomic_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "bitbayes/types/error.hpp"
#include "file_size_limit.hpp"
#include "temp_folder.hpp"

namespace bitbayes {
namespace {

using test::slurp;
using test::spill;
using test::TempFolder;

std::string io_error(const std::function<void()>& action) {
    try {
        action();
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::kIo) << error.what();
        EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
        return error.what();
    }
    ADD_FAILURE() << "no error";
    return "";
}

mode_t mode_of(const std::string& path) {
    struct stat info {};
    EXPECT_EQ(::stat(path.c_str(), &info), 0);
    return info.st_mode & 0777;
}

TEST(AtomicFile, WritesWhatTheSinkGets) {
    const TempFolder folder;
    std::string expected;
    write_atomically(folder / "a", [&](const FileSink& sink) {
        for (const std::size_t size : {0u, 1u, 1000u, 300000u, 5u, 262144u, 262143u, 7u}) {
            const std::string piece(size, static_cast<char>('a' + size % 26));
            expected += piece;
            sink(piece);
        }
    });
    EXPECT_EQ(slurp(folder / "a"), expected);
    EXPECT_EQ(folder.files(), 1u);
}

TEST(AtomicFile, ReplacesAndKeepsPermissions) {
    const TempFolder folder;
    spill(folder / "a", "old");
    ::chmod((folder / "a").c_str(), 0640);
    write_atomically(folder / "a", "new");
    EXPECT_EQ(slurp(folder / "a"), "new");
    EXPECT_EQ(mode_of(folder / "a"), 0640u);
}

TEST(AtomicFile, NewFileFollowsTheUmask) {
    const TempFolder folder;
    const mode_t before = ::umask(027);
    write_atomically(folder / "a", "");
    ::umask(before);
    EXPECT_EQ(mode_of(folder / "a"), 0640u);
    EXPECT_EQ(slurp(folder / "a"), "");
}

TEST(AtomicFile, SymbolicLinksStay) {
    const TempFolder folder;
    std::filesystem::create_directory(folder / "sub");
    std::filesystem::create_symlink("sub/target", folder / "link");
    write_atomically(folder / "link", "first");
    write_atomically(folder / "link", "second");
    EXPECT_TRUE(std::filesystem::is_symlink(folder / "link"));
    EXPECT_EQ(slurp(folder / "sub/target"), "second");
    std::filesystem::create_symlink("loop", folder / "loop");
    io_error([&] { write_atomically(folder / "loop", "x"); });
}

TEST(AtomicFile, RelativePathWithoutFolder) {
    const TempFolder folder;
    const auto before = std::filesystem::current_path();
    std::filesystem::current_path(folder / "");
    check_output("a", false);
    check_room("a", 1);
    EXPECT_NE(
        io_error([] { check_room("a", std::uint64_t{1} << 62); }).find("the disk has room for"),
        std::string::npos);
    write_atomically("a", "here");
    std::filesystem::current_path(before);
    EXPECT_EQ(slurp(folder / "a"), "here");
}

TEST(AtomicFile, LeftoversAndLongNamesAreNoObstacle) {
    const TempFolder folder;
    spill(folder / fmt::format(".a.{}-0.tmp", ::getpid()), "of a killed process");
    write_atomically(folder / "a", "x");
    EXPECT_EQ(slurp(folder / "a"), "x");
    const std::string longest(255, 'n');
    write_atomically(folder / longest, "y");
    EXPECT_EQ(slurp(folder / longest), "y");
}

TEST(AtomicFile, FullDiskLeavesTheOldFile) {
    const TempFolder folder;
    spill(folder / "a", "old");
    const std::string large(1 << 20, 'x');
    std::string text;
    {
        const test::FileSizeLimit limit(8192);
        text = io_error([&] { write_atomically(folder / "a", large); });
    }
    EXPECT_EQ(text, folder / "a" + ": cannot write: File too large");
    EXPECT_EQ(slurp(folder / "a"), "old");
    EXPECT_EQ(folder.files(), 1u);
}

TEST(AtomicFile, FailureOfTheWriterLeavesTheOldFile) {
    const TempFolder folder;
    spill(folder / "a", "old");
    const auto fill = [](const FileSink& sink) {
        sink(std::string_view("half"));
        throw std::runtime_error("stop");
    };
    EXPECT_THROW(write_atomically(folder / "a", fill), std::runtime_error);
    EXPECT_EQ(slurp(folder / "a"), "old");
    EXPECT_EQ(folder.files(), 1u);
}

TEST(AtomicFile, PathsThatCannotBeWritten) {
    const TempFolder folder;
    spill(folder / "file", "");
    for (const std::string& path : {folder / "missing/a", folder / "file/a", folder / "new/",
                                    folder / "", std::string("/proc/a"), std::string("/dev/null"),
                                    std::string("/dev/full"), std::string()}) {
        const auto checked = io_error([&] { check_output(path, true); });
        const auto written = io_error([&] { write_atomically(path, "x"); });
        EXPECT_NE(checked.find(path), std::string::npos) << checked;
        EXPECT_EQ(checked, written);
    }
    EXPECT_EQ(folder.files(), 1u);
}

TEST(AtomicFile, AFileThatAppearedMeanwhileStays) {
    const TempFolder folder;
    const auto fill = [&](const FileSink& sink) {
        sink(std::string_view("mine"));
        spill(folder / "a", "theirs");
    };
    const auto text = io_error([&] { write_atomically(folder / "a", fill, Existing::kKeep); });
    EXPECT_EQ(text, folder / "a" +
                        ": exists already: it stays, and nothing was written; hint: `force` "
                        "replaces it");
    EXPECT_EQ(slurp(folder / "a"), "theirs");
    EXPECT_EQ(folder.files(), 1u);
    io_error([&] { write_atomically(folder / "a", "mine", Existing::kKeep); });
    write_atomically(folder / "b", "mine", Existing::kKeep);
    EXPECT_EQ(slurp(folder / "b"), "mine");
}

TEST(AtomicFile, OfManyWritersOneSucceeds) {
    const TempFolder folder;
    std::atomic<int> successes = 0;
    std::vector<std::thread> writers;
    for (int i = 0; i < 8; ++i) {
        writers.emplace_back([&] {
            try {
                write_atomically(folder / "a", "x", Existing::kKeep);
                ++successes;
            } catch (const Error&) {
            }
        });
    }
    for (auto& writer : writers) writer.join();
    EXPECT_EQ(successes, 1);
    EXPECT_EQ(folder.files(), 1u);
}

/// The id of a process that has ended.
pid_t dead_process() {
    const pid_t child = ::fork();
    if (child == 0) ::_exit(0);
    ::waitpid(child, nullptr, 0);
    return child;
}

TEST(AtomicFile, LeftoversOfDeadProcessesAreRemoved) {
    const TempFolder folder;
    const pid_t dead = dead_process();
    for (const bool write : {false, true}) {
        spill(folder / fmt::format(".a.{}-0.tmp", dead), "left by a killed process");
        spill(folder / fmt::format(".a.{}-12.tmp", dead), "");
        spill(folder / fmt::format(".a.{}-0.tmp", ::getpid()), "left by an earlier process");
        if (write) {
            write_atomically(folder / "a", "x");
        } else {
            check_output(folder / "a", false);
        }
        EXPECT_EQ(folder.files(), write ? 1u : 0u);
    }
}

TEST(AtomicFile, OtherFilesAreNotRemoved) {
    const TempFolder folder;
    const pid_t dead = dead_process();
    const std::string others[] = {".a.1-0.tmp",
                                  fmt::format(".b.{}-0.tmp", dead),
                                  fmt::format(".a.{}-0.tmpx", dead),
                                  fmt::format(".a.{}-.tmp", dead),
                                  fmt::format(".a.{}.tmp", dead),
                                  fmt::format("a.{}-0.tmp", dead),
                                  fmt::format(".a.-{}-0.tmp", dead),
                                  ".a.0-0.tmp"};
    for (const std::string& name : others) spill(folder / name, "");
    const std::string used = folder / fmt::format(".a.{}-1.tmp", dead);  // of another container
    spill(used, "");
    const int fd = ::open(used.c_str(), O_RDONLY | O_CLOEXEC);
    ::flock(fd, LOCK_EX);
    write_atomically(folder / "a", "x");
    EXPECT_EQ(folder.files(), std::size(others) + 2);
    ::close(fd);
    write_atomically(folder / "a", "x");
    EXPECT_EQ(folder.files(), std::size(others) + 1);
}

TEST(AtomicFile, ATemporaryFileInUseStays) {
    const TempFolder folder;
    write_atomically(folder / "a", [&](const FileSink& sink) {
        sink(std::string_view("outer"));
        write_atomically(folder / "a", "inner");
        EXPECT_EQ(folder.files(), 2u);
    });
    EXPECT_EQ(slurp(folder / "a"), "outer");
    EXPECT_EQ(folder.files(), 1u);
}

TEST(SameFile, ThroughLinksAndBeforeItExists) {
    const TempFolder folder;
    const auto before = std::filesystem::current_path();
    std::filesystem::current_path(folder / "");
    EXPECT_TRUE(same_file("x", "./x"));
    std::filesystem::create_directory("sub");
    std::filesystem::create_directory_symlink("sub", "other");
    for (const bool exists : {false, true}) {
        if (exists) {
            spill("sub/x", "");
            std::filesystem::create_hard_link("sub/x", "hard");
            EXPECT_TRUE(same_file("hard", "other/x"));
        }
        std::filesystem::remove("link");
        std::filesystem::create_symlink("sub/x", "link");
        for (const std::string& name :
             {std::string("sub/x"), std::string("./sub/x"), std::string("sub/../sub//x"),
              std::string("other/x"), std::string("link"), folder / "sub/x"}) {
            EXPECT_TRUE(same_file("sub/x", name)) << name;
            EXPECT_TRUE(same_file(name, "sub/x")) << name;
        }
        EXPECT_FALSE(same_file("sub/x", "sub/y"));
        EXPECT_FALSE(same_file("sub/x", "x"));
    }
    std::filesystem::current_path(before);
}

TEST(CheckOutput, ExistingFileNeedsOverwrite) {
    const TempFolder folder;
    check_output(folder / "a", false);
    EXPECT_EQ(folder.files(), 0u);
    spill(folder / "a", "old");
    EXPECT_EQ(io_error([&] { check_output(folder / "a", false); }),
              folder / "a" + ": exists already; hint: `force` replaces it");
    check_output(folder / "a", true);
    EXPECT_EQ(slurp(folder / "a"), "old");
}

}  // namespace
}  // namespace bitbayes

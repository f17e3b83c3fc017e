#include "terminal/claim.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <filesystem>
#include <thread>

namespace bitbayes::cli {
namespace {

namespace fs = std::filesystem;

class ClaimTest : public testing::Test {
  protected:
    void SetUp() override {
        folder_ = fs::temp_directory_path() / fmt::format("bitbayes_claim_{}", ::getpid());
        fs::create_directories(folder_);
    }
    void TearDown() override { fs::remove_all(folder_); }
    std::string path(const std::string& name) const { return (folder_ / name).string(); }

    fs::path folder_;
};

TEST_F(ClaimTest, OneHolderAtATime) {
    auto first = Claim::take(path("a"));
    ASSERT_TRUE(first);
    EXPECT_FALSE(Claim::take(path("a")));
    EXPECT_TRUE(Claim::take(path("b")));
    first.reset();
    EXPECT_FALSE(fs::exists(path("a")));
    EXPECT_TRUE(Claim::take(path("a")));
}

TEST_F(ClaimTest, AKilledHolderLeavesNoClaim) {
    int ready[2];
    ASSERT_EQ(::pipe(ready), 0);
    const pid_t child = ::fork();
    if (child == 0) {
        const auto claim = Claim::take(path("a"));
        [[maybe_unused]] const auto written = ::write(ready[1], "x", claim ? 1 : 0);
        ::pause();
    }
    char byte = 0;
    ASSERT_EQ(::read(ready[0], &byte, 1), 1);
    EXPECT_FALSE(Claim::take(path("a")));
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    EXPECT_TRUE(fs::exists(path("a")));
    EXPECT_TRUE(Claim::take(path("a")));
}

// The lock is made and removed over and over: a lock on a removed file is no claim.
TEST_F(ClaimTest, NeverTwoHoldersWhileLocksComeAndGo) {
    constexpr std::size_t kTimes = 3000, kThreads = 4;
    std::atomic<int> inside = 0, most = 0;
    const auto work = [&] {
        for (std::size_t k = 0; k < kTimes; ++k) {
            const auto claim = Claim::take(path("a"));
            if (!claim) continue;
            most = std::max(most.load(), ++inside);
            std::this_thread::yield();
            --inside;
        }
    };
    std::vector<std::thread> threads;
    for (std::size_t t = 0; t < kThreads; ++t) threads.emplace_back(work);
    for (auto& thread : threads) thread.join();
    EXPECT_EQ(most, 1);
}

TEST_F(ClaimTest, LocksWorkHere) { EXPECT_TRUE(claims_work(folder_.string())); }

}  // namespace
}  // namespace bitbayes::cli

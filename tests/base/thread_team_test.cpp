#include "base/thread_team.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <climits>
#include <functional>
#include <numeric>
#include <stdexcept>
#include <vector>

namespace bitbayes {
namespace {

class ThreadTeamOf : public testing::TestWithParam<unsigned> {};

TEST_P(ThreadTeamOf, CallsEveryJobOnceInEveryBatch) {
    ThreadTeam team(GetParam());
    EXPECT_EQ(team.size(), GetParam());
    for (const std::size_t count : {0u, 1u, 2u, 3u, 1000u}) {
        std::vector<int> calls(count);
        for (int batch = 0; batch < 50; ++batch)
            team.run(count, [&](std::size_t i) { ++calls[i]; });
        EXPECT_EQ(calls, std::vector<int>(count, 50));
    }
}

TEST_P(ThreadTeamOf, ABatchEndsBeforeTheNextBegins) {
    ThreadTeam team(GetParam());
    std::vector<long> value(64, 1), sums(64);
    for (int batch = 0; batch < 20; ++batch) {
        team.run(64, [&](std::size_t i) {
            sums[i] = std::accumulate(value.begin(), value.end(), 0L) % 1000;
        });
        team.run(64, [&](std::size_t i) { value[i] = sums[63 - i] + 1; });
    }
    EXPECT_EQ(value, std::vector<long>(64, value[0]));
}

TEST_P(ThreadTeamOf, ThrowsWhatAJobThrowsAndGoesOn) {
    ThreadTeam team(GetParam());
    for (int round = 0; round < 20; ++round) {
        std::atomic<int> after = 0;
        EXPECT_THROW(team.run(100,
                              [&](std::size_t i) {
                                  if (i == 7) throw std::invalid_argument("seven");
                                  if (i > 7) ++after;
                              }),
                     std::invalid_argument);
        EXPECT_LE(after, 92);
        std::atomic<int> calls = 0;
        team.run(100, [&](std::size_t) { ++calls; });
        EXPECT_EQ(calls, 100);
    }
}

TEST_P(ThreadTeamOf, ManyJobsMayThrow) {
    ThreadTeam team(GetParam());
    EXPECT_THROW(team.run(50, [](std::size_t) { throw std::runtime_error("all"); }),
                 std::runtime_error);
}

INSTANTIATE_TEST_SUITE_P(Sizes, ThreadTeamOf, testing::Values(1u, 2u, 5u));

TEST(ThreadTeam, ZeroMeansAllUsableCores) {
    EXPECT_GE(ThreadTeam::usable_cores(), 1u);
    EXPECT_EQ(ThreadTeam().size(), ThreadTeam::usable_cores());
}

/// Runs `action` in a process that may not start more than a few threads; returns its exit status,
/// kNoLimit if the limit has no effect here.
constexpr int kNoLimit = 77;
int with_few_threads(const std::function<bool()>& action) {
#if defined(__SANITIZE_THREAD__)
    return kNoLimit;  // it starts no threads after a fork
#endif
    const pid_t child = ::fork();
    if (child == 0) {
        ::alarm(20);                                                     // a hang ends as a failure
        if (::getuid() == 0 && ::setuid(54321) != 0) ::_exit(kNoLimit);  // root has no limit
        const rlimit few{4, 4};
        ::setrlimit(RLIMIT_NPROC, &few);
        ::_exit(action() ? 0 : 1);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(ThreadTeam, FewerThreadsThanAskedForDoAllTheWork) {
    const int status = with_few_threads([] {
        ThreadTeam team(64);
        if (team.size() != 64 || ThreadTeam::limit() != UINT_MAX) return false;
        std::atomic<int> calls = 0;
        for (int batch = 0; batch < 20; ++batch) team.run(100, [&](std::size_t) { ++calls; });
        if (team.size() == 64) ::_exit(kNoLimit);
        return calls == 2000 && team.size() <= 4 && team.start() == team.size() &&
               ThreadTeam::limit() == team.size();
    });
    if (status == kNoLimit) GTEST_SKIP() << "threads cannot be limited here";
    EXPECT_EQ(status, 0);
}

TEST(ThreadTeam, AJobMayThrowInATeamThatIsShort) {
    const int status = with_few_threads([] {
        ThreadTeam team(64);
        try {
            team.run(100, [](std::size_t i) {
                if (i == 50) throw std::runtime_error("fifty");
            });
        } catch (const std::runtime_error&) {
            return true;
        }
        return false;
    });
    if (status == kNoLimit) GTEST_SKIP() << "threads cannot be limited here";
    EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace bitbayes

#include "terminal/workers.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <csignal>
#include <thread>

#include "bitbayes/types/error.hpp"
#include "terminal/signals.hpp"

namespace bitbayes::cli {
namespace {

TEST(Workers, AllWorkAtTheSameTime) {
    std::atomic<int> here = 0;
    run_workers(3, [&] {
        ++here;
        while (here < 3) std::this_thread::yield();
    });
    EXPECT_EQ(here, 3);
}

TEST(Workers, OneIsThisThread) {
    std::thread::id worker;
    run_workers(1, [&] { worker = std::this_thread::get_id(); });
    EXPECT_EQ(worker, std::this_thread::get_id());
}

TEST(Workers, AFailureStopsTheOthersAndIsWhatIsThrown) {
    std::atomic<int> turn = 0;
    try {
        run_workers(3, [&] {
            const InterruptFlag interrupt;
            if (turn++ == 1) throw Error(ErrorCode::kData, "the reason");
            while (!interrupt.raised()) std::this_thread::yield();
            throw Error(ErrorCode::kInterrupted, "stopped");
        });
        FAIL() << "nothing was thrown";
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::kData);
    }
    EXPECT_FALSE(InterruptFlag().raised());  // the next ones start anew
}

TEST(InterruptFlag, SignalsRaiseAllThatLiveAtTheSameTime) {
    const InterruptFlag outer;
    {
        const InterruptFlag inner;
        std::raise(SIGUSR1);
        EXPECT_TRUE(inner.raised());
    }
    EXPECT_TRUE(outer.raised());
    EXPECT_TRUE(InterruptFlag::was_raised());
}

}  // namespace
}  // namespace bitbayes::cli

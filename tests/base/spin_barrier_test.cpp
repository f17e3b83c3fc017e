#include "base/spin_barrier.hpp"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace bitbayes {
namespace {

TEST(SpinBarrier, NobodyIsAheadOrBehind) {
    for (const unsigned parties : {1u, 2u, 7u}) {
        SpinBarrier barrier(parties);
        constexpr int kRounds = 500;
        std::vector<int> round(parties * 16);  // one cache line each
        std::vector<std::thread> threads;
        std::atomic<int> wrong = 0;
        for (unsigned me = 0; me < parties; ++me) {
            threads.emplace_back([&, me] {
                for (int r = 1; r <= kRounds; ++r) {
                    round[me * 16] = r;
                    barrier.wait();
                    for (unsigned other = 0; other < parties; ++other)
                        wrong += round[other * 16] != r;
                    barrier.wait();
                }
            });
        }
        for (auto& thread : threads) thread.join();
        EXPECT_EQ(wrong, 0);
    }
}

}  // namespace
}  // namespace bitbayes

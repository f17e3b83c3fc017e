// Const member functions from many threads at once, including the first call that makes the clipped
// network: the answers are those of one thread, and the thread sanitizer finds nothing.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "bitbayes/bitbayes.hpp"
#include "training/blobs.hpp"

namespace bitbayes {
namespace {

using test::blobs;
using test::small_options;

TEST(Threads, ConstCallsAtOnceAnswerAsOne) {
    constexpr unsigned kThreads = 8;
    const Dataset data = blobs(400, 3, 1), rows = blobs(200, 3, 2);
    TrainOptions options = small_options();
    options.tree = {41};
    const Model one = train(data, options).model;
    const auto mean = one.predict(rows, Mode::kMean, 1);
    const auto map = one.predict(rows, Mode::kMap, 1);
    const auto probabilities = one.probabilities(rows, 1);
    const double error = one.evaluate(rows, 1).error_mean;
    const auto scores = PackedNetwork(one).scores(rows, 1);
    const std::string bytes = one.to_bytes();

    const Model model = one.clone();  // its clipped network is not made yet
    const PackedNetwork packed(model);
    std::atomic<std::size_t> wrong = 0;
    std::vector<std::thread> threads;
    for (unsigned t = 0; t < kThreads; ++t) {
        threads.emplace_back([&, t] {
            std::vector<double> row(rows.features);
            for (std::size_t r = t; r < rows.rows; r += kThreads) {
                rows.copy_row(r, row);
                wrong += model.predict(row) != mean[r];
                wrong += model.predict(row, Mode::kMap).class_index != map[r].class_index;
                wrong += packed.predict(row).margin != map[r].margin;
            }
            wrong += model.predict(rows) != mean;
            wrong += model.probabilities(rows) != probabilities;
            wrong += model.evaluate(rows).error_mean != error;
            wrong += packed.scores(rows) != scores;
            wrong += model.posterior(0).values.size() != one.posterior(0).values.size();
            wrong += model.to_bytes() != bytes;
        });
    }
    for (auto& thread : threads) thread.join();
    EXPECT_EQ(wrong, 0u);
}

}  // namespace
}  // namespace bitbayes

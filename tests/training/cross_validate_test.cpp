#include <gtest/gtest.h>

#include <cmath>

#include "bitbayes/bitbayes.hpp"
#include "data/folds.hpp"
#include "training/blobs.hpp"

namespace bitbayes {
namespace {

using test::blobs;
using test::small_options;

TEST(CrossValidation, IsTrainingWithoutEachFold) {
    const Dataset data = blobs(120, 3, 1);
    TrainOptions options = small_options();
    options.epochs = 1;
    options.preprocess = "thermometer:4";
    const CrossValidation result = cross_validate(data, 4, options);
    ASSERT_EQ(result.folds.size(), 4u);
    const auto fold = data::draw_folds(data, 4, options.seed);
    for (std::uint32_t f = 0; f < 4; ++f) {
        std::vector<std::size_t> in, out;
        for (std::size_t r = 0; r < data.rows; ++r) (fold[r] == f ? out : in).push_back(r);
        const Evaluation by_hand = train(data.select(in), options).model.evaluate(data.select(out));
        EXPECT_EQ(result.folds[f].rows, 30u);
        EXPECT_EQ(result.folds[f].nll, by_hand.nll);
        EXPECT_EQ(result.folds[f].error_map, by_hand.error_map);
    }
}

TEST(CrossValidation, Spread) {
    CrossValidation result;
    for (const double error : {0.1, 0.2, 0.6}) {
        result.folds.emplace_back();
        result.folds.back().error_mean = error;
    }
    const Spread spread = result.spread(&Evaluation::error_mean);
    EXPECT_DOUBLE_EQ(spread.mean, 0.3);
    EXPECT_DOUBLE_EQ(spread.deviation, std::sqrt(0.07));
    EXPECT_EQ(spread.values, (std::vector<double>{0.1, 0.2, 0.6}));
}

TEST(CrossValidation, StopsWhenAsked) {
    const Dataset data = blobs(120, 3, 1);
    std::vector<std::size_t> done;
    FoldCallbacks callbacks;
    callbacks.progress = [](std::size_t fold, const TrainProgress&) { return fold < 1; };
    callbacks.done = [&](std::size_t fold, const Evaluation&) { done.push_back(fold); };
    EXPECT_EQ(cross_validate(data, 3, small_options(), callbacks).folds.size(), 1u);
    EXPECT_EQ(done, std::vector<std::size_t>{0});
}

}  // namespace
}  // namespace bitbayes

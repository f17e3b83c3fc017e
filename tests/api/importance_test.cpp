// Which columns matter, held against what shuffling a column does to the error on other rows.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "bitbayes/bitbayes.hpp"

namespace bitbayes {
namespace {

constexpr std::size_t kColumns = 10, kStrong = 3, kWeak = 7;

/// Columns of different scales; the label depends on kStrong and, less, on kWeak.
Dataset table(std::size_t rows, unsigned seed) {
    std::mt19937 engine(seed);
    std::normal_distribution<double> normal;
    Dataset data;
    data.name = "table";
    data.rows = rows;
    data.features = kColumns;
    data.class_names = {"no", "yes"};
    std::vector<double> values(rows * kColumns);
    for (std::size_t r = 0; r < rows; ++r) {
        double* x = &values[r * kColumns];
        for (std::size_t j = 0; j < kColumns; ++j) x[j] = normal(engine);
        data.labels.push_back(2 * x[kStrong] + x[kWeak] > 0);
        for (std::size_t j = 0; j < kColumns; ++j) x[j] *= 1 + 0.2 * static_cast<double>(j);
    }
    data.values = values;
    return data;
}

/// How much the error grows when one column is shuffled.
std::vector<double> error_growth(const Model& model, const Dataset& test) {
    std::vector<double> growth;
    const double before = model.evaluate(test).error_mean;
    for (std::size_t j = 0; j < kColumns; ++j) {
        Dataset shuffled = test;
        auto& values = std::get<std::vector<double>>(shuffled.values);
        const auto& old = std::get<std::vector<double>>(test.values);
        std::vector<std::size_t> order(test.rows);
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::shuffle(order.begin(), order.end(), std::mt19937(1));
        for (std::size_t r = 0; r < test.rows; ++r) {
            values[r * kColumns + j] = old[order[r] * kColumns + j];
        }
        growth.push_back(model.evaluate(shuffled).error_mean - before);
    }
    return growth;
}

std::vector<std::size_t> ranked(const std::vector<double>& importance) {
    std::vector<std::size_t> order(importance.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return importance[a] > importance[b]; });
    return order;
}

TEST(Importance, RanksLikeShufflingAColumn) {
    const Dataset data = table(1500, 1), test = table(1000, 2);
    for (const auto algorithm : {Algorithm::kMfb, Algorithm::kBackprop}) {
        for (const char* preprocess : {"center", "thermometer:8", "standardize", "none"}) {
            using Sizes = std::vector<std::size_t>;
            const std::pair<Sizes, Sizes> networks[] = {
                {{21}, {}}, {{}, {}}, {{7, 3}, {}}, {{}, {32, 16}}, {{5}, {32}}};
            for (const auto& [tree, dense] : networks) {
                // Ten binary weights of one layer cannot leave a column out.
                if (algorithm == Algorithm::kMfb && tree.empty() && dense.empty()) continue;
                TrainOptions options{.algorithm = algorithm,
                                     .tree = tree,
                                     .dense = dense,
                                     .epochs = dense.empty() ? 3 : 15,
                                     .evidence = 1,
                                     .polish = 0};
                if (!dense.empty()) options.batch = 10;
                options.preprocess = preprocess;
                const Model model = train(data, options).model;
                const auto importance = model.column_importance();
                const auto growth = error_growth(model, test);
                double noise = 0;
                for (std::size_t j = 0; j < kColumns; ++j) {
                    if (j != kStrong && j != kWeak) noise = std::max(noise, importance[j]);
                }
                std::printf(
                    "%s %zu layers: strong %.3f (+%.3f), weak %.3f (+%.3f), noise <= %.3f\n",
                    preprocess, model.layers(), importance[kStrong], growth[kStrong],
                    importance[kWeak], growth[kWeak], noise);
                EXPECT_NEAR(std::accumulate(importance.begin(), importance.end(), 0.0), 1, 1e-9);
                const auto ranks = ranked(importance), by_error = ranked(growth);
                EXPECT_EQ(ranks[0], by_error[0]);
                EXPECT_EQ(ranks[1], by_error[1]);
            }
        }
    }
}

TEST(Importance, AConstantColumnHasNone) {
    Dataset data = table(300, 1);
    for (std::size_t r = 0; r < data.rows; ++r) {
        std::get<std::vector<double>>(data.values)[r * kColumns + 5] = 2;
    }
    for (const char* preprocess : {"center", "thermometer:8"}) {
        TrainOptions options{.tree = {9}, .epochs = 1};
        options.preprocess = preprocess;
        EXPECT_EQ(train(data, options).model.column_importance()[5], 0);
    }
}

}  // namespace
}  // namespace bitbayes

// The network on integers against the real clipped network, sign(sum_j W_ij u_j), in long double.
#include "learn/clip.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>

#include "../data/tables.hpp"
#include "base/philox.hpp"

namespace bitbayes::learn {
namespace {

using data::Preprocessing;
using data::PreprocessKind;
using test::as_sparse;
using test::kMissing;
using test::table;

constexpr std::size_t kFeatures = 9;

/// Whole numbers of mixed sizes; column 2 is constant, some of column 5 is missing.
Dataset integer_table(std::uint64_t seed, std::size_t rows = 120) {
    const Philox random(seed, Purpose::kTeacherTrainInputs);
    std::vector<double> values;
    for (std::size_t i = 0; i < rows * kFeatures; ++i) {
        const std::size_t column = i % kFeatures;
        const auto x = static_cast<double>(random.below(column % 2 ? 200 : 7, i)) - 3;
        values.push_back(column == 2 ? 4 : column == 5 && i % 4 == 0 ? kMissing : x);
    }
    return table(kFeatures, std::move(values));
}

Dataset real_table(std::uint64_t seed) {
    Dataset data = integer_table(seed);
    const Philox random(seed, Purpose::kTeacherTestInputs);
    auto& x = std::get<std::vector<double>>(data.values);
    for (std::size_t i = 0; i < x.size(); ++i) {
        if (i % kFeatures != 2) x[i] += random.uniform(i);
    }
    return data;
}

ModelState random_model(const Dataset& data, const std::string& choice, bool bias,
                        const std::vector<std::size_t>& fan_ins, std::size_t outputs) {
    ModelState model;
    model.preprocessing = Preprocessing::fit(data, {choice, bias, true});
    model.architecture = Architecture::tree(model.preprocessing.inputs(), fan_ins, outputs);
    model.posterior = Posterior(model.architecture);
    for (std::size_t l = 0; l < model.posterior.layers.size(); ++l) {
        const Philox random(fan_ins.size(), Purpose::kPrior, static_cast<std::uint32_t>(l));
        auto& h = model.posterior.layers[l].h;
        for (std::size_t i = 0; i < h.size(); ++i)
            h[i] = static_cast<float>(random.uniform(i) - 0.5);
    }
    return model;
}

/// Preprocessed values and the constant; a missing value is the median, as the clipped network has
/// it.
std::vector<long double> real_inputs(const Preprocessing& p, std::span<const double> row) {
    std::vector<long double> u;
    for (std::size_t j = 0; j < row.size(); ++j) {
        const long double x = std::isnan(row[j]) ? p.columns.median[j] : row[j];
        if (p.kind == PreprocessKind::kThermometer) {
            for (std::size_t k = p.threshold_start[j]; k < p.threshold_start[j + 1]; ++k) {
                u.push_back(((x > p.thresholds[k] ? 1 : -1) - static_cast<long double>(p.mean[k])) /
                            p.scale[0]);
            }
        } else if (p.columns.constant(j)) {
            u.push_back(0);
        } else if (p.kind == PreprocessKind::kNone) {
            u.push_back(x);
        } else {
            u.push_back((x - p.mean[j]) / p.scale[p.kind == PreprocessKind::kCenter ? 0 : j]);
        }
    }
    if (p.bias) u.push_back(1);
    return u;
}

struct RealScores {
    std::vector<long double> score;
    bool near_tie = false;  // a sum of layer 1 is too close to 0 for its sign to mean anything
};

RealScores real_scores(const ModelState& model, std::vector<long double> v) {
    RealScores out;
    for (const LayerPosterior& layer : model.posterior.layers) {
        const bool first = &layer == &model.posterior.layers.front();
        const bool all = layer.shape.connectivity == Connectivity::kDense;
        out.score.clear();
        for (std::size_t i = 0; i < layer.shape.neurons; ++i) {
            long double sum = 0;
            for (std::size_t j = 0; j < layer.shape.fan_in; ++j) {
                const long double x = v[all ? j : i * layer.shape.fan_in + j];
                sum += layer.row(i)[j] >= 0 ? x : -x;
            }
            if (first && std::fabs(sum) < 1e-9L) out.near_tie = true;
            out.score.push_back(sum);
        }
        v = out.score;
        for (auto& x : v) x = x >= 0 ? 1 : -1;
    }
    return out;
}

/// Depth 1: the signs must be equal. Deeper: the scores are whole numbers and must be equal.
void expect_same(const RealScores& real, std::span<const std::int64_t> scores, std::size_t depth) {
    ASSERT_EQ(real.score.size(), scores.size());
    for (std::size_t k = 0; k < scores.size(); ++k) {
        if (depth == 1) {
            EXPECT_EQ(real.score[k] >= 0, scores[k] >= 0);
        } else {
            EXPECT_EQ(real.score[k], static_cast<long double>(scores[k]));
        }
    }
}

/// `dequantised`: compare with the real network on the inputs that the quantiser left over.
void compare(const Dataset& training, const Dataset& data, const std::string& choice,
             bool dequantised = false) {
    std::size_t ties = 0, compared = 0;
    for (const bool bias : {true, false}) {
        for (const std::vector<std::size_t>& fan_ins :
             {std::vector<std::size_t>{}, std::vector<std::size_t>{7},
              std::vector<std::size_t>{4, 3}}) {
            SCOPED_TRACE(choice + (bias ? ", bias, depth " : ", depth ") +
                         std::to_string(fan_ins.size() + 1));
            const ModelState model = random_model(training, choice, bias, fan_ins, 3);
            const ClippedNetwork clipped(model);
            std::vector<double> row(kFeatures);
            std::vector<std::int16_t> x(clipped.inputs().inputs());
            for (std::size_t r = 0; r < data.rows; ++r) {
                data.copy_row(r, row);
                clipped.inputs().dense(row, x);
                auto u = real_inputs(model.preprocessing, row);
                for (std::size_t j = 0; dequantised && j < x.size(); ++j) {
                    const long double left_over =
                        static_cast<long double>(clipped.inputs().step) * x[j];
                    EXPECT_NEAR(u[j], left_over, clipped.inputs().step * 0.5001);
                    u[j] = left_over;
                }
                const auto real = real_scores(model, u);
                ties += real.near_tie;
                if (real.near_tie) continue;
                ++compared;
                const auto scores = clipped.network().scores(x);
                expect_same(real, scores, fan_ins.size() + 1);
                const auto expected = packed::IntegerNetwork::answer(scores);
                EXPECT_EQ(clipped.answer(data, r).class_index, expected.class_index);
                EXPECT_EQ(clipped.answer(data, r).margin, expected.margin);
            }
        }
    }
    EXPECT_LT(ties, compared) << choice << ": too many ties to mean anything";
}

TEST(Clip, IntegersGiveTheSignsOfTheRealNetwork) {
    for (const char* choice : {"center", "none", "thermometer:1", "thermometer:5"}) {
        compare(integer_table(1), integer_table(1), choice);
        compare(integer_table(1), integer_table(2), choice);
    }
}

TEST(Clip, QuantisedColumnsGiveTheSignsOfTheRealNetworkOnThem) {
    compare(integer_table(1), integer_table(1), "standardize", true);
    for (const char* choice : {"center", "none", "standardize"}) {
        compare(real_table(3), real_table(3), choice, true);
    }
}

TEST(Clip, ThermometerOfRealColumnsComparesQuantisedValues) {
    // Steps of 1/65535 of the range: random values differ from their thresholds by more.
    compare(real_table(3), real_table(3), "thermometer:4");
}

TEST(Clip, ChoosesRawIntegersOnlyWhereTheyFit) {
    const auto raw = [](const Dataset& data, const char* choice) {
        return IntegerInputs(Preprocessing::fit(data, {choice, true, false})).raw;
    };
    EXPECT_TRUE(raw(integer_table(1), "center"));
    EXPECT_TRUE(raw(integer_table(1), "none"));
    EXPECT_FALSE(raw(integer_table(1), "standardize"));
    EXPECT_FALSE(raw(real_table(1), "center"));
    EXPECT_TRUE(raw(table(2, {-32768, 0.5, 32767, 0.5}), "center"))
        << "a constant column may be anything";
    EXPECT_FALSE(raw(table(1, {0, 32768}), "center"));
}

TEST(Clip, ValuesBeyondTheTrainingRangeSaturate) {
    const auto p = Preprocessing::fit(table(3, {0, 1, 7, 9, 2, 7}), {"center", true, false});
    std::vector<std::int16_t> x(3);
    IntegerInputs(p).dense(std::vector<double>{1e9, -1e300, 1e9}, x);
    EXPECT_EQ(x, (std::vector<std::int16_t>{32767, -32768, 0}));
    IntegerInputs(p).dense(std::vector<double>{2.6, kMissing, 7}, x);
    EXPECT_EQ(x, (std::vector<std::int16_t>{3, 1, 0}));
}

TEST(Clip, ThermometerQuantiserSpansTheColumn) {
    const auto p =
        Preprocessing::fit(table(1, {-1e308, 0.25, 1e308}), {"thermometer:1", true, false});
    const IntegerInputs inputs(p);
    ASSERT_EQ(inputs.inputs(), 1u);
    std::vector<std::int16_t> b(1);
    for (const double x : {-1.7e308, -1.0, 0.25, 1e306, 1.7e308}) {
        inputs.dense(std::vector<double>{x}, b);
        EXPECT_EQ(b[0], x > 1 ? 1 : -1) << x;
    }
}

TEST(Clip, SparseRowsGiveTheSameAnswersAsDenseOnes) {
    for (const double unit : {1.0, 0.37}) {
        Dataset dense = integer_table(5);
        for (double& x : std::get<std::vector<double>>(dense.values)) {
            x = std::isnan(x) || x > 60 ? 0 : static_cast<float>(x * unit);
        }
        const Dataset sparse = as_sparse(dense);
        Dataset wider = sparse;
        wider.features = 1000;
        auto& rows = std::get<SparseRows>(wider.values);
        rows.column.push_back(999);
        rows.value.push_back(1e9f);
        ++rows.row_start.back();
        for (const std::vector<std::size_t>& fan_ins :
             {std::vector<std::size_t>{}, std::vector<std::size_t>{7}}) {
            ModelState from_sparse = random_model(sparse, "none", true, fan_ins, 4);
            ModelState from_dense = random_model(dense, "none", true, fan_ins, 4);
            const ClippedNetwork a(from_sparse), b(from_dense);
            for (std::size_t r = 0; r < dense.rows; ++r) {
                const auto expected = b.answer(dense, r);
                for (const auto& answer : {a.answer(sparse, r), a.answer(dense, r),
                                           a.answer(wider, r), b.answer(sparse, r)}) {
                    EXPECT_EQ(answer.class_index, expected.class_index);
                    EXPECT_EQ(answer.margin, expected.margin);
                    EXPECT_EQ(answer.legal, expected.legal);
                }
            }
        }
    }
}

TEST(Clip, ZeroIsAPositiveWeight) {
    ModelState model = random_model(integer_table(1), "center", true, {3}, 1);
    for (auto& layer : model.posterior.layers) std::fill(layer.h.begin(), layer.h.end(), 0.0f);
    const ClippedNetwork clipped(model);
    for (const auto& layer : clipped.network().layers) {
        EXPECT_EQ(layer.weight, std::vector<std::int8_t>(layer.neurons * layer.fan_in, 1));
    }
}

TEST(IntegerNetwork, SumsBeyondInt32AreExact) {
    packed::IntegerNetwork network;
    constexpr std::size_t kWide = 70000;
    network.layers.push_back({1, kWide, true, std::vector<std::int8_t>(kWide, -1), {5}});
    EXPECT_EQ(network.scores(std::vector<std::int16_t>(kWide, -32768))[0], 32768ll * kWide - 5);
    network.layers[0].fan_in = 65535;
    EXPECT_EQ(network.scores(std::vector<std::int16_t>(65535, -32768))[0], 32768ll * 65535 - 5);
}

TEST(IntegerNetwork, Answers) {
    using packed::IntegerNetwork;
    const auto answer = [](std::vector<std::int64_t> scores) {
        return IntegerNetwork::answer(scores);
    };
    EXPECT_EQ(answer({-3, 4, 4, 1}).class_index, 1u) << "the lowest index on a tie";
    EXPECT_EQ(answer({-3, 4, 4, 1}).margin, 0);
    EXPECT_FALSE(answer({-3, 4, 4, 1}).legal);
    EXPECT_TRUE(answer({-3, 0, -1}).legal);
    EXPECT_EQ(answer({-3, 0, -1}).margin, 1);
    EXPECT_EQ(answer({9, 2}).margin, 7);
    EXPECT_FALSE(answer({-3, -4}).legal);
    EXPECT_EQ(answer({0}).class_index, 1u);
    EXPECT_EQ(answer({-6}).class_index, 0u);
    EXPECT_EQ(answer({-6}).margin, 6);
    EXPECT_TRUE(answer({-6}).legal);
}

}  // namespace
}  // namespace bitbayes::learn

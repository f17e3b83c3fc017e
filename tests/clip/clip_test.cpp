// The network on integers against the real clipped network, sign(sum_j W_ij u_j), in long double.
#include "clip/clip.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>

#include "../data/tables.hpp"
#include "base/philox.hpp"
#include "bitbayes/types/error.hpp"
#include "clip/clip_inputs.hpp"
#include "packed/packed_answers.hpp"

namespace bitbayes::clip {
namespace {

using data::Preprocessing;
using data::PreprocessKind;
using learn::Architecture;
using learn::Connectivity;
using learn::LayerPosterior;
using learn::ModelState;
using learn::Posterior;
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

/// Trees on hidden dense layers of these widths.
Architecture shape_of(std::size_t inputs, const std::vector<std::size_t>& dense,
                      const std::vector<std::size_t>& fan_ins, std::size_t outputs) {
    Architecture shape =
        Architecture::tree(dense.empty() ? inputs : dense.back() + 1, fan_ins, outputs);
    for (std::size_t l = dense.size(); l > 0; --l) {
        const std::size_t fan_in = l == 1 ? inputs : dense[l - 2] + 1;
        shape.layers.insert(shape.layers.begin(), {dense[l - 1], fan_in, Connectivity::kDense});
    }
    shape.inputs = inputs;
    return shape;
}

ModelState random_model(const Dataset& data, const std::string& choice, bool bias,
                        const std::vector<std::size_t>& fan_ins, std::size_t outputs,
                        const std::vector<std::size_t>& dense = {}) {
    ModelState model;
    model.preprocessing = Preprocessing::fit(data, {choice, bias, true});
    model.columns = Rows(data).columns();
    model.architecture = shape_of(model.preprocessing.inputs(), dense, fan_ins, outputs);
    model.posterior = Posterior(model.architecture);
    for (std::size_t l = 0; l < model.posterior.layers.size(); ++l) {
        const Philox random(fan_ins.size(), Purpose::kPrior, static_cast<std::uint32_t>(l));
        auto& h = model.posterior.layers[l].learned;
        for (std::size_t i = 0; i < h.size(); ++i)
            h[i] = static_cast<float>(random.uniform(i) - 0.5);
    }
    return model;
}

/// Preprocessed values and the constant; a missing value is the median, as in the clipped network.
std::vector<long double> real_inputs(const Preprocessing& p, std::span<const double> row) {
    std::vector<long double> u;
    for (std::size_t j = 0; j < row.size(); ++j) {
        const long double x = std::isnan(row[j]) ? p.columns.median[j] : row[j];
        if (p.kind == PreprocessKind::kThermometer) {
            for (std::size_t k = p.threshold_start[j]; k < p.threshold_start[j + 1]; ++k) {
                const bool on = p.holds_words(j) ? x == p.thresholds[k] : x > p.thresholds[k];
                u.push_back(((on ? 1 : -1) - static_cast<long double>(p.mean[k])) / p.scale[0]);
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
        v.push_back(1);  // the constant of dense layers; trees do not reach it
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

using Sizes = std::vector<std::size_t>;
/// Widths of dense layers, fan-ins of trees.
const std::pair<Sizes, Sizes> kShapes[] = {{{}, {}},   {{}, {7}},     {{}, {4, 3}},
                                           {{12}, {}}, {{8, 10}, {}}, {{11}, {5}}};

/// `dequantised`: compare with the real network on the dequantised inputs.
void compare(const Dataset& training, const Dataset& data, const std::string& choice,
             bool dequantised = false) {
    std::size_t ties = 0, compared = 0;
    for (const bool bias : {true, false}) {
        for (const auto& [dense, fan_ins] : kShapes) {
            const ModelState model = random_model(training, choice, bias, fan_ins, 3, dense);
            const std::size_t depth = model.architecture.depth();
            SCOPED_TRACE(choice + (bias ? ", bias" : "") + (dense.empty() ? "" : ", dense") +
                         ", depth " + std::to_string(depth));
            const packed::Network network = clip(model);
            const packed::Engine engine(network);
            const ClipInputs inputs(model.preprocessing);
            std::vector<double> row(kFeatures);
            std::vector<std::int16_t> columns(kFeatures);
            std::vector<std::int64_t> fast(3);
            for (std::size_t r = 0; r < data.rows; ++r) {
                data.copy_row(r, row);
                quantise_rows(network, data, r, columns);
                const auto x = network.inputs_of(columns);
                auto u = real_inputs(model.preprocessing, row);
                for (std::size_t k = 0; dequantised && k < x.size(); ++k) {
                    const double mean = inputs.mean.empty() ? 0 : inputs.mean[k];
                    const long double left_over =
                        (static_cast<long double>(inputs.unit) * x[k] - mean) / inputs.scale;
                    EXPECT_NEAR(u[inputs.weight[k]], left_over,
                                inputs.unit / inputs.scale * 0.5001);
                    u[inputs.weight[k]] = left_over;
                }
                const auto real = real_scores(model, u);
                ties += real.near_tie;
                if (real.near_tie) continue;
                ++compared;
                const auto scores = network.scores(columns);
                expect_same(real, scores, depth);
                score_rows(engine, data, r, fast);
                EXPECT_EQ(fast, scores);
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

/// Columns 0, 4 and 6 of such a table as words: codes from 0.
Dataset table_with_words(Dataset data) {
    data.categories.resize(kFeatures);
    for (const std::size_t j : {0, 4, 6}) {
        data.categories[j] = {"a", "b", "c", "d", "e", "f", "g"};
        auto& x = std::get<std::vector<double>>(data.values);
        for (std::size_t r = 0; r < data.rows; ++r) {
            double& code = x[r * kFeatures + j];
            code = std::floor(code) + 3;
        }
    }
    return data;
}

TEST(Clip, WordsAreComparedForEquality) {
    compare(table_with_words(integer_table(1)), table_with_words(integer_table(2)),
            "thermometer:3");
    compare(table_with_words(real_table(3)), table_with_words(real_table(3)), "thermometer:4");
}

ClipInputs inputs_of(const Dataset& data, const char* choice) {
    return ClipInputs(Preprocessing::fit(data, {choice, true, false}));
}

TEST(Clip, ChoosesWholeNumbersOnlyWhereTheyFit) {
    const auto whole = [](const Dataset& data, const char* choice) {
        return inputs_of(data, choice).quantiser.step.empty();
    };
    EXPECT_TRUE(whole(integer_table(1), "center"));
    EXPECT_TRUE(whole(integer_table(1), "none"));
    EXPECT_FALSE(whole(integer_table(1), "standardize"));
    EXPECT_FALSE(whole(real_table(1), "center"));
    EXPECT_TRUE(whole(table(2, {-32768, 0.5, 32767, 0.5}), "center"))
        << "a constant column may be anything";
    EXPECT_FALSE(whole(table(1, {0, 32768}), "center"));
    EXPECT_TRUE(whole(integer_table(1), "thermometer:3"));
    EXPECT_FALSE(whole(real_table(1), "thermometer:3"));
}

TEST(Clip, TakesTheNarrowestType) {
    const auto type = [](std::vector<double> column, const char* choice = "center") {
        return packed::name_of(inputs_of(table(1, std::move(column)), choice).quantiser.type);
    };
    for (const char* choice : {"center", "none", "thermometer:2"}) {
        EXPECT_STREQ(type({0, 1, 1}, choice), "bit");
        EXPECT_STREQ(type({-1, 1, 1}, choice), "sign");
        EXPECT_STREQ(type({-1, 0, 1}, choice), "i8");
        EXPECT_STREQ(type({0, 255}, choice), "u8");
        EXPECT_STREQ(type({1, 2}, choice), "u8");
        EXPECT_STREQ(type({-1, 255}, choice), "i16");
        EXPECT_STREQ(type({0, 256}, choice), "i16");
        EXPECT_STREQ(type({0, 0.5}, choice), choice == std::string("center") ? "i8" : "i16");
    }
    std::vector<double> outlier(500, 0.25);
    outlier[0] = 1;
    EXPECT_STREQ(type(outlier, "center"), "i16") << "a byte would be too coarse";
    EXPECT_STREQ(type({0, 1}, "standardize"), "i16");
}

TEST(Clip, LeavesOutConstantColumns) {
    const auto inputs = inputs_of(table(4, {0, 1, 7, 3, 9, 2, 7, 4}), "center");
    EXPECT_EQ(inputs.column, (std::vector<std::uint32_t>{0, 1, 3}));
    EXPECT_EQ(inputs.weight, inputs.column);
    const auto comparators = inputs_of(table(3, {7, 1, 3, 7, 2, 4}), "thermometer:1");
    EXPECT_EQ(comparators.column, (std::vector<std::uint32_t>{1, 2}));
    EXPECT_EQ(comparators.weight, (std::vector<std::uint32_t>{0, 1}));
}

TEST(Clip, ValuesBeyondTheTypeSaturateAndMissingOnesAreTheMedian) {
    const auto quantiser = inputs_of(table(2, {0, 1, 9, 2, 9, 2}), "center").quantiser;
    EXPECT_EQ(quantiser(0, 1e9), 255);
    EXPECT_EQ(quantiser(0, -1e300), 0);
    EXPECT_EQ(quantiser(0, 2.6), 3);
    EXPECT_EQ(quantiser(0, kMissing), 9);
    EXPECT_EQ(quantiser(1, kMissing), 2);
}

TEST(Clip, ThermometerQuantiserSpansTheColumn) {
    const auto inputs = inputs_of(table(1, {-1e308, 0.25, 1e308}), "thermometer:1");
    ASSERT_EQ(inputs.comparator.size(), 1u);
    for (const double x : {-1.7e308, -1.0, 0.25, 4.9e307, 5.1e307, 1.7e308}) {
        EXPECT_EQ(inputs.quantiser(0, x) > inputs.comparator[0], x > 5e307) << x;
    }
}

/// Random columns: near and far from 0, narrow and wide, with ties.
std::vector<double> random_column(std::uint64_t seed) {
    const Philox random(seed, Purpose::kTeacherTrainInputs);
    const double width = std::ldexp(1, static_cast<int>(random.below(40, 1000)) - 20);
    const double middle = (random.uniform(1001) - 0.5) * width * (random.below(2, 1002) ? 3 : 1000);
    const double grid = random.below(2, 1003) ? width / 16 : width * 0x1p-40;
    std::vector<double> values;
    for (std::size_t i = 0; i < 60; ++i) {
        values.push_back(std::round((middle + width * (random.uniform(i) - 0.5)) / grid) * grid);
    }
    return values;
}

TEST(BinarySteps, TrainingValuesStayOnTheirSideOfThresholds) {
    std::size_t compared = 0, at_zero = 0;
    for (std::uint64_t seed = 0; seed < 400; ++seed) {
        std::vector<double> values = random_column(seed);
        const Dataset data = table(1, values);
        std::sort(values.begin(), values.end());
        if (values.front() == values.back()) continue;
        const auto p = Preprocessing::fit(data, {seed % 2 ? "thermometer:5" : "thermometer:1"});
        const ClipInputs inputs(p);
        if (inputs.quantiser.step.empty()) continue;
        ASSERT_TRUE(inputs.quantiser.binary);
        at_zero += inputs.quantiser.origin[0] == 0;
        for (std::size_t k = 0; k < p.thresholds.size(); ++k) {
            const auto above = std::upper_bound(values.begin(), values.end(), p.thresholds[k]);
            if (*above - *(above - 1) < inputs.quantiser.step[0]) continue;
            for (const double x : values) {
                ASSERT_EQ(inputs.quantiser(0, x) > inputs.comparator[k], x > p.thresholds[k])
                    << x << " and " << p.thresholds[k] << ", seed " << seed;
                ++compared;
            }
            ASSERT_GT(inputs.quantiser(0, 1e300), inputs.comparator[k]) << "saturated";
            ASSERT_LE(inputs.quantiser(0, -1e300), inputs.comparator[k]);
        }
    }
    EXPECT_GT(compared, 30000u);
    EXPECT_GT(at_zero, 100u);
    EXPECT_LT(at_zero, 300u);
}

TEST(BinarySteps, ResolveSmallValuesBesideAnOutlier) {
    std::vector<double> values(70, 0);
    for (std::size_t r = 0; r < 10; ++r) values[r] = 0.002;
    values[69] = 1102;
    const auto inputs = inputs_of(table(1, values), "thermometer:8");
    ASSERT_EQ(inputs.comparator.size(), 2u);
    EXPECT_LE(inputs.quantiser(0, 0), inputs.comparator[0]);
    EXPECT_GT(inputs.quantiser(0, 0.002), inputs.comparator[0]);
    EXPECT_LE(inputs.quantiser(0, 0.002), inputs.comparator[1]);
    EXPECT_GT(inputs.quantiser(0, 1102), inputs.comparator[1]);
}

/// Columns are whole numbers minus whole numbers.
TEST(BinarySteps, ColumnsFollowFromRawValues) {
    for (const char* choice : {"center", "none", "thermometer:3"}) {
        const Dataset data = real_table(3);
        const packed::Quantiser quantiser = inputs_of(data, choice).quantiser;
        ASSERT_TRUE(quantiser.binary && quantiser.has_raw()) << choice;
        const auto [low, high] = packed::range_of(quantiser.type);
        const Philox random(7, Purpose::kTeacherTrainInputs);
        for (std::size_t i = 0; i < 2000; ++i) {
            const std::size_t j = i % kFeatures;
            const double step = std::ldexp(1, -quantiser.scale_bits(j));
            EXPECT_EQ(step, quantiser.step[j]);
            double value = 300 * (random.uniform(i) - 0.5);
            if (i % 3 == 0) value = (std::floor(value / step) + 0.5) * step;  // halves
            const double raw = std::floor(std::ldexp(value, quantiser.scale_bits(j)) + 0.5);
            EXPECT_EQ(quantiser(j, value),
                      std::clamp<double>(raw - quantiser.raw_origin(j), low, high))
                << value;
        }
    }
    EXPECT_FALSE(inputs_of(real_table(3), "standardize").quantiser.has_raw());
    EXPECT_TRUE(inputs_of(integer_table(3), "center").quantiser.has_raw());
}

TEST(BinarySteps, ColumnsFarFromZeroKeepTheirResolution) {
    const double far = 1e9;
    const auto quantiser =
        inputs_of(table(1, {far, far + 0.25, far + 0.5, far + 1}), "thermometer:3").quantiser;
    EXPECT_LT(quantiser.step[0], 1e-4);
    EXPECT_EQ(std::fmod(quantiser.origin[0], quantiser.step[0]), 0);
    EXPECT_FALSE(quantiser.has_raw()) << "more than 32 bits";
    EXPECT_TRUE(quantiser.low.empty());
}

/// Models of formats up to 3 keep the quantiser that they had.
TEST(BinarySteps, AreForNewModels) {
    auto p = Preprocessing::fit(real_table(3), {"thermometer:3"});
    p.binary_steps = false;
    const ClipInputs old(p);
    EXPECT_FALSE(old.quantiser.binary);
    const std::size_t first = p.threshold_start[1], last = p.threshold_start[2] - 1;
    EXPECT_EQ(old.quantiser.step[1], p.thresholds[last] / 65533 - p.thresholds[first] / 65533);
    EXPECT_EQ(old.comparator[first], -32767);
}

TEST(Ranges, ReachOneTrainingRangeBeyond) {
    const Dataset data = table(3, {0, 5, 0.5, 10, 5, 1.5, 4, 5, kMissing});
    const auto own = inputs_of(data, "thermometer:2").quantiser;
    for (const double x : {-10.0, 0.0, 20.0, kMissing}) EXPECT_FALSE(own.outside(0, x)) << x;
    for (const double x : {-11.0, 21.0, 1e300}) EXPECT_TRUE(own.outside(0, x)) << x;
    EXPECT_FALSE(own.outside(1, 1e9)) << "constant";
    EXPECT_FALSE(own.outside(2, 2.49));
    EXPECT_TRUE(own.outside(2, 2.51));
    EXPECT_TRUE(own.outside(2, -0.51));
    const auto shared = inputs_of(data, "center").quantiser;
    EXPECT_FALSE(shared.outside(2, 11)) << "columns of one scale: the widest range";
    EXPECT_TRUE(shared.outside(2, 12));
    EXPECT_TRUE(inputs_of(as_sparse(table(2, {0, 1, 1, 0})), "none").quantiser.low.empty());
}

/// One bit of every kind: the integer network must still be the real one.
TEST(Clip, BitsAndSignsGiveTheSignsOfTheRealNetwork) {
    for (const double low : {0.0, -1.0}) {
        const auto bits = [&](std::uint64_t seed) {
            const Philox random(seed, Purpose::kTeacherTrainInputs);
            std::vector<double> values;
            for (std::size_t i = 0; i < 150 * kFeatures; ++i) {
                values.push_back(random.below(3, i) == 0 ? 1 : low);
            }
            return table(kFeatures, std::move(values));
        };
        for (const char* choice : {"center", "none", "thermometer:3"}) {
            compare(bits(1), bits(2), choice);
        }
    }
}

/// Gives a model of sparse rows, which has only some columns, the weights of one of all columns.
void take_weights(const ModelState& dense, ModelState& sparse) {
    const auto& all = dense.posterior.layers[0];
    auto& some = sparse.posterior.layers[0];
    for (std::size_t i = 0; i < some.shape.neurons; ++i) {
        for (std::size_t j = 0; j < some.shape.fan_in; ++j) {
            const bool bias = j + 1 == some.shape.fan_in;
            const auto& kept = sparse.preprocessing.kept;
            some.row(i)[j] = all.row(i)[bias ? all.shape.fan_in - 1 : kept ? kept->column[j] : j];
        }
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
            const ModelState from_dense = random_model(dense, "none", true, fan_ins, 4);
            take_weights(from_dense, from_sparse);
            const packed::Network a = clip(from_sparse), b = clip(from_dense);
            EXPECT_TRUE(a.sparse);
            ThreadTeam team(1);
            const auto expected = packed::scores_of(packed::Engine(b), dense, team);
            EXPECT_EQ(packed::scores_of(packed::Engine(a), sparse, team), expected);
            EXPECT_EQ(packed::scores_of(packed::Engine(a), dense, team), expected);
            EXPECT_EQ(packed::scores_of(packed::Engine(a), wider, team), expected);
            EXPECT_EQ(packed::scores_of(packed::Engine(b), sparse, team), expected);
        }
    }
}

TEST(Clip, ZeroIsAPositiveWeight) {
    ModelState model = random_model(integer_table(1), "center", true, {3}, 1);
    for (auto& layer : model.posterior.layers)
        std::fill(layer.learned.begin(), layer.learned.end(), 0.0f);
    const packed::Network network = clip(model);
    for (const packed::Layer& layer : network.members[0]) {
        for (std::size_t i = 0; i < layer.neurons; ++i) {
            for (std::size_t j = 0; j < layer.fan_in; ++j) EXPECT_EQ(layer.weight(i, j), 1);
        }
    }
}

/// Values as a damaged file with a valid CRC may have them: thresholds stay numbers.
TEST(Clip, HugeMeansGiveThresholdsBeyondEverySum) {
    ModelState model = random_model(integer_table(1), "center", true, {3}, 1);
    for (const double huge : {1e20, 1e300, 1.7e308}) {
        std::fill(model.preprocessing.mean.begin(), model.preprocessing.mean.end(), huge);
        const packed::Network network = clip(model);
        for (const std::int64_t t : network.members[0][0].threshold) {
            EXPECT_LE(t, std::int64_t{1} << 51);
            EXPECT_GE(t, -(std::int64_t{1} << 51));
        }
    }
}

/// `count` output trees from `first` on.
Posterior trees_of(const ModelState& model, std::size_t first, std::size_t count) {
    Posterior trees = model.posterior;
    for (auto& layer : trees.layers) {
        const std::size_t outputs = model.architecture.outputs();
        const std::size_t per_tree = layer.learned.size() / outputs;
        layer.shape.neurons = layer.shape.neurons / outputs * count;
        const auto begin = layer.learned.begin() + std::ptrdiff_t(first * per_tree);
        layer.learned = {begin, begin + std::ptrdiff_t(count * per_tree)};
    }
    return trees;
}

TEST(Clip, TreesOfTheWholeAreTheWhole) {
    for (const std::vector<std::size_t>& fan_ins :
         {std::vector<std::size_t>{}, std::vector<std::size_t>{4, 3}}) {
        ModelState model = random_model(integer_table(1), "center", true, fan_ins, 5);
        ModelState other = model;
        for (auto& layer : other.posterior.layers) {
            std::reverse(layer.learned.begin(), layer.learned.end());
        }
        std::vector<std::int16_t> columns(kFeatures, 5);
        const auto signs = clip(model).scores(columns), polished = clip(other).scores(columns);
        EXPECT_NE(signs, polished);
        for (const bool polish : {false, true}) {
            if (polish) model.polished.emplace(other.posterior);
            const auto& all = polish ? polished : signs;
            EXPECT_EQ(clip(model).scores(columns), all);
            for (std::size_t first = 0; first < 5; ++first) {
                for (std::size_t count = 1; first + count <= 5; ++count) {
                    const auto from = all.begin() + std::ptrdiff_t(first);
                    const std::vector<std::int64_t> part{from, from + std::ptrdiff_t(count)};
                    const Posterior trees = trees_of(model, first, count);
                    EXPECT_EQ(clip_trees(model, trees, first).scores(columns), part);
                }
            }
        }
    }
}

TEST(Clip, ThePolishedPatternIsTheNetwork) {
    for (const auto& [dense, fan_ins] : kShapes) {
        ModelState model = random_model(integer_table(1), "center", true, fan_ins, 3, dense);
        ModelState other = model;
        for (auto& layer : other.posterior.layers) {
            for (float& h : layer.learned) h = h > 0.2f || (h < 0 && h > -0.2f) ? 1 : -1;
        }
        model.polished.emplace(other.posterior);
        const packed::Network a = clip(model), b = clip(other);
        for (std::size_t l = 0; l < b.members[0].size(); ++l) {
            EXPECT_EQ(a.members[0][l].bits, b.members[0][l].bits);
            EXPECT_EQ(a.members[0][l].threshold, b.members[0][l].threshold);
        }
    }
}

/// Weights are +1 as often as the posterior says, and draws differ.
TEST(Committee, DrawsFollowThePosterior) {
    ModelState model = random_model(integer_table(1), "center", true, {25}, 3);
    for (auto& layer : model.posterior.layers) {
        for (std::size_t i = 0; i < layer.learned.size(); ++i)
            layer.learned[i] = i % 2 ? 0.8f : -0.3f;
    }
    constexpr std::size_t kDraws = 60;
    const packed::Network network = clip_committee(model, kDraws, 5);
    ASSERT_EQ(network.members.size(), kDraws + 1);
    const ClipInputs inputs(model.preprocessing);
    double positive[2] = {0, 0}, count[2] = {0, 0};
    for (std::size_t m = 1; m <= kDraws; ++m) {
        const packed::Layer& layer = network.members[m][0];
        for (std::size_t i = 0; i < layer.neurons; ++i) {
            for (std::size_t k = 0; k < layer.fan_in; ++k) {
                const auto odd =
                    (i * model.posterior.layers[0].shape.fan_in + inputs.weight[k]) % 2;
                positive[odd] += layer.weight(i, k) > 0;
                ++count[odd];
            }
        }
    }
    for (const int odd : {0, 1}) {
        const double expected = 1 / (1 + std::exp(-2 * (odd ? 0.8 : -0.3)));
        EXPECT_NEAR(positive[odd] / count[odd], expected, 5 * 0.5 / std::sqrt(count[odd]));
    }
    EXPECT_NE(network.members[1][0].bits, network.members[2][0].bits);
    EXPECT_EQ(clip_committee(model, 2, 5).members[2][0].bits, network.members[2][0].bits);
    EXPECT_NE(clip_committee(model, 2, 6).members[2][0].bits, network.members[2][0].bits);
    EXPECT_EQ(network.members[0][0].bits, clip(model).members[0][0].bits);
}

/// A certain posterior has only one network.
TEST(Committee, OfASureNetworkAgrees) {
    ModelState model = random_model(integer_table(1), "center", true, {5}, 3);
    for (auto& layer : model.posterior.layers) {
        for (float& h : layer.learned) h = h >= 0 ? 30.0f : -30.0f;
    }
    const packed::Network network = clip_committee(model, 3, 1);
    for (const auto& layers : network.members) {
        EXPECT_EQ(layers[0].threshold, network.members[0][0].threshold);
        for (std::size_t l = 0; l < layers.size(); ++l) {
            EXPECT_EQ(layers[l].bits, network.members[0][l].bits);
        }
    }
}

TEST(Committee, NeedsAPosterior) {
    ModelState model = random_model(integer_table(1), "center", true, {5}, 3);
    model.posterior.rule = learn::kBackpropTree;
    EXPECT_THROW(clip_committee(model, 3, 1), Error);
}

}  // namespace
}  // namespace bitbayes::clip

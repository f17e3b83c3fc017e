// The Bayes update in whole numbers: against the paper's in double, against exported C, and what is
// refused.
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "bitbayes/types/error.hpp"
#include "core/network.hpp"
#include "device/sample_models.hpp"
#include "emit/c_learn.hpp"
#include "emit/export_folder.hpp"
#include "tools/c_program.hpp"

namespace bitbayes {
namespace {

using device::Learner;
using test::DeviceShape;

std::vector<double> joined(const device::Network& network, const Learner& learner) {
    std::vector<double> h(learner.h1().begin(), learner.h1().end());
    h.insert(h.end(), learner.h2().begin(), learner.h2().end());
    EXPECT_EQ(h.size(), network.h1.size() + network.h2.size());
    return h;
}

/// The network in double: h as the device has it.
core::Network in_double(const device::Network& network, double eps) {
    std::vector<std::size_t> fan_in{network.fan_in()};
    if (network.hidden > 0) fan_in.push_back(network.hidden);
    core::Network result(fan_in, network.outputs());
    const auto real = [](std::int8_t q) { return q / double{device::kScale}; };
    std::transform(network.h1.begin(), network.h1.end(), result.layers()[0].h.begin(), real);
    if (network.hidden > 0) {
        std::transform(network.h2.begin(), network.h2.end(), result.layers()[1].h.begin(), real);
    }
    if (eps > 0) result.label_noise.assign(network.outputs(), eps);
    return result;
}

class Device : public testing::TestWithParam<DeviceShape> {};

/// On average over the rounding, a row moves h by R/2; its answer is z of the paper.
TEST_P(Device, StepsAreThoseOfThePaper) {
    const DeviceShape& shape = GetParam();
    const Model model = test::device_model(shape, 10);
    const auto network = clip::device_network(model.live().snapshot());
    const Dataset data = test::device_data(shape, 5, 2);  // of the training: none is out of range
    const auto values = test::device_values(network, data);
    std::size_t compared = 0;  // the others leave the range of a byte
    for (std::size_t r = 0; r < data.rows; ++r) {
        const auto row =
            std::span(values).subspan(r * network.clipped.quantiser.columns(), shape.columns);
        data::InputBlock block;
        model.live().description().preprocessing.apply(data, std::span(&r, 1), block);
        const std::vector<double> x(block.value.begin(), block.value.begin() + network.fan_in());
        std::vector<double> y(network.outputs(), -1);
        if (y.size() > 1) y[data.labels[r]] = 1;
        if (y.size() == 1 && data.labels[r] == 1) y[0] = 1;
        auto paper = in_double(network, shape.label_noise);
        const auto before = joined(network, Learner(network));
        paper.step(x, y);

        Learner first(network);
        const auto scores = first.scores(row);
        for (std::size_t k = 0; k < y.size(); ++k) {
            const auto& last = paper.layers().back();
            EXPECT_NEAR(static_cast<double>(scores[k]) / 2048,
                        last.mu[k] / std::sqrt(last.sigma2[k]), 0.01);
        }

        constexpr int kSeeds = 600;
        std::vector<double> sum(before.size());
        for (int seed = 1; seed <= kSeeds; ++seed) {
            Learner learner(network, static_cast<std::uint32_t>(seed) * 7919u);
            learner.learn(row, data.labels[r]);
            const auto after = joined(network, learner);
            for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += after[i] - before[i];
        }
        std::vector<double> R;
        for (const auto& layer : paper.layers()) R.insert(R.end(), layer.R.begin(), layer.R.end());
        for (std::size_t i = 0; i < sum.size(); ++i) {
            if (std::fabs(before[i] + device::kScale * R[i] / 2) >= device::kLargest - 1) continue;
            ++compared;
            const double change = sum[i] / kSeeds / device::kScale;
            EXPECT_NEAR(change, R[i] / 2, 0.002 + 0.03 * std::fabs(R[i] / 2)) << "weight " << i;
        }
    }
    EXPECT_GE(2 * compared, data.rows * (network.h1.size() + network.h2.size()));
}

/// The same bytes after each of 1,000 updates, the same scores before it.
TEST_P(Device, ExportedCLearnsTheSame) {
    const DeviceShape& shape = GetParam();
    const Model model = test::device_model(shape);
    const auto network = clip::device_network(model.live().snapshot());
    const Dataset data = test::device_data(shape, 1000, 3);
    const auto values = test::device_values(network, data);
    const std::size_t columns = shape.columns;
    std::vector<std::int16_t> rows;
    for (std::size_t r = 0; r < data.rows; ++r) {
        rows.push_back(static_cast<std::int16_t>(data.labels[r]));
        rows.insert(rows.end(), &values[r * columns], &values[r * columns] + columns);
    }
    const test::ExportFolder folder(emit::emit_learning_c(network, "net"));
    const auto got = tools::run_learning_c(folder.path(), "net", network, rows, 77);
    Learner learner(network, 77);
    for (std::size_t r = 0; r < data.rows; ++r) {
        const auto row = std::span(values).subspan(r * columns, columns);
        const auto scores = learner.scores(row);
        learner.learn(row, data.labels[r]);
        for (std::size_t k = 0; k < scores.size(); ++k) {
            ASSERT_EQ(got.scores[r * scores.size() + k], scores[k]) << "row " << r;
        }
        ASSERT_EQ(got.fingerprints[r], learner.fingerprint()) << "row " << r;
    }
    const auto h = joined(network, learner);
    EXPECT_EQ(std::vector<double>(got.h.begin(), got.h.end()), h);
}

/// One pass by the device is about as good as one in the library.
TEST_P(Device, LearnsAsWellAsTheLibrary) {
    const DeviceShape& shape = GetParam();
    Model model = test::device_model(shape, 20);
    auto state = model.live().snapshot();
    const auto network = clip::device_network(state);
    const Dataset data = test::device_data(shape, 600, 5);
    const auto values = test::device_values(network, data);
    Learner learner(network);
    for (std::size_t r = 0; r < data.rows; ++r) {
        learner.learn(std::span(values).subspan(r * shape.columns, shape.columns), data.labels[r]);
    }
    clip::take_back(network, learner, data.rows, state);
    EXPECT_EQ(state.samples_seen, 20 + data.rows);
    const Dataset fresh = test::device_data(shape, 600, 6);
    const double device_error = Model(std::move(state)).evaluate(fresh).error_mean;
    model.update(data);
    EXPECT_LE(device_error, model.evaluate(fresh).error_mean + 0.05);
}

INSTANTIATE_TEST_SUITE_P(Shapes, Device, testing::ValuesIn(test::kDeviceShapes),
                         [](const auto& shape) { return shape.param.name; });

/// Another seed rounds differently; the same seed does not.
TEST(DeviceSeed, DecidesTheRounding) {
    const DeviceShape& shape = test::kDeviceShapes[0];
    const auto network = clip::device_network(test::device_model(shape).live().snapshot());
    const auto values = test::device_values(network, test::device_data(shape, 1, 3));
    const auto after = [&](std::uint32_t seed) {
        Learner learner(network, seed);
        learner.learn(values, 1);
        return learner.fingerprint();
    };
    EXPECT_EQ(after(5), after(5));
    EXPECT_NE(after(5), after(6));
    EXPECT_NE(after(0x9E3779B9u), Learner(network).fingerprint());
}

/// Rows far outside of the training, again and again: nothing leaves its range.
TEST(DeviceLimits, ExtremeRowsSaturate) {
    for (const DeviceShape& shape : test::kDeviceShapes) {
        const auto network = clip::device_network(test::device_model(shape).live().snapshot());
        const auto [low, high] = packed::range_of(network.clipped.quantiser.type);
        Learner learner(network);
        for (int n = 0; n < 400; ++n) {
            std::vector<std::int16_t> row(shape.columns);
            for (std::size_t j = 0; j < row.size(); ++j) {
                row[j] = static_cast<std::int16_t>((n + static_cast<int>(j)) % 3 == 0 ? low : high);
            }
            learner.learn(row, static_cast<std::uint32_t>(n) % shape.classes);
        }
        for (const auto q : learner.h1()) EXPECT_LE(std::abs(q), device::kLargest);
    }
}

TEST(DeviceRefusals, SayWhatCannotLearn) {
    const DeviceShape& shape = test::kDeviceShapes[0];
    const Dataset data = test::device_data(shape, 60, 2);
    const auto refused = [&](TrainOptions options, const std::string& what) {
        options.epochs = 1;
        options.polish = 0;
        const auto state = train(data, options).model.live().snapshot();
        try {
            clip::device_network(state);
            ADD_FAILURE() << "not refused: " << what;
        } catch (const Error& error) {
            EXPECT_EQ(error.code(), ErrorCode::kUsage);
            EXPECT_NE(std::string(error.what()).find(what), std::string::npos) << error.what();
        }
    };
    TrainOptions deep, dense, backprop;
    deep.tree = TreeLayers{{3, 3}};
    dense.dense = {8};
    backprop.algorithm = Algorithm::kBackprop;
    backprop.tree = TreeLayers{{3}};
    refused(deep, "more than two layers");
    refused(dense, "dense");
    refused(backprop, "BackProp");
}

}  // namespace
}  // namespace bitbayes

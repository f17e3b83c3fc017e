// Model::set_memory, and what a row of a stream counts.
#include <gtest/gtest.h>

#include "bitbayes/bitbayes.hpp"
#include "learn/live_model.hpp"
#include "training/blobs.hpp"

namespace bitbayes {
namespace {

using test::blobs;
using test::small_options;

TEST(Memory, IsKeptWithTheModel) {
    const Dataset data = blobs(600, 3, 1);
    Model model = train(data, small_options()).model;
    EXPECT_EQ(model.memory(), std::nullopt);
    model.set_memory(400);
    EXPECT_EQ(Model::from_bytes(model.to_bytes()).memory(), 400u);
    EXPECT_EQ(model.clone().memory(), 400u);
    Model copy = model.clone(), endless = model.clone();
    endless.set_memory(std::nullopt);
    model.update(data);
    endless.update(data);
    EXPECT_NE(model.to_bytes(), endless.to_bytes());
    std::vector<double> row(data.features);
    for (std::size_t r = 0; r < data.rows; ++r) {
        data.copy_row(r, row);
        copy.learn(row, data.class_names[data.labels[r]]);
    }
    EXPECT_EQ(model.to_bytes(), copy.to_bytes());
}

TEST(Memory, RefusesWhatCannotForget) {
    const Dataset data = blobs(60, 3, 1);
    Model model = train(data, small_options()).model;
    EXPECT_THROW(model.set_memory(0), Error);
    TrainOptions options = small_options();
    options.algorithm = Algorithm::kBackprop;
    Model backprop = train(data, options).model;
    EXPECT_THROW(backprop.set_memory(100), Error);
    backprop.set_memory(std::nullopt);
}

/// A row of a stream comes once: little evidence is raised, more stays.
TEST(Memory, ARowOfAStreamCountsAtLeastAQuarter) {
    const Dataset data = blobs(300, 3, 1);
    const auto updated = [&](double evidence) {
        learn::ModelState state = train(data, small_options()).model.live().snapshot();
        state.evidence = evidence;
        Model model(std::move(state));
        model.update(data);
        const PosteriorLayer layer = model.posterior(0);
        return std::vector<float>(layer.values.begin(), layer.values.end());
    };
    EXPECT_EQ(updated(0.01), updated(0.25));
    EXPECT_NE(updated(0.3), updated(0.25));
}

}  // namespace
}  // namespace bitbayes

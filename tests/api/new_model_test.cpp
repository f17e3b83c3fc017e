// new_model: a stream learned from its first row on.
#include <gtest/gtest.h>

#include <algorithm>

#include "bitbayes/bitbayes.hpp"
#include "training/blobs.hpp"

namespace bitbayes {
namespace {

using test::blobs;
using test::small_options;

TEST(NewModel, LearnsTheStreamThatTrainingLearns) {
    const Dataset data = blobs(200, 3, 1);
    TrainOptions options = small_options();
    options.epochs = 1;
    options.shuffle = false;
    options.polish = 0;
    Model model = new_model(data, data.class_names, options);
    EXPECT_EQ(model.samples_seen(), 0u);
    const UpdateReport report = model.update(data);
    const TrainResult trained = train(data, options);
    EXPECT_EQ(report.error_progressive, trained.error_progressive);
    const PosteriorLayer a = model.posterior(0), b = trained.model.posterior(0);
    EXPECT_TRUE(std::equal(a.values.begin(), a.values.end(), b.values.begin(), b.values.end()));
    EXPECT_LT(model.evaluate(data).error_mean, 0.1);
}

TEST(NewModel, HasAllClassesItIsGiven) {
    const Dataset data = blobs(60, 3, 1);
    const std::vector<std::string> names = {"z", "0", "1", "2"};
    Model model = new_model(data, names, small_options());
    EXPECT_EQ(model.class_names(), names);
    model.update(data);
    for (const Answer& answer : model.predict(data)) EXPECT_NE(answer.class_index, 0u);
}

TEST(NewModel, RefusesWhatTrainingRefuses) {
    const Dataset data = blobs(60, 3, 1);
    EXPECT_THROW(new_model(data, {}), Error);
    EXPECT_THROW(new_model(data, {"a"}), Error);
    EXPECT_THROW(new_model(data, {"a", "a"}), Error);
    EXPECT_THROW(new_model(data.select({}), {"a", "b"}), Error);
    EXPECT_THROW(new_model(data, {"a", "b"}, {.prior_scale = -1}), Error);
}

}  // namespace
}  // namespace bitbayes

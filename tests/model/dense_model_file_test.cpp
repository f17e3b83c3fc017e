// Files of networks with dense hidden layers.
#include <gtest/gtest.h>

#include "model/complaints.hpp"

namespace bitbayes::model {
namespace {

using test::bytes_of;
using test::Change;
using test::expect_complaint;
using test::expect_refused;

TEST(DenseModelFile, ContradictionsAreNamed) {
    const std::string good = bytes_of(test::dense_model(Algorithm::kMfb, {2}));
    const Change changes[] = {
        {"\"rule\":\"dense\"", "\"rule\":\"tree\" ", "the rule does not fit the architecture"},
        {"\\\"fan_in\\\":6", "\\\"fan_in\\\":5", "the weights do not have the shape"},
        {"\\\"neurons\\\":6", "\\\"neurons\\\":5", "the weights do not have the shape"},
        {"\\\"tree\\\"", "\\\"bush\\\"", "unknown connectivity"},
    };
    for (const auto& change : changes) expect_complaint(good, change);
}

TEST(DenseModelFile, LayersThatDoNotFitAreRefused) {
    const auto refused = [](const auto& change, const std::string& complaint) {
        auto model = test::dense_model(Algorithm::kMfb, {2});
        change(model);
        const learn::Rule rule = model.posterior.rule;
        test::set_weights(model);
        model.posterior.rule = rule;
        model.columns = test::center_model().columns;
        expect_refused(model, complaint);
    };
    using learn::Connectivity;
    const std::string fit = "a layer does not fit the one below";
    refused([](auto& m) { m.architecture.layers[0].connectivity = Connectivity::kTree; }, fit);
    refused([](auto& m) { m.architecture.layers[1].fan_in = 5; }, fit);  // the constant is missing
    refused([](auto& m) { m.architecture.layers[1].connectivity = Connectivity::kTree; }, fit);
    refused([](auto& m) { m.architecture.layers[2].neurons = 7; }, fit);
    refused([](auto& m) { m.architecture.layers[3].connectivity = Connectivity::kDense; }, fit);
    const std::string rule = "the rule does not fit the architecture";
    refused([](auto& m) { m.posterior.rule = learn::kMfbTree; }, rule);
    refused(
        [](auto& m) {
            m.architecture = learn::Architecture::tree(4, {3}, 3);
            m.posterior.rule = learn::kMfbDense;
        },
        rule);
}

}  // namespace
}  // namespace bitbayes::model

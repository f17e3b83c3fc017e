// Files of models with a polished network.
#include <gtest/gtest.h>

#include <functional>

#include "model/complaints.hpp"

namespace bitbayes::model {
namespace {

using learn::ModelState;

/// Every other weight is not what its posterior says.
ModelState polished(ModelState model) {
    learn::Posterior other = model.posterior;
    for (auto& layer : other.layers) {
        for (std::size_t k = 0; k < layer.learned.size(); k += 2) {
            layer.learned[k] = layer.learned[k] >= 0 ? -1.0f : 1.0f;
        }
    }
    model.polished.emplace(other);
    return model;
}

TEST(PolishedModelFile, RoundTrip) {
    for (const ModelState& model :
         {test::center_model(), test::thermometer_model(), test::sparse_model(),
          test::words_model(), test::dense_model(), test::dense_model(Algorithm::kMfb, {2})}) {
        const ModelState with = polished(model);
        const std::string bytes = test::bytes_of(with);
        EXPECT_EQ(parse_model(bytes, "m").polished, with.polished);
        EXPECT_EQ(test::bytes_of(parse_model(bytes, "m")), bytes);
        EXPECT_FALSE(parse_model(test::bytes_of(model), "m").polished);
    }
}

TEST(PolishedModelFile, WrongShapesAreRefused) {
    using Layers = std::vector<std::vector<std::uint8_t>>;
    const std::string complaint = "the polished weights do not have the shape";
    const auto refused = [&](const std::function<void(Layers&)>& change) {
        for (const ModelState& model :
             {test::center_model(), test::dense_model(Algorithm::kMfb, {2})}) {
            ModelState wrong = polished(model);
            change(wrong.polished->layers);
            test::expect_refused(wrong, complaint);
        }
    };
    refused([](Layers& layers) { layers[0].pop_back(); });
    refused([](Layers& layers) { layers[0].push_back(0); });
    refused([](Layers& layers) { layers[0].clear(); });  // an empty tensor is left out
    refused([](Layers& layers) { layers[1].clear(); });
    refused([](Layers& layers) { layers.back().clear(); });
    refused([](Layers& layers) { layers.pop_back(); });
    refused([](Layers& layers) { std::swap(layers[0], layers[1]); });
}

TEST(PolishedModelFile, BitsBeyondTheLastWeightAreRefused) {
    for (const ModelState& model :
         {test::center_model(), test::thermometer_model(), test::sparse_model()}) {
        for (std::size_t l = 0; l < model.architecture.depth(); ++l) {
            const std::size_t weights = model.architecture.layers[l].weights();
            for (std::size_t bit = weights; bit % 8 != 0; ++bit) {
                ModelState wrong = polished(model);
                wrong.polished->layers[l].back() |= static_cast<std::uint8_t>(1 << bit % 8);
                test::expect_refused(wrong, "the polished weights do not have the shape");
            }
        }
    }
}

TEST(PolishedModelFile, AMissingLayerIsRefused) {
    const std::string good = test::bytes_of(polished(test::center_model()));
    const std::string shape = "the polished weights do not have the shape";
    test::expect_complaint(good, {"layer1.polished", "layer1.tarnishe", shape.c_str()});
    test::expect_complaint(good, {"layer2.polished", "layer2.tarnishe", shape.c_str()});
}

}  // namespace
}  // namespace bitbayes::model

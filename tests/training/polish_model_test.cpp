// Model::polish: the network that training would have stored, of any model of MFB.
#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "../data/tables.hpp"
#include "bitbayes/bitbayes.hpp"
#include "training/polished.hpp"

namespace bitbayes {
namespace {

using test::hard;
using test::kShapes;
using test::options_of;
using test::pattern_of;
using test::Shape;

TEST(PolishModel, OfAModelGivesWhatTrainingStores) {
    const Dataset data = hard();
    for (const Shape& shape : kShapes) {
        Model model = train(data, options_of(shape, 0)).model;
        const std::string plain = model.to_bytes();
        model.polish(data);
        EXPECT_EQ(model.to_bytes(), train(data, options_of(shape)).model.to_bytes());
        Model loaded = Model::from_bytes(plain);
        loaded.predict(data, Mode::kMap);  // fills what is derived from the signs
        loaded.polish(data, 5, 2);
        EXPECT_EQ(loaded.to_bytes(), model.to_bytes());
        EXPECT_EQ(loaded.evaluate_clipped(data).error_map, model.evaluate(data).error_map);
    }
}

TEST(PolishModel, ForgetsAnEarlierPattern) {
    const Dataset data = hard(), other = hard(200, 4, 8);
    for (const Shape& shape : kShapes) {
        const Model plain = train(data, options_of(shape, 0)).model;
        const Model polished = train(data, options_of(shape, 9)).model;
        for (const std::uint64_t rounds : {0u, 1u, 2u, 3u}) {
            Model once = plain.clone(), again = polished.clone();
            once.polish(data, rounds);
            again.polish(data, rounds);
            EXPECT_EQ(again.to_bytes(), once.to_bytes()) << rounds;
        }
        Model once = plain.clone(), again = polished.clone();
        once.polish(other);
        again.polish(other);
        EXPECT_EQ(again.to_bytes(), once.to_bytes());
    }
}

TEST(PolishModel, IsNotForBackProp) {
    const Dataset data = hard();
    for (const Shape& shape : {kShapes[0], kShapes[3]}) {
        TrainOptions options = options_of(shape);
        options.algorithm = Algorithm::kBackprop;
        options.evidence = Evidence::by_default();
        Trainer trainer(data, options);
        EXPECT_EQ(trainer.options().polish, 0u);
        trainer.run();
        Model model = trainer.model();
        EXPECT_FALSE(pattern_of(model));
        EXPECT_EQ(test::code_of([&] { model.polish(data); }), ErrorCode::kUsage);
    }
}

TEST(PolishModel, RefusesRowsThatDoNotFitAndKeepsItsPattern) {
    const Dataset data = hard();
    Model model = train(data, options_of(kShapes[0])).model;
    const std::string before = model.to_bytes();
    Dataset narrow = data, unknown = data, infinite = data, negative = data;
    narrow.features = 6;
    narrow.rows *= 2;
    narrow.labels.insert(narrow.labels.end(), data.labels.begin(), data.labels.end());
    unknown.class_names[1] = "other";
    std::get<std::vector<double>>(infinite.values)[7] = std::numeric_limits<double>::infinity();
    negative.weights.assign(data.rows, -1);
    for (const Dataset& wrong : {narrow, unknown, infinite, negative}) {
        EXPECT_EQ(test::code_of([&] { model.polish(wrong); }), ErrorCode::kData);
        EXPECT_EQ(model.to_bytes(), before);
    }
}

}  // namespace
}  // namespace bitbayes

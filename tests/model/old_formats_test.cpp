// Files written before format 3 always load, and answer as they did. tests/model/old: rows.csv,
// models and checkpoints trained on it by version 0.1.0
//   bitbayes train rows.csv --tree 5 --epochs 3 [--algorithm backprop] -o MODEL --checkpoint FILE
// and what its `predict` wrote for them; v3-checkpoint.model, by the last build without dense networks,
//   bitbayes train rows.csv --tree 3 --epochs 2 --checkpoint FILE
// and v3-resumed.model, by the last build without steps of powers of two,
//   bitbayes train rows.csv --tree 3 --epochs 4 --resume v3-checkpoint.model -o FILE
// v1-center.model is center_model() of sample_models.hpp.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <cmath>
#include <fstream>

#include "base/temp_folder.hpp"
#include "bitbayes/bitbayes.hpp"
#include "container/container.hpp"
#include "model/expect_error.hpp"
#include "model/model_file.hpp"
#include "model/sample_models.hpp"

namespace bitbayes::model {
namespace {

using test::error_of;
using test::slurp;

const std::string kFolder = BITBAYES_TESTS "/model/old/";

TEST(OldFormats, ModelsAnswerAsTheyDid) {
    const Dataset rows = load_dataset(kFolder + "rows.csv");
    for (const std::string name : {"v1-mfb", "v2-backprop"}) {
        const Model model = Model::load(kFolder + name + ".model");
        for (const auto& [mode, ending] : {std::pair(Mode::kMean, "mean"), {Mode::kMap, "map"}}) {
            std::ifstream file(kFolder + name + "." + ending + ".csv");
            std::string line;
            std::getline(file, line);  // header
            for (const Answer& answer : model.predict(rows, mode)) {
                ASSERT_TRUE(std::getline(file, line));
                const auto probability = std::isnan(answer.probability)
                                             ? std::string()
                                             : fmt::format("{:.6g}", answer.probability);
                EXPECT_EQ(
                    fmt::format("{},{},{:.6g},{:.6g}", model.class_names()[answer.class_index],
                                probability, answer.validity, answer.margin),
                    line)
                    << name;
            }
            EXPECT_FALSE(std::getline(file, line));
        }
    }
}

TEST(OldFormats, SavedAgainTheyAreOfTheNewestFormat) {
    for (const std::string name :
         {"v1-mfb", "v1-center", "v1-checkpoint", "v2-backprop", "v2-checkpoint"}) {
        const Model model = Model::load(kFolder + name + ".model");
        const std::string bytes = model.to_bytes();
        EXPECT_NE(bytes.find("\"format_version\":\"3\""), std::string::npos);
        EXPECT_EQ(Model::from_bytes(bytes).to_bytes(), bytes);
    }
}

TEST(OldFormats, TheFirstModelHoldsWhatItHeld) {
    const learn::ModelState read = load_model(kFolder + "v1-center.model");
    const learn::ModelState expected = test::center_model();
    EXPECT_EQ(read.architecture, expected.architecture);
    for (std::size_t l = 0; l < 2; ++l) {
        EXPECT_EQ(read.posterior.layers[l].learned, expected.posterior.layers[l].learned);
        EXPECT_TRUE(read.posterior.layers[l].carried.empty());
    }
    EXPECT_EQ(read.class_names, expected.class_names);
    EXPECT_EQ(read.preprocessing.mean, expected.preprocessing.mean);
    EXPECT_EQ(read.evidence, expected.evidence);
    EXPECT_EQ(read.seed, expected.seed);
    EXPECT_TRUE(read.columns.names.empty());
    EXPECT_EQ(read.prior_scale, 1);
}

/// Their steps were computed differently: a resumed run could not give the same bytes.
TEST(OldFormats, CheckpointsAreModelsButDoNotResume) {
    for (const std::string name : {"v1-checkpoint", "v2-checkpoint"}) {
        const std::string path = kFolder + name + ".model";
        EXPECT_EQ(parse_position(slurp(path), path).epochs_done, 3u);
        Model model = Model::load(path);
        EXPECT_EQ(model.samples_seen(), 180u);
        EXPECT_NO_THROW(model.update(load_dataset(kFolder + "rows.csv")));
        const auto text = error_of(ErrorCode::kUsage, [&] { load_checkpoint(path); });
        EXPECT_NE(text.find("whose steps an older version computed"), std::string::npos) << text;
        EXPECT_NE(text.find("bitbayes update"), std::string::npos) << text;
    }
}

/// Options that are newer than a checkpoint have their defaults in it.
TEST(OldFormats, CheckpointsOfFormat3ResumeToTheSameBytes) {
    const Dataset rows = load_dataset(kFolder + "rows.csv");
    const TrainOptions options{.tree = {3}, .epochs = 4};
    Trainer resumed = Trainer::resume(kFolder + "v3-checkpoint.model", rows, options);
    EXPECT_EQ(resumed.epochs_done(), 2u);
    EXPECT_TRUE(resumed.run());
    EXPECT_EQ(resumed.model().to_bytes(), slurp(kFolder + "v3-resumed.model"));
    TrainOptions dense = options;
    dense.dense = {8};
    const auto text = error_of(
        ErrorCode::kUsage, [&] { Trainer::resume(kFolder + "v3-checkpoint.model", rows, dense); });
    EXPECT_EQ(text.rfind("`dense` is 8 here but none in the checkpoint", 0), 0u) << text;
}

}  // namespace
}  // namespace bitbayes::model

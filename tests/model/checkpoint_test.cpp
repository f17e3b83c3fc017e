#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "../base/temp_folder.hpp"
#include "model/expect_error.hpp"
#include "model/model_file.hpp"
#include "model/sample_models.hpp"

namespace bitbayes::model {
namespace {

using test::error_of;
using test::slurp;
using test::spill;
using test::TempFolder;
using test::with_valid_crc;

/// `bytes` with the first `what` replaced, the header as long as before, and a valid CRC.
std::string changed(std::string bytes, const std::string& what, const std::string& by) {
    constexpr std::size_t kInHeader = 9;  // after its length and its brace
    const std::size_t at = bytes.find(what);
    EXPECT_NE(at, std::string::npos) << what;
    bytes.replace(at, what.size(), by);
    bytes.insert(kInHeader, what.size() - by.size(), ' ');
    return with_valid_crc(bytes);
}

class CheckpointFile : public testing::Test {
  protected:
    void SetUp() override {
        save_checkpoint(folder_ / "c", test::center_model(), test::sample_position(),
                        test::sample_settings());
    }

    TempFolder folder_;
};

TEST_F(CheckpointFile, RoundTrip) {
    const Checkpoint read = load_checkpoint(folder_ / "c");
    const auto position = test::sample_position();
    EXPECT_EQ(read.position.epochs_done, 2u);
    EXPECT_EQ(read.position.sample, 17u);
    EXPECT_EQ(read.position.epoch_errors, 5u);
    EXPECT_EQ(read.position.epoch_seconds, 0.1);
    ASSERT_EQ(read.position.history.size(), 2u);
    EXPECT_FALSE(read.position.history[0].test);
    EXPECT_EQ(read.position.history[1].epoch, 2u);
    EXPECT_EQ(read.position.history[1].samples_seen, 200u);
    EXPECT_EQ(read.position.history[1].seconds, 1.0 / 3);
    EXPECT_EQ(read.position.history[1].error_progressive, 0.125);
    ASSERT_TRUE(read.position.history[1].test);
    EXPECT_EQ(read.position.history[1].test->rows, 10u);
    EXPECT_EQ(read.position.history[1].test->nll, 1.0 / 7);
    EXPECT_EQ(read.position.history[1].test->validity, 0.9);
    EXPECT_EQ(read.position.history[1].test->confusion, position.history[1].test->confusion);
    EXPECT_NO_THROW(check_same_run(read.settings, test::sample_settings()));
    save_checkpoint(folder_ / "d", read.model, read.position, read.settings);
    EXPECT_EQ(slurp(folder_ / "c"), slurp(folder_ / "d"));
}

TEST_F(CheckpointFile, LoadsLikeAModel) {
    save_model(folder_ / "model", test::center_model());
    save_model(folder_ / "again", load_model(folder_ / "c"));
    EXPECT_EQ(slurp(folder_ / "model"), slurp(folder_ / "again"));
}

TEST_F(CheckpointFile, AModelIsNoCheckpoint) {
    save_model(folder_ / "model", test::center_model());
    const auto text = error_of(ErrorCode::kModel, [&] { load_checkpoint(folder_ / "model"); });
    EXPECT_NE(text.find("not a checkpoint"), std::string::npos);
}

TEST_F(CheckpointFile, ThreadsAndBackendAreNotStored) {
    auto settings = test::sample_settings();
    settings.options.threads = 3;
    settings.options.backend = "scalar";
    save_checkpoint(folder_ / "d", test::center_model(), test::sample_position(), settings);
    EXPECT_EQ(slurp(folder_ / "c"), slurp(folder_ / "d"));
}

TEST_F(CheckpointFile, DamageIsNamed) {
    const std::string good = slurp(folder_ / "c");
    const std::pair<std::string, std::string> changes[] = {
        {"\\\"sample\\\":17", "\\\"sample\\\":-7"},
        {"\\\"sample\\\":17", "\\\"sample\\\":.7"},
        {"\\\"epoch_errors\\\"", "\\\"epoch_errers\\\""},
        {"\\\"shuffle\\\":\\\"true\\\"", "\\\"shuffle\\\":true"},
        {"\\\"shuffle\\\":\\\"true\\\"", "\\\"shuffle\\\":\\\"trux\\\""},
        {"\\\"tree\\\":\\\"3\\\"", "\\\"tree\\\":\\\"x\\\""},
        {"\\\"tree\\\":\\\"3\\\"", "\\\"tree\\\":[3]"},
        {"\\\"seed\\\":\\\"1\\\"", "\\\"sead\\\":\\\"1\\\""},
        {"\\\"history\\\":[", "\\\"history\\\":{"},
        {"checkpoint.confusion", "checkpoint.confusian"},
        {"\\\"epochs_done\\\":2", "\\\"epochs_done\\\":3"},
        {"[3,4]", "[4,3]"},
        {"\\\"rows\\\":10", "\\\"rows\\\":11"},
        {"\\\"nll\\\":0", "\\\"nll\\\":["}};
    for (const auto& [from, to] : changes) {
        spill(folder_ / "d", changed(good, from, to));
        const auto text = error_of(ErrorCode::kModel, [&] { load_checkpoint(folder_ / "d"); });
        EXPECT_EQ(text.find("CRC"), std::string::npos) << text << " for " << to;
    }
}

TEST_F(CheckpointFile, OfBackprop) {
    auto settings = test::sample_settings();
    settings.options.algorithm = Algorithm::kBackprop;
    settings.options.learning_rate = 0.003;
    auto position = test::sample_position();
    position.history[1].test->nll = std::numeric_limits<double>::quiet_NaN();
    save_checkpoint(folder_ / "b", test::backprop_model(), position, settings);
    const Checkpoint read = load_checkpoint(folder_ / "b");
    EXPECT_EQ(read.model.algorithm(), Algorithm::kBackprop);
    EXPECT_EQ(read.model.learning_rate, 0.003);
    EXPECT_EQ(read.settings.options.learning_rate, 0.003);
    EXPECT_TRUE(std::isnan(read.position.history[1].test->nll));
    EXPECT_NO_THROW(check_same_run(read.settings, settings));
    save_checkpoint(folder_ / "c", read.model, read.position, read.settings);
    const std::string good = slurp(folder_ / "b");
    EXPECT_EQ(good, slurp(folder_ / "c"));

    const auto refused = [&](const std::string& what, const std::string& by) {
        return error_of(ErrorCode::kModel, [&] { parse_checkpoint(changed(good, what, by), "c"); });
    };
    const std::string key = "\\\"algorithm\\\":";
    EXPECT_EQ(refused(key + "\\\"backprop\\\"", key + "\\\"mfb\\\""),
              "c: the settings of the checkpoint name another algorithm or network");
    EXPECT_NE(refused(key + "\\\"backprop\\\"", key + "\\\"other\\\"").find("is not one of"),
              std::string::npos);
    EXPECT_NE(refused(key + "\\\"backprop\\\"", key + "7").find("of another kind"),
              std::string::npos);
}

TEST_F(CheckpointFile, OfADenseNetwork) {
    auto settings = test::sample_settings();
    settings.options.tree = {};
    settings.options.dense = {5, 2};
    settings.options.batch = 10;
    settings.options.dropout = {0.2, 0.5};
    save_checkpoint(folder_ / "d", test::dense_model(), test::sample_position(), settings);
    const std::string good = slurp(folder_ / "d");
    const Checkpoint read = parse_checkpoint(good, "d");
    EXPECT_EQ(read.settings.options, settings.options);
    EXPECT_EQ(read.model.architecture, test::dense_model().architecture);
    save_checkpoint(folder_ / "e", read.model, read.position, read.settings);
    EXPECT_EQ(good, slurp(folder_ / "e"));

    const auto refused = [&](const std::string& what, const std::string& by) {
        return error_of(ErrorCode::kModel, [&] { parse_checkpoint(changed(good, what, by), "d"); });
    };
    EXPECT_EQ(refused("\\\"dense\\\":\\\"5,2\\\"", "\\\"tense\\\":\\\"5,2\\\""),
              "d: the settings of the checkpoint name another algorithm or network");
    EXPECT_NE(
        refused("\\\"batch\\\":\\\"10\\\"", "\\\"batch\\\":\\\"0\\\"").find("batch: '0' is not"),
        std::string::npos);
    EXPECT_NE(refused("\\\"batch\\\":\\\"10\\\"", "\\\"batch\\\":10").find("of another kind"),
              std::string::npos);
    EXPECT_NE(
        refused("\\\"dropout\\\":\\\"0.2,0.5\\\"", "\\\"dropout\\\":\\\"0.2,1\\\"").find("'1'"),
        std::string::npos);
}

/// Checkpoints of runs before there were dense networks do not have these keys.
TEST_F(CheckpointFile, OptionsOfDenseNetworksAreLeftOutOfTrees) {
    const std::string bytes = slurp(folder_ / "c");
    for (const char* key : {"\\\"dense\\\"", "\\\"batch\\\"", "\\\"dropout\\\""}) {
        EXPECT_EQ(bytes.find(std::string(key) + ":\\\""), std::string::npos) << key;
    }
}

TEST(SameRun, NamesTheDifference) {
    const auto saved = test::sample_settings();
    const auto differing = [&](const std::function<void(RunSettings&)>& change) {
        auto now = saved;
        change(now);
        return error_of(ErrorCode::kUsage, [&] { check_same_run(saved, now); });
    };
    const auto starts = [](const std::string& text, const std::string& begin) {
        EXPECT_EQ(text.rfind(begin, 0), 0u) << text;
    };
    starts(differing([](auto& s) { s.options.algorithm = Algorithm::kBackprop; }),
           "`algorithm` is backprop here but mfb in the checkpoint");
    starts(differing([](auto& s) { s.options.learning_rate = 0.5; }),
           "`learning_rate` is 0.5 here but auto in the checkpoint");
    starts(differing([](auto& s) {
               s.options.tree = {15, 9};
           }),
           "`tree` is 15,9 here but 3 in the checkpoint");
    starts(differing([](auto& s) { s.options.tree = {}; }), "`tree` is single here but 3");
    starts(differing([](auto& s) { s.options.seed = 2; }), "`seed` is 2 here but 1");
    starts(differing([](auto& s) { s.options.preprocess = "none"; }),
           "`preprocess` is none here but auto");
    starts(differing([](auto& s) { s.options.bias = false; }), "`bias` is false here but true");
    starts(differing([](auto& s) { s.options.dense_ok = true; }), "`dense_ok` is true here");
    starts(differing([](auto& s) { s.options.prior_scale = 0.5; }),
           "`prior_scale` is 0.5 here but 0.1");
    starts(differing([](auto& s) { s.options.evidence = 2; }), "`evidence` is 2 here but 1");
    starts(differing([](auto& s) { s.options.dense = {5}; }), "`dense` is 5 here but none in");
    starts(differing([](auto& s) { s.options.batch = 10; }), "`batch` is 10 here but none in");
    starts(differing([](auto& s) { s.options.dropout = {0.5}; }), "`dropout` is 0.5 here but none");
    starts(differing([](auto& s) { s.options.augment = "shift:1"; }),
           "`augment` is shift:1 here but none in");
    starts(differing([](auto& s) { s.options.shuffle = false; }), "`shuffle` is false here");
    starts(differing([](auto& s) { s.data_fingerprint = ""; }), "the training data");
    starts(differing([](auto& s) { s.test_fingerprint = ""; }), "the test data");
    starts(differing([](auto& s) { s.options.epochs = 3; }), "`epochs` is 3 here but 4");
}

TEST(SameRun, ThreadsBackendAndMoreEpochsAreFree) {
    auto now = test::sample_settings();
    now.options.threads = 7;
    now.options.backend = "scalar";
    now.options.epochs = 400;
    EXPECT_NO_THROW(check_same_run(test::sample_settings(), now));
}

TEST(SameRun, EvidenceThatChangesNeedsTheSameNumberOfEpochs) {
    auto saved = test::sample_settings();
    saved.options.evidence = {1, 10};
    auto now = saved;
    EXPECT_NO_THROW(check_same_run(saved, now));
    now.options.epochs = 400;
    EXPECT_EQ(error_of(ErrorCode::kUsage, [&] { check_same_run(saved, now); }),
              "`evidence` 1:10 was spread over 4 epochs: more would change those already learned; "
              "hint: resume with as many `epochs`, or go on with `bitbayes update`");
    saved.options.evidence = now.options.evidence = {10, 10};
    EXPECT_NO_THROW(check_same_run(saved, now));
}

}  // namespace
}  // namespace bitbayes::model

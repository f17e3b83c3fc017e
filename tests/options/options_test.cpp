#include "options/options.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>

#include "model/expect_error.hpp"

namespace bitbayes::options {
namespace {

using test::error_of;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

TEST(Options, EveryOptionIsReadAsItIsWritten) {
    TrainOptions other;
    other.algorithm = Algorithm::kBackprop;
    other.tree = {15, 9};
    other.dense = {512, 64};
    other.batch = 1 << 20;
    other.dropout = {0.2, 0.5};
    other.epochs = 7;
    other.seed = UINT64_MAX;
    other.threads = 3;
    other.preprocess = "thermometer:4";
    other.bias = false;
    other.dense_ok = true;
    other.thermometer_budget = 60;
    other.prior_scale = 0.1;
    other.evidence = 1e-300;
    other.learning_rate = 1.0 / 3;
    other.shuffle = false;
    other.backend = "scalar";
    other.classes_ok = true;
    other.max_memory = 3 << 20;
    TrainOptions single;
    single.tree = {};
    ASSERT_NE(single, TrainOptions{});
    single.evidence = {1, 10};
    single.augment = "shift:2";
    for (const TrainOptions& options : {other, single, TrainOptions{}}) {
        TrainOptions read = other;
        for (const TrainOption& option : kTrainOptions) {
            set(read, option, text(options, option), "x");
        }
        EXPECT_EQ(read, options);
    }
}

TEST(Options, TheTableNamesEachOptionOnceAndExplainsIt) {
    std::set<std::string_view> names;
    for (const TrainOption& option : kTrainOptions) {
        EXPECT_TRUE(names.insert(option.name).second) << option.name;
        EXPECT_FALSE(option.help.empty()) << option.name;
        EXPECT_EQ(&find(option.name), &option);
    }
}

std::string refused(const std::function<void(TrainOptions&)>& change) {
    TrainOptions options;
    change(options);
    return error_of(ErrorCode::kUsage, [&] { validate(options); });
}

TEST(Options, ValuesOutOfTheirRangeAreNamed) {
    EXPECT_NO_THROW(validate({}));
    EXPECT_EQ(refused([](auto& o) { o.evidence = kNan; }),
              "`evidence`: 'nan' is not a number above 0");
    EXPECT_EQ(refused([](auto& o) { o.evidence = -3; }),
              "`evidence`: '-3' is not a number above 0");
    EXPECT_EQ(refused([](auto& o) { o.prior_scale = kNoLimit; }),
              "`prior_scale`: 'inf' is not a number above 0");
    EXPECT_EQ(refused([](auto& o) { o.epochs = 0; }),
              "`epochs`: '0' is not a whole number from 1 to 4294967295");
    EXPECT_EQ(refused([](auto& o) {
                  o.tree = {5, 0};
              }),
              "`tree`: '0' is not a whole number from 1 to 16777216");
    for (const char* card : {"cuda", "cuda:0", "cuda:12"}) {
        TrainOptions options;
        options.backend = card;
        EXPECT_NO_THROW(validate(options)) << card;
    }
    for (const char* other : {"cuda:", "cuda:x", "cuda1", "cuda[:N]"}) {
        EXPECT_NE(refused([&](auto& o) { o.backend = other; }), "") << other;
    }
    EXPECT_EQ(refused([](auto& o) { o.backend = "gpu"; }),
              "`backend`: 'gpu' is not one of auto|scalar|simd|cuda[:N]");
    EXPECT_EQ(refused([](auto& o) { o.backend = "auto|scalar"; }),
              "`backend`: 'auto|scalar' is not one of auto|scalar|simd|cuda[:N]");
    EXPECT_EQ(refused([](auto& o) { o.class_weight = "FILE"; }),
              "`class_weight`: 'FILE' is not one of balanced|FILE");
    EXPECT_NE(refused([](auto& o) { o.learning_rate = 0.1; }).find("MFB-BackProp has none"),
              std::string::npos);
    EXPECT_NE(refused([](auto& o) {
                  o.algorithm = Algorithm::kBackprop;
                  o.evidence = 2;
              }).find("`evidence` is for `algorithm` mfb"),
              std::string::npos);
    EXPECT_EQ(refused([](auto& o) {
                  o.algorithm = Algorithm::kBackprop;
                  o.learning_rate = 0;
              }),
              "`learning_rate`: '0' is not a number above 0");
}

TEST(Options, BatchesAndDropoutAreForDenseNetworks) {
    EXPECT_EQ(refused([](auto& o) { o.batch = 10; }),
              "`batch` above 1 needs dense layers; hint: trees learn row by row; `dense` 512 has "
              "batches");
    EXPECT_EQ(refused([](auto& o) { o.dropout = {0.2}; }),
              "`dropout` needs dense layers; hint: `dense` 512");
    TrainOptions options;
    options.batch = 1;
    EXPECT_NO_THROW(validate(options));
    options.batch = 10;
    options.dense = {32, 16};
    options.dropout = {0, 0.999};
    EXPECT_NO_THROW(validate(options));
    options.tree = {5};
    EXPECT_NO_THROW(validate(options));
    options.algorithm = Algorithm::kBackprop;
    EXPECT_NO_THROW(validate(options));
    options.evidence = 1;
    EXPECT_NO_THROW(validate(options));

    const auto dense = [](const auto& change) {
        return refused([&](auto& o) {
            o.dense = {32};
            change(o);
        });
    };
    EXPECT_EQ(dense([](auto& o) { o.dropout = {1}; }),
              "`dropout`: '1' is not a number from 0 to below 1");
    EXPECT_EQ(dense([](auto& o) {
                  o.dropout = {0.1, -0.1};
              }),
              "`dropout`: '-0.1' is not a number from 0 to below 1");
    EXPECT_EQ(dense([](auto& o) { o.dropout = {kNan}; }),
              "`dropout`: 'nan' is not a number from 0 to below 1");
    EXPECT_EQ(dense([](auto& o) {
                  o.dropout = {0.1, 0.1, 0.1};
              }),
              "`dropout` takes two numbers at most; hint: the share of inputs, and that of hidden "
              "neurons");
    EXPECT_EQ(dense([](auto& o) { o.dense = {0}; }),
              "`dense`: '0' is not a whole number from 1 to 16777216");
    EXPECT_EQ(dense([](auto& o) { o.batch = 0; }),
              "`batch`: '0' is not a whole number from 1 to 1048576");
}

TEST(Options, ImagesAreMovedByAWholeNumberOfPixels) {
    EXPECT_EQ(shift_of({}), 0u);
    EXPECT_EQ(shift_of({.augment = "shift:1"}), 1u);
    EXPECT_EQ(shift_of({.augment = "shift:12"}), 12u);
    for (const char* text : {"shift:0", "shift:1001", "shift:", "shift:-1", "shift:1.5", "shift:1 ",
                             "shift", "rotate:1", "1", " shift:1"}) {
        EXPECT_EQ(refused([&](auto& o) { o.augment = text; }),
                  std::string("`augment`: '") + text + "' is not shift:N, N from 1 to 1000");
    }
}

TEST(Options, EvidenceIsOneNumberOrTwo) {
    const auto read = [](const char* value) {
        TrainOptions options;
        set(options, find("evidence"), value, "--evidence");
        return options.evidence;
    };
    EXPECT_EQ(read("2"), Evidence(2));
    EXPECT_EQ(read("1:10"), Evidence(1, 10));
    EXPECT_EQ(read("3:0.5"), Evidence(3, 0.5));
    EXPECT_EQ(read("2:2"), Evidence(2));
    EXPECT_EQ(read("auto"), Evidence::by_default());
    for (const char* text :
         {"0:3", "3:0", "1:", ":1", "1:2:3", "1:auto", "1:inf", "1:nan", "-1:1"}) {
        error_of(ErrorCode::kUsage, [&] { read(text); });
    }
}

TEST(Options, TextThatIsNoValueIsRefused) {
    const auto refuse = [](const char* name, const char* value) {
        TrainOptions options;
        return error_of(ErrorCode::kUsage,
                        [&] { set(options, find(name), value, std::string("--") + name); });
    };
    EXPECT_EQ(refuse("evidence", "much"), "--evidence: 'much' is not a number above 0");
    EXPECT_EQ(refuse("epochs", "-1"), "--epochs: '-1' is not a whole number from 1 to 4294967295");
    EXPECT_EQ(refuse("seed", "1.5"), "--seed: '1.5' is not a whole number from 0");
    EXPECT_EQ(refuse("tree", "5,"), "--tree: '' is not a whole number from 1 to 16777216");
    EXPECT_EQ(refuse("tree", ""), "--tree: '' is not a whole number from 1 to 16777216");
    EXPECT_EQ(refuse("dense", "512,x"), "--dense: 'x' is not a whole number from 1 to 16777216");
    EXPECT_EQ(refuse("batch", "auto"), "--batch: 'auto' is not a whole number from 1 to 1048576");
    EXPECT_EQ(refuse("dropout", "half"), "--dropout: 'half' is not a number from 0 to below 1");
    EXPECT_EQ(refuse("dropout", "1"), "--dropout: '1' is not a number from 0 to below 1");
    EXPECT_EQ(refuse("bias", "maybe"), "--bias: 'maybe' is not true or false");
    EXPECT_EQ(refuse("algorithm", "sgd"), "--algorithm: 'sgd' is not one of mfb|backprop");
    EXPECT_EQ(refuse("threads", "1025"), "--threads: '1025' is not a whole number from 0 to 1024");
}

}  // namespace
}  // namespace bitbayes::options

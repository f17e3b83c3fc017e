#include "model/model_file.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <string>

#include "../base/file_size_limit.hpp"
#include "../base/temp_folder.hpp"
#include "bitbayes/bitbayes.hpp"
#include "model/complaints.hpp"
#include "model/sample_models.hpp"

namespace bitbayes::model {
namespace {

using test::bytes_of;
using test::Change;
using test::error_of;
using test::expect_complaint;
using test::expect_refused;
using test::slurp;
using test::spill;
using test::TempFolder;
using test::with_valid_crc;

void expect_equal(const learn::ModelState& a, const learn::ModelState& b) {
    EXPECT_EQ(a.architecture, b.architecture);
    ASSERT_EQ(a.posterior.layers.size(), b.posterior.layers.size());
    for (std::size_t l = 0; l < a.posterior.layers.size(); ++l) {
        EXPECT_EQ(a.posterior.layers[l].learned, b.posterior.layers[l].learned);
        EXPECT_EQ(a.posterior.layers[l].carried, b.posterior.layers[l].carried);
    }
    const auto& p = a.preprocessing;
    const auto& q = b.preprocessing;
    EXPECT_EQ(p.name(), q.name());
    EXPECT_EQ(p.sparse, q.sparse);
    EXPECT_EQ(p.bias, q.bias);
    EXPECT_EQ(p.reason, q.reason);
    EXPECT_EQ(p.columns.minimum, q.columns.minimum);
    EXPECT_EQ(p.columns.maximum, q.columns.maximum);
    EXPECT_EQ(p.columns.median, q.columns.median);
    EXPECT_EQ(p.columns.integer, q.columns.integer);
    EXPECT_EQ(p.mean, q.mean);
    EXPECT_EQ(p.scale, q.scale);
    EXPECT_EQ(p.thresholds, q.thresholds);
    EXPECT_EQ(p.threshold_start, q.threshold_start);
    EXPECT_EQ(a.class_names, b.class_names);
    EXPECT_EQ(a.seed, b.seed);
    EXPECT_EQ(a.samples_seen, b.samples_seen);
    EXPECT_EQ(a.evidence, b.evidence);
    EXPECT_EQ(a.prior_scale, b.prior_scale);
    EXPECT_EQ(a.columns, b.columns);
    EXPECT_EQ(a.algorithm(), b.algorithm());
    EXPECT_EQ(a.rule().name, b.rule().name);
    EXPECT_EQ(a.learning_rate, b.learning_rate);
}

TEST(ModelFile, RoundTrip) {
    const TempFolder folder;
    for (const auto& model :
         {test::center_model(), test::thermometer_model(), test::sparse_model(),
          test::words_model(), test::backprop_model(), test::dense_model(),
          test::dense_model(Algorithm::kMfb, {2}), test::dense_model(Algorithm::kBackprop)}) {
        save_model(folder / "a", model);
        const auto again = load_model(folder / "a");
        expect_equal(model, again);
        save_model(folder / "b", again);
        EXPECT_EQ(slurp(folder / "a"), slurp(folder / "b"));
    }
}

TEST(ModelFile, EveryCutIsRefused) {
    const std::string good = bytes_of(test::thermometer_model());
    for (std::size_t size = 0; size < good.size(); ++size) {
        error_of(ErrorCode::kModel,
                 [&] { parse_model(std::string_view(good).substr(0, size), "m"); });
    }
    for (const char extra : {'\0', ' ', 'x'}) {
        error_of(ErrorCode::kModel, [&] { parse_model(good + extra, "m"); });
    }
}

TEST(ModelFile, EveryFlippedBitIsRefused) {
    std::string bytes = bytes_of(test::thermometer_model());
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        const char before = bytes[i];
        for (const int mask : {1, 2, 4, 8, 16, 32, 64, 128, 255}) {
            bytes[i] = static_cast<char>(before ^ mask);
            error_of(ErrorCode::kModel, [&] { parse_model(bytes, "m"); });
        }
        bytes[i] = before;
    }
    EXPECT_NO_THROW(parse_model(bytes, "m"));
}

// Damage that a CRC cannot detect, because it was done on purpose.
void cuts_and_flips_never_crash(const std::string& good) {
    const auto try_it = [](const std::string& bytes) {
        try {
            parse_model(with_valid_crc(bytes), "m");
        } catch (const Error& error) {
            EXPECT_EQ(error.code(), ErrorCode::kModel);
        }
    };
    for (std::size_t i = 0; i < good.size(); ++i) {
        try_it(good.substr(0, i));
        for (const int mask : {1, 2, 4, 8, 16, 32, 64, 128}) {
            std::string bytes = good;
            bytes[i] = static_cast<char>(bytes[i] ^ mask);
            try_it(bytes);
        }
    }
}

TEST(ModelFile, CutsAndFlipsWithAValidCrcNeverCrash) {
    cuts_and_flips_never_crash(bytes_of(test::thermometer_model()));
    cuts_and_flips_never_crash(bytes_of(test::words_model()));
    cuts_and_flips_never_crash(bytes_of(test::backprop_model()));
    cuts_and_flips_never_crash(bytes_of(test::dense_model(Algorithm::kMfb, {2})));
}

TEST(ModelFile, ContradictionsAreNamed) {
    const std::string good = bytes_of(test::center_model());
    const Change changes[] = {
        {"\"format\":\"bitbayes\"", "\"format\":\"bitfayes\"", "not a bitbayes model"},
        {"\"format_version\":\"3\"", "\"format_version\":\"2\"", "unknown algorithm"},
        {"\"format_version\":\"3\"", "\"format_version\":\"6\"",
         "written by a newer version (format 6; this is 5); hint: install a newer bitbayes"},
        {"\"format_version\":\"3\"", "\"format_version\":\"5\"", "quantiser is missing"},
        {"\"format_version\":\"3\"", "\"format_version\":\"x\"", "format_version is not a number"},
        {"\"format_version\":\"3\"", "\"format_version\":\"0\"", "format_version must be"},
        {"\"rule\":\"tree\"", "\"rule\":\"bush\"", "unknown algorithm or rule"},
        {"\"algorithm\":\"mfb\"", "\"algorithm\":\"mfc\"", "unknown algorithm or rule"},
        {"\"prior_scale\":\"1\"", "\"prior_scale\":\"0\"", "prior_scale must be positive"},
        {"\"column_kinds\":\"number\"", "\"column_kinds\":\"nomber\"", "unknown kinds of columns"},
        {"[\\\"a\\\",\\\"b\\\"", "[\\\"a\\\"      ", "names of the columns do not fit"},
        {"\"seed\":\"1", "\"seed\":\"x", "seed is not a number"},
        {"\"seed\"", "\"sead\"", "seed is missing"},
        {"\"seed\":\"1", "\"seed\":\"9", "seed is not a number"},
        {"\"evidence\":\"0.1\"", "\"evidence\":\"nan\"", "evidence must be positive"},
        {"\"evidence\":\"0.1\"", "\"evidence\":\"0.0\"", "evidence must be positive"},
        {"\"bias\":\"true\"", "\"bias\":\"trux\"", "bias is not true or false"},
        {"\"sparse\":\"false\"", "\"sparse\":\"true\" ", "sparse inputs need preprocessing none"},
        {"\"preprocess\":\"center\"", "\"preprocess\":\"centex\"", "unknown preprocessing"},
        {"\"preprocess\":\"center\"", "\"preprocess\":\"none\"  ", "means and scales do not fit"},
        {"\"inputs\\\":4", "\"inputs\\\":5", "a layer does not fit the one below"},
        {"\\\"inputs\\\":4", "\\\"inputs\\\":-", "architecture is not valid JSON"},
        {"\"fan_in\\\":3", "\"fan_in\\\":9", "the weights do not have the shape"},
        {"\\\"dense\\\"", "\\\"treee\\\"", "unknown connectivity"},
        {"\\\"dense\\\"", "\\\"tree\\\" ", "a layer does not fit the one below"},
        {"\\\"ham\\\"", "null   ", "class_names: a name is not a string"},
        {"[\\\"ham\\\",", "[        ", "does not fit the outputs"},
        {"\"layer2.h\"", "\"layer3.h\"", "tensor layer2.h is missing"},
        {"\"preprocess.mean\"", "\"preprocess.meam\"", "means and scales do not fit"},
        {"\"columns.median\"", "\"columns.medium\"", "the tensors of columns differ in length"},
    };
    for (const auto& change : changes) expect_complaint(good, change);
}

/// Format 5 where real columns have steps that are powers of two, and only there.
TEST(ModelFile, SaysHowRealColumnsAreQuantised) {
    learn::ModelState model = test::center_model();
    EXPECT_FALSE(parse_model(bytes_of(model), "m").preprocessing.binary_steps);
    model.preprocessing.binary_steps = true;
    const std::string bytes = bytes_of(model);
    EXPECT_NE(bytes.find("\"format_version\":\"5\""), std::string::npos);
    const learn::ModelState again = parse_model(bytes, "m");
    EXPECT_EQ(again.preprocessing, model.preprocessing);
    EXPECT_EQ(bytes_of(again), bytes);
    expect_complaint(bytes,
                     {"\"quantiser\":\"binary\"", "\"quantiser\":\"banary\"", "unknown quantiser"});
}

TEST(ModelFile, ContradictionsOfBackpropAreNamed) {
    const std::string good = bytes_of(test::backprop_model());
    EXPECT_EQ(good.find(".h\""), std::string::npos);
    const Change changes[] = {
        {"\"format_version\":\"3\"", "\"format_version\":\"1\"", "tensor layer1.h is missing"},
        {"\"algorithm\":", "\"algorythm\":", "algorithm is missing"},
        {"\"algorithm\":\"backprop\"", "\"algorithm\":\"backprob\"", "unknown algorithm"},
        {"\"algorithm\":\"backprop\"", "\"algorithm\":\"mfb\"     ", "tensor layer1.h is missing"},
        {"\"learning_rate\":", "\"learning_rait\":", "learning_rate is missing"},
        {"\"learning_rate\":\"0.003\"", "\"learning_rate\":\"0.000\"",
         "learning_rate must be positive"},
        {"\"learning_rate\":\"0.003\"", "\"learning_rate\":\"-0.03\"",
         "learning_rate must be positive"},
        {"\"learning_rate\":\"0.003\"", "\"learning_rate\":\"nan\"  ",
         "learning_rate must be positive"},
        {"\"learning_rate\":\"0.003\"", "\"learning_rate\":\"inf\"  ",
         "learning_rate must be positive"},
        {"\"learning_rate\":\"0.003\"", "\"learning_rate\":\"0.0x3\"",
         "learning_rate is not a number"},
        {"\"layer1.w\"", "\"layer1.h\"", "tensor layer1.w is missing"},
        {"\"layer2.w\"", "\"layer2.h\"", "tensor layer2.w is missing"},
    };
    for (const auto& change : changes) expect_complaint(good, change);
}

// A run that diverged learns so when it saves, not when the next command reads the file.
TEST(ModelFile, WeightsThatAreNotFiniteAreNeitherWrittenNorRead) {
    const float first = -8 * 0.37f, bad = std::numeric_limits<float>::quiet_NaN();
    const std::string stored(reinterpret_cast<const char*>(&first), sizeof(first));
    for (auto model : {test::center_model(), test::backprop_model()}) {
        std::string bytes = bytes_of(model);
        ASSERT_NE(bytes.find(stored), std::string::npos);
        std::memcpy(bytes.data() + bytes.find(stored), &bad, sizeof(bad));
        auto text = error_of(ErrorCode::kModel, [&] { parse_model(with_valid_crc(bytes), "m"); });
        EXPECT_EQ(text, "m: layer 1 holds a weight that is not finite");

        for (const float value : {bad, std::numeric_limits<float>::infinity()}) {
            const TempFolder folder;
            model.posterior.layers[1].row(2)[1] = value;
            text = error_of(ErrorCode::kUsage, [&] { save_model(folder / "m", model); });
            EXPECT_NE(text.find("layer 2 holds a weight that is not finite"), std::string::npos);
            EXPECT_NE(text.find("smaller `learning_rate`"), std::string::npos);
            EXPECT_EQ(folder.files(), 0u);
        }
    }
}

TEST(ModelFile, ColumnsThatASparseModelKeeps) {
    auto model = test::sparse_model();
    model.preprocessing.kept = {{1, 4, 5, 7, 100}, 1000};
    const learn::ModelState read = parse_model(bytes_of(model), "m");
    ASSERT_TRUE(read.preprocessing.kept);
    EXPECT_EQ(read.preprocessing.kept->column, model.preprocessing.kept->column);
    EXPECT_EQ(read.preprocessing.features(), 1000u);
    EXPECT_EQ(read.columns.kept, model.preprocessing.kept->column);
    EXPECT_NE(bytes_of(model).find("\"sparse\":\"kept\""), std::string::npos)
        << "neither true nor false, so that readers that do not know it refuse the file";
    for (const std::vector<std::uint32_t>& columns :
         {std::vector<std::uint32_t>{1, 4, 4, 7, 100}, {1, 5, 4, 7, 100}, {1, 4, 5, 7, 1000}}) {
        model.preprocessing.kept->column = columns;
        expect_refused(model, "tensor columns.index does not hold ascending columns");
    }
    model.preprocessing.kept->column = {1, 4};
    expect_refused(model, "columns.index does not fit the columns");
}

TEST(ModelFile, ValuesAreChecked) {
    constexpr double kInf = std::numeric_limits<double>::infinity();
    auto model = test::center_model();
    model.preprocessing.scale[0] = 0;
    expect_refused(model, "a scale must be positive");
    model = test::center_model();
    model.preprocessing.mean[2] = kInf;
    expect_refused(model, "tensor preprocess.mean holds a value that is not finite");
    model = test::center_model();
    model.preprocessing.columns.minimum[1] = 1e301;
    expect_refused(model, "column 1 is described wrongly");
    model = test::center_model();
    model.preprocessing.columns.integer[0] = 2;
    expect_refused(model, "column 0 is described wrongly");
    model = test::center_model();
    model.class_names[2] = "ham";
    expect_refused(model, "two classes have the same name");
    model = test::center_model();
    model.class_names = {"one"};
    expect_refused(model, "fewer than two classes");
    model = test::center_model();
    model.preprocessing.bias = false;
    expect_refused(model, "do not agree on the number of inputs");
    for (const double value : {0.0, -1.0, kInf, std::nan("")}) {
        model = test::center_model();
        model.evidence = value;
        expect_refused(model, "evidence must be positive");
        model = test::center_model();
        model.prior_scale = value;
        expect_refused(model, "prior_scale must be positive");
        model = test::backprop_model();
        model.learning_rate = value;
        expect_refused(model, "learning_rate must be positive");
    }
    model = test::center_model();
    model.label_noise.automatic = true;
    expect_refused(model, "output.label_noise does not fit the outputs");
    model.label_noise.eps = {0.1f, 0.1f};
    expect_refused(model, "output.label_noise does not fit the outputs");
    model.label_noise.eps = {0.1f, 0.1f, 0.5f};
    expect_refused(model, "a label noise is not from 0 to below 0.5");
    model = test::backprop_model();
    model.label_noise.eps = {0.1f, 0.1f, 0.1f};
    expect_refused(model, "label noise is for algorithm mfb");
    model = test::center_model();
    model.memory = 0;
    expect_refused(model, "memory must be positive");
    model = test::backprop_model();
    model.memory = 100;
    expect_refused(model, "BackProp has no memory");
    model = test::center_model();
    model.preprocessing.columns.maximum[1] = kInf;
    expect_refused(model, "tensor columns.maximum holds a value that is not finite");
}

TEST(ModelFile, ColumnsOfTheTableAreChecked) {
    auto model = test::center_model();
    model.columns.names = {"a"};
    expect_refused(model, "names of the columns do not fit the features");
    model = test::center_model();
    model.columns.roles = "ff-";
    expect_refused(model, "roles of the columns do not fit");
    model.columns.roles =
        "ff\xff"
        "f";
    EXPECT_THROW(model_bytes(model), Error);
    model.columns.roles = "fffl";
    model.columns.other_names = {"a", "b"};
    expect_refused(model, "names of the columns do not fit their roles");
    model = test::center_model();
    model.columns.categories = {{"x", "y"}, {"x", "x"}, {}};
    expect_refused(model, "values of a column of words are not all different");
    model.columns.categories = {{"x", "y"}};
    EXPECT_THROW(model_bytes(model), Error);
}

TEST(ModelFile, ThresholdsAreChecked) {
    const auto refused = [](std::vector<double> thresholds, std::vector<std::uint64_t> start,
                            const std::string& complaint) {
        auto model = test::thermometer_model();
        model.preprocessing.thresholds = std::move(thresholds);
        model.preprocessing.threshold_start = std::move(start);
        expect_refused(model, complaint);
    };
    refused({5, 2, 0}, {0, 2, 3}, "column 0 are not ascending");
    refused({2, 2, 0}, {0, 2, 3}, "column 0 are not ascending");
    refused({2, 5, 7}, {0, 3, 3}, "column 0 are not ascending");
    refused({2, 5, 0}, {1, 2, 3}, "mixed up");
    refused({2, 5, 0}, {0, 2, 2}, "mixed up");
    refused({2, 5, 0}, {0, ~std::uint64_t{0}, 3}, "mixed up");
    refused({2, 5, 0}, {0, 3}, "thresholds do not fit");
    refused({2, 5}, {0, 1, 2}, "means and scales do not fit");
}

TEST(ModelFile, FullDiskLeavesTheOldModel) {
    const TempFolder folder;
    save_model(folder / "m", test::center_model());
    const std::string before = slurp(folder / "m");
    {
        const test::FileSizeLimit limit(1024);
        error_of(ErrorCode::kIo, [&] { save_model(folder / "m", test::thermometer_model()); });
    }
    EXPECT_EQ(slurp(folder / "m"), before);
    EXPECT_EQ(folder.files(), 1u);
}

/// Between two refreshes of w a model carries it.
TEST(ModelFile, CarriedMeansAreKeptAndChecked) {
    auto model = test::center_model();
    model.posterior.layers[0].carried.assign(model.posterior.layers[0].shape.weights(), 0.5f);
    const std::string bytes = bytes_of(model);
    EXPECT_NE(bytes.find("\"layer1.w\""), std::string::npos);
    EXPECT_EQ(bytes_of(test::center_model()).find("\"layer1.w\""), std::string::npos);
    expect_equal(parse_model(bytes, "m"), model);
    model.posterior.layers[0].carried[7] = -1.5f;
    expect_refused(model, "layer1.w holds a mean beyond 1");
    model.posterior.layers[0].carried[7] = std::nanf("");
    expect_refused(model, "layer 1 holds a weight that is not finite");
    model.posterior.layers[0].carried.assign(3, 0.5f);
    EXPECT_THROW(model_bytes(model), Error);
}

TEST(ModelFile, SaysNothingAboutTheMachine) {
    const std::string bytes = bytes_of(test::center_model());
    for (const char* word : {"thread", "backend", "time", "second", "host", "path", "/"}) {
        EXPECT_EQ(bytes.find(word), std::string::npos) << word;
    }
}

}  // namespace
}  // namespace bitbayes::model

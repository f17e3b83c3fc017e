// Every real file shared with the project, against the counts in its README.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "bitbayes/read.hpp"
#include "files.hpp"

namespace bitbayes {
namespace {

struct Expected {
    const char* path;
    std::size_t rows, features, classes;
    double minimum, maximum;  // of all values
};

class RealData : public testing::Test {
  protected:
    void SetUp() override {
        if (!std::filesystem::exists(BITBAYES_SHARED_DATA))
            GTEST_SKIP() << "no " << BITBAYES_SHARED_DATA;
    }

    static std::string path(const std::string& name) {
        return std::string(BITBAYES_SHARED_DATA) + "/" + name;
    }
    static std::vector<std::size_t> histogram(const Dataset& data) {
        std::vector<std::size_t> counts(data.class_names.size());
        for (const auto label : data.labels) ++counts[label];
        return counts;
    }
};

void expect_shape(const Dataset& data, const Expected& expected) {
    EXPECT_EQ(data.rows, expected.rows) << expected.path;
    EXPECT_EQ(data.features, expected.features) << expected.path;
    EXPECT_EQ(data.class_names.size(), expected.classes) << expected.path;
    EXPECT_EQ(data.labels.size(), expected.rows) << expected.path;
    EXPECT_TRUE(data.notes.empty()) << expected.path;
}

TEST_F(RealData, Tables) {
    for (const Expected& expected :
         {Expected{"semeion/semeion.csv.gz", 1593, 256, 10, 0, 1},
          {"optdigits/optdigits.tra.csv.gz", 3823, 64, 10, 0, 16},
          {"optdigits/optdigits.tes.csv.gz", 1797, 64, 10, 0, 16},
          {"letter/letter.csv.gz", 20000, 16, 26, 0, 15},
          {"spambase/spambase.csv.gz", 4601, 57, 2, 0, 15841},
          {"magic-wand-digits/magic-wand-digits.csv.gz", 1000, 64, 10, -0.54, 0.48}}) {
        const Dataset data = load_dataset(path(expected.path));
        expect_shape(data, expected);
        const auto values = test::dense_values(data);
        const auto [low, high] = std::minmax_element(values.begin(), values.end());
        EXPECT_NEAR(*low, expected.minimum, 0.005) << expected.path;
        EXPECT_NEAR(*high, expected.maximum, 0.005) << expected.path;
        for (std::size_t k = 0; k < expected.classes; ++k)
            EXPECT_EQ(data.class_names[k], std::to_string(k));
    }
    EXPECT_EQ(histogram(load_dataset(path("spambase/spambase.csv.gz"))),
              (std::vector<std::size_t>{2788, 1813}));
    EXPECT_EQ(histogram(load_dataset(path("magic-wand-digits/magic-wand-digits.csv.gz"))),
              std::vector<std::size_t>(10, 100));
    EXPECT_TRUE(test::holds<std::uint8_t>(load_dataset(path("letter/letter.csv.gz"))));
}

TEST_F(RealData, Images) {
    const LoadedData mnist = load_data(path("mnist"));
    expect_shape(mnist.train, {"mnist", 60000, 784, 10, 0, 255});
    expect_shape(mnist.test, {"mnist", 10000, 784, 10, 0, 255});
    EXPECT_EQ(test::label_names(mnist.test.select(std::vector<std::size_t>{0, 1, 2})),
              (test::Names{"7", "2", "1"}));
    const LoadedData letters = load_data(path("ocr-letters"));
    expect_shape(letters.train, {"ocr-letters", 47535, 128, 26, 0, 255});
    expect_shape(letters.test, {"ocr-letters", 4617, 128, 26, 0, 255});
    for (const auto value : std::get<std::vector<std::uint8_t>>(letters.train.values))
        ASSERT_TRUE(value == 0 || value == 255);
    EXPECT_EQ(histogram(letters.train)['j' - 'a'], 176u);
    EXPECT_EQ(histogram(letters.train)['n' - 'a'], 4592u);
}

TEST_F(RealData, SparseRows) {
    for (const Expected& expected :
         {Expected{"a9a/a9a.libsvm.gz", 32561, 123, 2, 1, 1},
          {"a9a/a9a.t.libsvm.gz", 16281, 122, 2, 1, 1},
          {"20newsgroups/20news-bydate.train.libsvm.gz", 11314, 53253, 20, 1, 0},
          {"20newsgroups/20news-bydate.test.libsvm.gz", 7532, 53253, 20, 1, 0},
          {"20newsgroups/comp-pc-vs-mac.libsvm.gz", 1945, 21317, 2, 1, 0},
          {"20newsgroups/elec-vs-med.libsvm.gz", 1974, 28782, 2, 1, 0}}) {
        const Dataset data = load_dataset(path(expected.path));
        expect_shape(data, expected);
        EXPECT_EQ(data.kind, DataKind::kSparse);
        const auto& values = std::get<SparseRows>(data.values).value;
        EXPECT_EQ(*std::min_element(values.begin(), values.end()), expected.minimum)
            << expected.path;
        if (expected.maximum > 0) {
            EXPECT_EQ(*std::max_element(values.begin(), values.end()), expected.maximum)
                << expected.path;
        }
    }
    EXPECT_EQ(histogram(load_dataset(path("a9a/a9a.libsvm.gz")))[1], 7841u);
    EXPECT_EQ(histogram(load_dataset(path("a9a/a9a.t.libsvm.gz")))[1], 3846u);
}

}  // namespace
}  // namespace bitbayes

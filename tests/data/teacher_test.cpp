#include "data/teacher.hpp"

#include <gtest/gtest.h>

#include <set>

#include "base/philox.hpp"
#include "files.hpp"

namespace bitbayes::data {
namespace {

using test::expect_error;

/// Bit j of row r, as +-1, straight from the definition.
int drawn(const Philox& random, std::size_t row, std::size_t m, std::size_t j) {
    const std::size_t blocks = (m + 127) / 128;
    const auto words = random.words(row * blocks + j / 128);
    return words[j % 128 / 32] >> j % 32 & 1 ? 1 : -1;
}

int sign(int sum) { return sum >= 0 ? 1 : -1; }

void expect_labels_of_a_sign_network(std::size_t m, std::uint64_t seed) {
    const Philox layer1(seed, Purpose::kTeacherWeights, 0),
        layer2(seed, Purpose::kTeacherWeights, 1);
    const LoadedData data = make_teacher(m, seed, 50, 10);
    std::vector<double> x(m);
    for (std::size_t row = 0; row < 50; ++row) {
        data.train.copy_row(row, x);
        int output = 0;
        for (std::size_t i = 0; i < m; ++i) {
            int sum = 0;
            for (std::size_t j = 0; j < m; ++j)
                sum += drawn(layer1, i, m, j) * static_cast<int>(x[j]);
            output += drawn(layer2, 0, m, i) * sign(sum);
        }
        ASSERT_EQ(data.train.labels[row], sign(output) > 0 ? 1u : 0u)
            << "M = " << m << ", row " << row;
        const Philox inputs(seed, Purpose::kTeacherTrainInputs);
        for (std::size_t j = 0; j < m; ++j) ASSERT_EQ(x[j], drawn(inputs, row, m, j));
    }
}

TEST(Teacher, LabelsAreThoseOfASignNetwork) {
    for (const std::size_t m : {1, 2, 3, 63, 64, 65, 101, 127, 128, 129, 200})
        expect_labels_of_a_sign_network(m, 5);
}

TEST(Teacher, HasTheAgreedShape) {
    const LoadedData data = load_teacher("teacher:101");
    EXPECT_EQ(data.train.rows, 200000u);
    EXPECT_EQ(data.test.rows, 10000u);
    EXPECT_EQ(data.train.features, 101u);
    EXPECT_EQ(data.train.kind, DataKind::kTeacher);
    EXPECT_EQ(data.train.class_names, (std::vector<std::string>{"-1", "1"}));
    EXPECT_EQ(data.test.class_names, data.train.class_names);
    std::size_t plus = 0;
    for (const auto label : data.train.labels) plus += label;
    EXPECT_GT(plus, 20000u);
    EXPECT_LT(plus, 180000u);
}

TEST(Teacher, SeedOneIsTheDefault) {
    const auto labels = [](const std::string& name) { return load_teacher(name).test.labels; };
    EXPECT_EQ(labels("teacher:9"), labels("teacher:9:1"));
    EXPECT_NE(labels("teacher:9"), labels("teacher:9:2"));
}

TEST(Teacher, RefusesOtherNames) {
    for (const char* name : {"teacher:", "teacher:0", "teacher:x", "teacher:5:", "teacher:5:x",
                             "teacher:-1", "teacher:99999"}) {
        expect_error(ErrorCode::kUsage, "is no teacher", [&] { load_teacher(name); });
    }
}

}  // namespace
}  // namespace bitbayes::data

// Inputs that a card makes from cells have the bits of those that Preprocessing::apply() makes on the CPU.
#include "learn/card_inputs.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "../data/tables.hpp"
#include "cuda/on_card.hpp"
#include "kernels/table.hpp"

namespace bitbayes::learn {
namespace {

using test::kMissing;

const cuda::CardLimits kLimits{"emulated", 4, 64, 64u << 10, 1u << 30};

std::vector<std::uint32_t> bits_of(std::span<const float> values) {
    std::vector<std::uint32_t> bits;
    for (const float x : values) bits.push_back(std::bit_cast<std::uint32_t>(x));
    return bits;
}

data::Preprocessing fitted(const Dataset& data, const std::string& choice, bool bias = true) {
    data::PreprocessOptions options;
    options.choice = choice;
    options.bias = bias;
    options.dense_ok = true;
    return data::Preprocessing::fit(data, options);
}

/// For the rows of a table, in another order, their inputs in the CPU's order or in that of trees.
void expect_same(const data::Preprocessing& p, const Rows& table, const data::Shift& shift,
                 bool placed) {
    std::vector<std::size_t> rows;
    for (std::size_t r = 0; r < table.size(); ++r) rows.push_back(table.size() - 1 - r);
    data::InputBlock expected, block;
    p.apply(table, rows, expected, shift);
    p.gather(table, rows, block, shift);
    ASSERT_TRUE(block.cells);
    ASSERT_EQ(block.stride, expected.stride);
    const std::vector<std::uint32_t> labels(rows.size(), 3);
    const std::vector<float> weights(rows.size(), 0.5f);
    const auto card = test_card(kLimits);
    CardInputs inputs(*card, p.live_inputs().size(), &p, placed);
    const cuda::TreeRows made = inputs.put(block, labels, weights);
    ASSERT_EQ(made.count, rows.size());
    std::vector<float> x(expected.value.size());
    std::vector<cuda::RowFacts> facts(rows.size());
    card->download(x.data(), made.x, x.size() * sizeof(float));
    card->download(facts.data(), made.facts, facts.size() * sizeof(cuda::RowFacts));
    std::vector<float> in_order(x.size());
    for (std::size_t r = 0; r < rows.size(); ++r) {
        const std::size_t first = r * expected.stride;
        for (std::uint32_t j = 0; j < expected.stride; ++j) {
            const auto stride = static_cast<std::uint32_t>(expected.stride);
            in_order[first + j] = x[first + (placed ? cuda::placed(j, stride) : j)];
        }
    }
    EXPECT_EQ(bits_of(in_order), bits_of(expected.value));
    for (std::size_t r = 0; r < rows.size(); ++r) {
        kernels::InputRow row;
        row.x = expected.value.data() + r * expected.stride;
        row.count = expected.stride;
        kernels::scalar().measure(row);
        EXPECT_EQ(bits_of(std::vector{facts[r].square_sum, facts[r].largest}),
                  bits_of(std::vector{row.square_sum, row.largest}));
        EXPECT_EQ(facts[r].label, 3u);
        EXPECT_EQ(facts[r].weight, 0.5f);
    }
}

void expect_same(const data::Preprocessing& p, const Rows& table, const data::Shift& shift = {}) {
    for (const bool placed : {false, true}) expect_same(p, table, shift, placed);
}

/// 19 columns of numbers below 256; column 2 is constant.
Dataset small_numbers(std::size_t rows, unsigned seed) {
    std::mt19937 engine(seed);
    std::vector<double> values;
    for (std::size_t k = 0; k < rows * 19; ++k)
        values.push_back(k % 19 == 2 ? 7.0
                                     : static_cast<double>(engine() % 4 == 0 ? 0 : engine() % 256));
    return test::table(19, values);
}

/// The same columns with fractions, and values that are missing.
Dataset fractions(std::size_t rows, unsigned seed) {
    std::mt19937 engine(seed);
    std::normal_distribution<double> normal(1, 3);
    std::vector<double> values;
    for (std::size_t k = 0; k < rows * 19; ++k)
        values.push_back(k % 19 == 2 ? 7.5 : engine() % 8 == 0 ? kMissing : normal(engine));
    return test::table(19, values);
}

const char* const kChoices[] = {"none", "center", "standardize", "thermometer:3"};

TEST(CardInputs, OfBytesFloatsAndDoubles) {
    const Dataset bytes = test::stored_as<std::uint8_t>(small_numbers(50, 1)),
                  real = fractions(50, 2);
    for (const char* choice : kChoices) {
        for (const Dataset& data : {bytes, real, test::stored_as<float>(real)}) {
            for (const bool bias : {true, false}) {
                const auto p = fitted(data, choice, bias);
                expect_same(p, data);
                expect_same(p, fractions(9, 3));  // another type of cell
            }
        }
    }
}

TEST(CardInputs, OfValuesAtThresholds) {
    const Dataset data = fractions(30, 4);
    const auto p = fitted(data, "thermometer:2");
    std::vector<double> values;
    for (std::size_t j = 0; j < 19; ++j) {
        const bool none = p.threshold_start[j] == p.threshold_start[j + 1];
        values.push_back(none ? 0 : p.thresholds[p.threshold_start[j]]);
    }
    expect_same(p, test::table(19, values));
}

TEST(CardInputs, OfColumnsOfWords) {
    Dataset data =
        test::table(3, {0, 5, 1, 1, 6, 0, 1, 7, 1, 3, 8, 0, kMissing, 9, 2, 3, kMissing, kMissing});
    data.categories = {{"a", "b", "c", "d"}, {}, {"x", "y", "z"}};
    const auto p = fitted(data, "auto");
    ASSERT_EQ(p.kind, data::PreprocessKind::kThermometer);
    expect_same(p, data);
    Dataset unknown = test::table(3, {2, 5, 0, kMissing, 5.5, kMissing, 9, kMissing, 1});
    unknown.categories = data.categories;
    expect_same(p, unknown);
}

TEST(CardInputs, OfMovedImages) {
    std::mt19937 engine(5);
    std::vector<double> values;
    for (std::size_t k = 0; k < 40 * 35; ++k)
        values.push_back(engine() % 3 == 0 ? 0 : engine() % 256);
    Dataset images = test::stored_as<std::uint8_t>(test::table(35, values));
    images.image = {5, 7};
    for (const char* choice : kChoices) {
        expect_same(fitted(images, choice), images, data::Shift{2, 3, 4});
    }
}

TEST(CardInputs, OfSparseRowsMadeDense) {
    const Dataset sparse = test::as_sparse(small_numbers(30, 6));
    for (const char* choice : {"center", "standardize"})
        expect_same(fitted(sparse, choice), sparse);
}

}  // namespace
}  // namespace bitbayes::learn

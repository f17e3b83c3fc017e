#include "base/text.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <string>

namespace bitbayes {
namespace {

TEST(Numbers, ParsesDecimals) {
    EXPECT_EQ(parse_number("12"), 12.0);
    EXPECT_EQ(parse_number("+1.5"), 1.5);
    EXPECT_EQ(parse_number("-.5e1"), -5.0);
    EXPECT_EQ(parse_number("5e-324"), std::numeric_limits<double>::denorm_min());
    EXPECT_EQ(parse_number("1e-999"), 0.0);
    EXPECT_EQ(parse_number("0.1"), 0.1);
}

TEST(Numbers, RefusesTheRest) {
    for (const char* text : {"", "+", "-", "+-1", "++1", "1x", "0x10", "1,5", " 1", "1 ", "nan",
                             "inf", "-Infinity", "1e999", "-1e999", "e5", ".", "1_000"}) {
        EXPECT_FALSE(parse_number(text)) << text;
    }
}

TEST(Numbers, KnowsIntegers) {
    EXPECT_EQ(parse_integer("+1"), 1);
    EXPECT_EQ(parse_integer("-007"), -7);
    EXPECT_FALSE(parse_integer("1.0"));
    EXPECT_FALSE(parse_integer("99999999999999999999"));
    EXPECT_FALSE(parse_index("-1"));
    EXPECT_FALSE(parse_index("+1"));
}

TEST(Numbers, KnowsNanAndInfinity) {
    for (const char* text : {"nan", "NaN", "-inf", "+Inf", "Infinity"})
        EXPECT_TRUE(is_nan_or_infinity(text)) << text;
    for (const char* text : {"nano", "info", "infinityx", "", "1"})
        EXPECT_FALSE(is_nan_or_infinity(text)) << text;
}

TEST(Numbers, QuotesForMessages) {
    EXPECT_EQ(in_quotes("a\nb"), "\"a?b\"");
    EXPECT_EQ(in_quotes(std::string(50, 'x')), "\"" + std::string(40, 'x') + "...\"");
}

}  // namespace
}  // namespace bitbayes

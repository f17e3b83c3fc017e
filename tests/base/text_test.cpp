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

TEST(Text, TellsWhatIsUtf8) {
    for (const char* text : {"a", "\u00e9", "\u20ac", "\U0001F600", "\uFFFD"})
        EXPECT_EQ(utf8_bytes(text), std::string(text).size()) << text;
    for (const char* text : {"\x80", "\xC1\x81", "\xC3", "\xC3(", "\xE0\x80\x80", "\xED\xA0\x80",
                             "\xE2\x82", "\xF0\x80\x80\x80", "\xF4\x90\x80\x80", "\xFF"})
        EXPECT_EQ(utf8_bytes(text), 0u) << in_quotes(text);
}

TEST(Text, IsMadePrintable) {
    EXPECT_EQ(printable("na\u00efve \u20ac \\ \""), "na\u00efve \u20ac \\ \"");
    EXPECT_EQ(printable("a\x1b[2Jb\nc\r\td\x7f"), "a\\x1b[2Jb\\nc\\r\\td\\x7f");
    EXPECT_EQ(printable(std::string_view("a\0b", 3)), "a\\x00b");
    EXPECT_EQ(printable("\xC3(\xFF"), "\\xc3(\\xff");
    EXPECT_EQ(printable("\u009b31m\u202ex\u2028"), "\\xc2\\x9b31m\\xe2\\x80\\xaex\\xe2\\x80\\xa8");
    EXPECT_EQ(printable(printable("\x1b\xFF\n")), printable("\x1b\xFF\n"));
}

TEST(Text, IsNotCutWithinACharacter) {
    for (std::size_t longest = 3; longest < 8; ++longest) {
        const std::string shown = printable("a\u20ac\U0001F600b", longest);  // 1 + 3 + 4 + 1 bytes
        EXPECT_EQ(shown, longest < 4 ? "a..." : "a\u20ac...");
    }
    EXPECT_EQ(printable("abc", 3), "abc");
    EXPECT_EQ(printable("\x80\x80\x80\x80\x80\x80", 5), "\\x80\\x80\\x80\\x80\\x80...");
}

TEST(Text, QuotesForMessages) {
    EXPECT_EQ(in_quotes("a\nb"), "\"a\\nb\"");
    EXPECT_EQ(in_quotes("a\" b"), "\"a\\\" b\"");
    EXPECT_EQ(in_quotes("`force`"), "\"\\x60force\\x60\"");
    EXPECT_EQ(in_quotes(std::string(50, 'x')), "\"" + std::string(40, 'x') + "...\"");
}

TEST(Text, BecomesOneLineOfBoundedLength) {
    EXPECT_EQ(one_line("a\nb"), "a\\nb");
    const std::string line = one_line("first " + std::string(30'000'000, '\x1b') + " last");
    EXPECT_LE(line.size(), 2000u);
    EXPECT_TRUE(line.starts_with("first ") && line.ends_with(" last"));
    for (std::size_t before = 0; before < 4; ++before) {
        std::string text(before, 'x');
        for (int k = 0; k < 1000; ++k) text += "\U0001F600";
        const std::string shown = one_line(text);
        EXPECT_LE(shown.size(), 2000u);
        EXPECT_EQ(shown.find("\\x"), shown.npos);
        EXPECT_EQ(printable(shown), shown);  // valid UTF-8
    }
}

}  // namespace
}  // namespace bitbayes

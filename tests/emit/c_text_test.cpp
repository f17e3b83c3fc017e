#include "emit/c_text.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <vector>

namespace bitbayes::emit {
namespace {

TEST(CText, StringsEscapeWhatCWouldReadOtherwise) {
    EXPECT_EQ(c_string("abc 1"), "\"abc 1\"");
    EXPECT_EQ(c_string("\"\\?`"), R"("\042\134\077\140")");
    EXPECT_EQ(c_string(std::string("\n\x80\0", 3)), R"("\012\200\000")");
    EXPECT_EQ(c_string("undouble"), R"("un\144ouble")");
}

TEST(CText, NumbersBreakIntoLines) {
    EXPECT_EQ(number_lines(std::vector<std::int64_t>{1, -2, 30}), "    1, -2, 30");
    EXPECT_EQ(word_lines(std::vector<std::int64_t>{1, 255}, 2, "W"), "    W(0x01U), W(0xFFU)");
    const std::string many = number_lines(std::vector<std::int64_t>(100, 1000));
    std::size_t longest = 0, length = 0;
    for (const char c : many) {
        length = c == '\n' ? 0 : length + 1;
        longest = std::max(longest, length);
    }
    EXPECT_LE(longest, 100u);
    EXPECT_GE(longest, 90u);
}

TEST(CText, PiecesTakeNamesAndValues) {
    const std::string text = fill_in("c/scores.c", "my_net", {{"layers", "bbnet;\n"}});
    EXPECT_NE(text.find("void my_net_scores(const my_net_column x[MY_NET_COLUMNS]"),
              std::string::npos);
    EXPECT_NE(text.find("bbnet;\n    for (k"), std::string::npos);
    EXPECT_THROW(fill_in("c/scores.c", "my_net", {}), std::logic_error);
    EXPECT_THROW(fill_in("c/absent.c", "my_net", {}), std::logic_error);
}

}  // namespace
}  // namespace bitbayes::emit

#include "report/markup.hpp"

#include <gtest/gtest.h>

namespace bitbayes::report {
namespace {

TEST(Markup, EscapesWhatXmlReserves) {
    EXPECT_EQ(escape_xml("<a b=\"c\" d='e'> & é"),
              "&lt;a b=&quot;c&quot; d=&#39;e&#39;&gt; &amp; é");
}

TEST(Markup, ReplacesWhatXmlCannotHold) {
    const std::string broken = "\uFFFD";
    EXPECT_EQ(escape_xml("a\x01\tb"), "a" + broken + "\tb");
    EXPECT_EQ(escape_xml("\xff"), broken);
    EXPECT_EQ(escape_xml("\xe2\x82"), broken + broken);
    EXPECT_EQ(escape_xml("\xc0\xaf"), broken + broken);               // overlong
    EXPECT_EQ(escape_xml("\xed\xa0\x80"), broken + broken + broken);  // a surrogate
    EXPECT_EQ(escape_xml("\xf4\x90\x80\x80"), broken + broken + broken + broken);
    EXPECT_EQ(escape_xml("\xef\xbf\xbe"), broken + broken + broken);
    EXPECT_EQ(escape_xml("€𝄞"), "€𝄞");
}

TEST(Markup, CodeStandsBetweenBackticks) {
    EXPECT_EQ(to_inline_html("a `b<c` d"), "a <code>b&lt;c</code> d");
    EXPECT_EQ(to_inline_html("`a``b`"), "<code>a</code><code>b</code>");
    EXPECT_EQ(to_inline_html("a ` b"), "a ` b");
    EXPECT_EQ(to_inline_html("`a` ` b"), "<code>a</code> ` b");
}

TEST(Markup, AnchorsAndLines) {
    EXPECT_EQ(to_anchor("mnist-error_2 <é>"), "mnist-error_2-----");
    EXPECT_EQ(to_one_line("  a\r\n\n b\tc "), "a b c");
}

}  // namespace
}  // namespace bitbayes::report

#include "data/input.hpp"

#include <gtest/gtest.h>

#include "files.hpp"

namespace bitbayes::data {
namespace {

using test::expect_error;
using test::gzip;

std::string unpacked(std::string_view bytes) {
    Input input(bytes, "memory");
    return read_all(input);
}

std::string noise(std::size_t size) {
    std::string bytes;
    for (std::uint32_t x = 1; bytes.size() < size; x = x * 1664525 + 1013904223)
        bytes += static_cast<char>(x >> 24);
    return bytes;
}

TEST(Input, ReadsPlainAndGzippedBytes) {
    for (const std::size_t size : {0, 1, 2, 100, 65535, 65536, 65537, 1000000}) {
        const std::string bytes = noise(size);
        EXPECT_EQ(unpacked(bytes), bytes);
        EXPECT_EQ(unpacked(gzip(bytes)), bytes) << size;
        const std::string zeros(size, 'z');
        EXPECT_EQ(unpacked(gzip(zeros)), zeros) << size;
    }
}

TEST(Input, JoinsGzipMembers) {
    EXPECT_EQ(unpacked(gzip("one ") + gzip("") + gzip("two")), "one two");
}

TEST(Input, RefusesGzipCutAtEveryByte) {
    const std::string whole = gzip("1,2,3\n4,5,6\n");
    for (std::size_t size = 2; size < whole.size(); ++size) {
        expect_error(ErrorCode::kData, "memory: truncated or damaged gzip",
                     [&] { unpacked(whole.substr(0, size)); });
    }
}

TEST(Input, RefusesDamagedGzip) {
    std::string bytes = gzip(noise(1000));
    bytes[500] = static_cast<char>(bytes[500] ^ 1);
    expect_error(ErrorCode::kData, "damaged gzip", [&] { unpacked(bytes); });
    expect_error(ErrorCode::kData, "damaged gzip", [&] { unpacked(gzip("x") + "more"); });
}

TEST(Input, ReadsFiles) {
    const test::Folder folder;
    const std::string bytes = noise(200000);
    Input plain(folder.write("plain", bytes)), packed(folder.write("packed", gzip(bytes)));
    EXPECT_EQ(read_all(plain), bytes);
    EXPECT_EQ(read_all(packed), bytes);
}

TEST(Input, SaysWhatCannotBeRead) {
    const test::Folder folder;
    expect_error(ErrorCode::kIo, "nowhere: No such file", [&] { Input(folder.path("nowhere")); });
    expect_error(ErrorCode::kIo, "directory", [&] { Input(folder.path()).fill(); });
}

TEST(LineReader, TakesAllLineEnds) {
    const std::string long_line(100000, 'x');
    const std::string text =
        "\xef\xbb\xbf"
        "a\r\n\nb\xef\xbb\xbf\n" +
        long_line;
    LineReader lines(std::make_unique<Input>(text, "memory"));
    std::string_view line;
    for (const std::string& expected :
         {std::string("a"), std::string(), std::string("b\xef\xbb\xbf"), long_line}) {
        ASSERT_TRUE(lines.next(line));
        EXPECT_TRUE(line == expected) << lines.number();
    }
    EXPECT_EQ(lines.number(), 4u);
    EXPECT_EQ(lines.where(3), "memory:3: ");
    EXPECT_FALSE(lines.next(line));
    EXPECT_FALSE(lines.next(line));
}

TEST(Input, MemoryIsBoundedByWhatTheBytesReadCanJustify) {
    constexpr std::size_t kAlways = 64 << 20;
    Input input("0123456789", "f");
    input.check_memory(kAlways);
    expect_error(ErrorCode::kData, "f: takes more than 64 MB",
                 [&] { input.check_memory(kAlways + 1); });
    input.fill();
    input.check_memory(kAlways + 2000);
    expect_error(ErrorCode::kData, "`max_memory`", [&] { input.check_memory(kAlways + 2001); });
    Input limited("0123456789", "f", 1000);
    limited.check_memory(1000);
    expect_error(ErrorCode::kData, "f: takes more than `max_memory`, 1000 bytes: 1.0 KB so far",
                 [&] { limited.check_memory(1024); });
}

TEST(Input, UnpackedBytesDoNotCount) {
    const std::string packed = gzip(std::string(1 << 20, 'x'));
    Input input(packed, "f");
    EXPECT_EQ(read_all(input).size(), 1u << 20);
    const std::size_t limit = (64 << 20) + 200 * packed.size();
    input.check_memory(limit);
    expect_error(ErrorCode::kData, "justify", [&] { input.check_memory(limit + 1); });
    Input limited(packed, "f", 1 << 19);
    expect_error(ErrorCode::kData, "512 KB", [&] { read_all(limited); });
}

TEST(LineReader, OnlyTextHasLines) {
    using namespace std::string_literals;
    const auto first = [](std::string_view bytes) {
        LineReader reader(std::make_unique<Input>(bytes, "f"));
        std::string_view line;
        reader.next(line);
        return std::string(line);
    };
    for (const auto& text : {"\xff\xfe"
                             "a\0,\0"s,
                             "\xfe\xff\0a\0,"s}) {
        expect_error(ErrorCode::kData, "f: a text in UTF-16; hint: save it as UTF-8",
                     [&] { first(text); });
    }
    expect_error(ErrorCode::kData, "f: a binary file, not a table of text",
                 [&] { first("\x10\0\0\0\0\0\0\0{\"__metadata__\":1}"s); });
    EXPECT_EQ(first("\xef\xbb\xbf"
                    "a,b\n"),
              "a,b");
}

TEST(LineReader, ALineMayNotBeEndless) {
    const std::string packed = gzip(std::string(8 << 20, 'x'));
    LineReader reader(std::make_unique<Input>(packed, "f"));
    std::string_view line;
    expect_error(ErrorCode::kData, "f: takes more than", [&] { reader.next(line); });
}

TEST(LineReader, BlankLinesCount) {
    const std::string packed = gzip(std::string(20 << 20, '\n'));
    LineReader reader(std::make_unique<Input>(packed, "f"));
    std::string_view line;
    expect_error(ErrorCode::kData, "f: takes more than", [&] {
        while (reader.next(line)) {
        }
    });
}

}  // namespace
}  // namespace bitbayes::data

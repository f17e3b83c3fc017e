#include "container/container.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <cstring>
#include <string>

#include "../base/temp_folder.hpp"
#include "model/expect_error.hpp"
#include "model/sample_models.hpp"

namespace bitbayes::container {
namespace {

using test::error_of;
using test::slurp;
using test::spill;
using test::TempFolder;
using test::with_valid_crc;

/// A file with this header text and data section, and the right length and CRC.
std::string file_of(std::string header, const std::string& data) {
    header.insert(
        1, R"("__metadata__":{"crc32":"00000000"})" + std::string(header.size() > 2 ? "," : ""));
    const std::uint64_t length = header.size();
    std::string bytes(8, '\0');
    std::memcpy(bytes.data(), &length, 8);
    return with_valid_crc(bytes + header + data);
}

void expect_refused(const std::string& header, const std::string& data) {
    const auto text =
        error_of(ErrorCode::kModel, [&] { parse_container(file_of(header, data), "f.bb"); });
    EXPECT_EQ(text.rfind("f.bb: ", 0), 0u) << text;
    EXPECT_EQ(text.find("CRC"), std::string::npos) << text << " for " << header;
}

// The layout as any other reader of safetensors sees it, byte for byte.
TEST(Container, Layout) {
    const TempFolder folder;
    const float rows[2][4] = {{1, 2, -1, -1}, {3, 4, -1, -1}};  // two of four columns are used
    const std::uint8_t bytes[3] = {7, 8, 9};
    const OutgoingTensor tensors[] = {
        {"w", ElementType::kF32, {2, 2}, rows_in_memory(rows, 2, 8, 16)},
        {"b", ElementType::kU8, {3}, rows_in_memory(bytes, 1, 3, 3)}};
    write_container(folder / "f", {{"key", "value"}}, tensors);

    const std::string file = slurp(folder / "f");
    std::uint64_t length = 0;
    std::memcpy(&length, file.data(), 8);
    EXPECT_EQ(length % 8, 0u);
    std::string header = file.substr(8, length);
    const std::size_t digits = header.find(R"("crc32":")") + 9;
    const std::string stored = header.substr(digits, 8);
    header.replace(digits, 8, "00000000");
    EXPECT_EQ(header.substr(0, header.find_last_not_of(' ') + 1),
              R"({"__metadata__":{"crc32":"00000000","key":"value"},)"
              R"("b":{"data_offsets":[16,19],"dtype":"U8","shape":[3]},)"
              R"("w":{"data_offsets":[0,16],"dtype":"F32","shape":[2,2]}})");
    const float expected[4] = {1, 2, 3, 4};
    ASSERT_EQ(file.size(), 8 + length + 19);
    EXPECT_EQ(std::memcmp(file.data() + 8 + length, expected, 16), 0);
    EXPECT_EQ(file.substr(8 + length + 16), "\x07\x08\x09");
    const std::string zeroed = file.substr(0, 8) + header + file.substr(8 + length);
    EXPECT_EQ(stored,
              fmt::format("{:08x}", crc32_z(0, reinterpret_cast<const Bytef*>(zeroed.data()),
                                            zeroed.size())));
}

TEST(Container, ReadsWhatItAccepts) {
    const std::string file = file_of(R"({"a":{"dtype":"U8","shape":[2,2],"data_offsets":[0,4]},)"
                                     R"("e":{"dtype":"F64","shape":[0],"data_offsets":[4,4]},)"
                                     R"("s":{"dtype":"F32","shape":[],"data_offsets":[4,8]}}   )",
                                     "abcdefgh");
    const auto container = parse_container(file, "f");
    ASSERT_EQ(container.tensors.size(), 3u);
    EXPECT_EQ(container.tensors.at("a").bytes, "abcd");
    EXPECT_EQ(container.tensors.at("a").shape, (std::vector<std::uint64_t>{2, 2}));
    EXPECT_EQ(container.tensors.at("e").bytes, "");
    EXPECT_EQ(container.tensors.at("s").bytes, "efgh");
    EXPECT_EQ(parse_container(file_of("{}", ""), "f").tensors.size(), 0u);
}

TEST(Container, RefusesWhatDoesNotFitTogether) {
    const std::string good = R"({"a":{"dtype":"U8","shape":[4],"data_offsets":[0,4]}})";
    EXPECT_EQ(parse_container(file_of(good, "abcd"), "f").tensors.size(), 1u);
    expect_refused(good, "abc");
    expect_refused(good, "abcde");
    expect_refused("{}", "a");
    const std::pair<const char*, const char*> changes[] = {
        {"U8", "U9"},
        {"U8", "F32"},
        {"\"U8\"", "8"},
        {"[4]", "[5]"},
        {"[4]", "[-4]"},
        {"[4]", "[4.0]"},
        {"[4]", "4"},
        {"[4]", "[[4]]"},
        {"[4]", "[\"4\"]"},
        {"[0,4]", "[0]"},
        {"[0,4]", "[0,4,4]"},
        {"[0,4]", "[4,0]"},
        {"[0,4]", "[0,5]"},
        {"[0,4]", "[-1,3]"},
        {"shape", "form"},
        {"{\"dtype", "{\"x\":1,\"dtype"},
        {"[4]", "[4,1,1,1,1,1,1,1,1]"},
        {"[4]", "[4611686018427387904,4,4611686018427387904]"},
        {"[4]", "[18446744073709551615,18446744073709551612]"},
        {"[4]", "[99999999999999999999999]"},
        {"{\"dtype\":\"U8\",\"shape\":[4],\"data_offsets\":[0,4]}", "[]"},
        {"\"a\":", "\"a\":{\"dtype\":\"U8\",\"shape\":[4],\"data_offsets\":[0,4]},\"a\":"},
        {"\"a\":", "\"b\":{\"dtype\":\"U8\",\"shape\":[4],\"data_offsets\":[0,4]},\"a\":"},
        {"\"a\":", "\"b\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[1,2]},\"a\":"},
        {"\"dtype\"", "\"dtype\":\"U8\",\"dtype\""},
        {"}}", "}},"},
        {"}}", "}"},
        {"\"a\"", "\"\xff\""}};
    for (const auto& [from, to] : changes) {
        std::string header = good;
        header.replace(header.find(from), std::strlen(from), to);
        expect_refused(header, "abcd");
    }
}

TEST(Container, RefusesGapsBetweenTensors) {
    expect_refused(R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},)"
                   R"("b":{"dtype":"U8","shape":[2],"data_offsets":[2,4]}})",
                   "abcd");
    expect_refused(R"({"b":{"dtype":"U8","shape":[3],"data_offsets":[1,4]}})", "abcd");
}

TEST(Container, RefusesBadMetadata) {
    const auto refuse = [](const std::string& header) {
        const std::uint64_t length = header.size();
        const std::string prefix(reinterpret_cast<const char*>(&length), 8);
        error_of(ErrorCode::kModel, [&] { parse_container(with_valid_crc(prefix + header), "f"); });
    };
    refuse(R"({"__metadata__":{"crc32":"00000000","a":1}})");
    refuse(R"({"__metadata__":[{"crc32":"00000000"}]})");
    refuse(R"({"crc32":"00000000"})");
    refuse(R"([{"crc32":"00000000"}])");
    refuse(R"({"__metadata__":{"crc32":"00000000"},"__metadata__":{}})");
    refuse(R"({"__metadata__":{"crc32":"00000000","x\"crc32":"00000000"}})");
    refuse(R"({"__metadata__":{"crc32":"0000000)");
    refuse("{}");
    refuse("");
}

TEST(Container, DeepNestingIsRefusedEarly) {
    std::string deep = "{\"a\":";
    for (int i = 0; i < 1000000; ++i) deep += "[";
    expect_refused(deep + "}", "");
}

TEST(Container, HeaderLengthMustFitTheFile) {
    const TempFolder folder;
    const std::string good = file_of("{}", "");
    for (const std::uint64_t length :
         {std::uint64_t{1} << 60, ~std::uint64_t{0}, ~std::uint64_t{0} - 7,
          std::uint64_t{good.size() - 7}, std::uint64_t{1} << 27}) {
        std::string bytes = good;
        std::memcpy(bytes.data(), &length, 8);
        error_of(ErrorCode::kModel, [&] { parse_container(bytes, "f"); });
        spill(folder / "f", bytes);
        error_of(ErrorCode::kModel, [&] { read_container_file(folder / "f"); });
    }
}

TEST(Container, DataInPlaceOfAModelAreRecognised) {
    using namespace std::string_literals;
    for (const std::string& start : {"a,b,label\n1,"s, "\x1f\x8b\x08\0\0\0\0\0"s,
                                     "PK\3\4\x14\0\0\0"s, "\0\0\x08\x03\0\0\0\x0a"s}) {
        EXPECT_EQ(
            error_of(ErrorCode::kModel, [&] { parse_container(start + "2,3\n", "f"); }),
            "f: not a model file, but it may be data; hint: a command takes MODEL before DATA");
    }
}

TEST(Container, UnreadableFilesAreNoDamage) {
    const TempFolder folder;
    EXPECT_EQ(error_of(ErrorCode::kIo, [&] { read_container_file(folder / "missing"); }),
              folder / "missing" + ": cannot read: No such file or directory");
    error_of(ErrorCode::kIo, [&] { read_container_file(folder / ""); });
    error_of(ErrorCode::kIo, [&] { read_container_file("/dev/null"); });
    spill(folder / "empty", "");
    EXPECT_EQ(error_of(ErrorCode::kModel, [&] { read_container_file(folder / "empty"); }),
              folder / "empty" + ": the file is empty");
}

}  // namespace
}  // namespace bitbayes::container

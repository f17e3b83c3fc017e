#include "data/npz.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <limits>

#include "files.hpp"
#include "npz_files.hpp"

namespace bitbayes::data {
namespace {

using test::bytes_of;
using test::dense_values;
using test::expect_error;
using test::holds;
using test::label_names;
using test::Names;
using test::npy;
using test::npz;
using test::Numbers;

Dataset read(const std::string& x, const std::string& y = "") {
    std::vector<std::pair<std::string, std::string>> members{{"X.npy", x}};
    if (!y.empty()) members.emplace_back("y.npy", y);
    return read_npz(npz(members), "t.npz");
}

void expect_bad(const std::string& part, const std::string& x, const std::string& y = "") {
    expect_error(ErrorCode::kData, part, [&] { read(x, y); });
}

const std::string kX = npy("<f8", "(2, 3)", bytes_of<double>({0.1, 2, 3, 4, 5, 6}));

TEST(Npz, ReadsStoredAndDeflatedMembers) {
    const std::string y = npy("<i8", "(2,)", bytes_of<std::int64_t>({7, -1}));
    for (const bool deflated : {false, true}) {
        const Dataset data =
            read_npz(npz({{"y.npy", y}, {"other.npy", "?"}, {"X.npy", kX}}, deflated), "t.npz");
        EXPECT_EQ(data.kind, DataKind::kTable);
        EXPECT_EQ(data.rows, 2u);
        EXPECT_EQ(dense_values(data), (Numbers{0.1, 2, 3, 4, 5, 6}));
        EXPECT_EQ(data.class_names, (Names{"-1", "7"}));
        EXPECT_EQ(label_names(data), (Names{"7", "-1"}));
    }
    EXPECT_FALSE(read_npz(npz({{"x.npy", kX}}), "t.npz").labelled());
}

template <class T>
void expect_type(const std::string& type, const std::vector<T>& values) {
    const std::string bytes = bytes_of(values);
    const Numbers expected(values.begin(), values.end());
    const std::string shape = fmt::format("({}, 1)", values.size());
    EXPECT_EQ(dense_values(read(npy("<" + type, shape, bytes))), expected) << type;
    EXPECT_EQ(dense_values(read(npy(">" + type, shape, test::reversed_items(bytes, sizeof(T))))),
              expected)
        << type;
}

TEST(Npz, ReadsAllTypesOfNumbers) {
    expect_type<std::uint8_t>("u1", {0, 255});
    expect_type<std::int8_t>("i1", {-128, 127});
    expect_type<std::uint16_t>("u2", {1, 65535});
    expect_type<std::int16_t>("i2", {-32768, 2});
    expect_type<std::uint32_t>("u4", {4000000000, 1});
    expect_type<std::int32_t>("i4", {-2000000000, 1});
    expect_type<std::uint64_t>("u8", {1ull << 52, 1});
    expect_type<std::int64_t>("i8", {-(1ll << 52), 1});
    expect_type<float>("f4", {0.25f, -1e30f});
    expect_type<double>("f8", {0.1, -1e300});
    EXPECT_EQ(dense_values(read(npy("|b1", "(2, 1)", std::string("\0\1", 2)))), (Numbers{0, 1}));
}

TEST(Npz, KeepsTheSmallestExactType) {
    EXPECT_TRUE(holds<std::uint8_t>(read(npy("<f8", "(2,)", bytes_of<double>({1, 255})))));
    EXPECT_TRUE(holds<float>(read(npy("<f8", "(2,)", bytes_of<double>({1, -0.5})))));
    EXPECT_TRUE(holds<double>(read(kX)));
    EXPECT_EQ(read(npy("|u1", "(1, 2)", "ab")).kind, DataKind::kImages);
    EXPECT_EQ(read(npy("<i8", "(1, 1)", bytes_of<std::int64_t>({3}))).kind, DataKind::kTable);
}

TEST(Npz, FlattensRowsInBothOrders) {
    // X[r][i][j] = 100 r + 10 i + j, shape (2, 2, 3)
    const Numbers expected{0, 1, 2, 10, 11, 12, 100, 101, 102, 110, 111, 112};
    const std::vector<std::uint8_t> c{0, 1, 2, 10, 11, 12, 100, 101, 102, 110, 111, 112};
    const std::vector<std::uint8_t> fortran{0, 100, 10, 110, 1, 101, 11, 111, 2, 102, 12, 112};
    EXPECT_EQ(dense_values(read(npy("|u1", "(2, 2, 3)", bytes_of(c)))), expected);
    EXPECT_EQ(read(npy("|u1", "(2, 2, 3)", bytes_of(c))).image, (ImageSize{2, 3}));
    EXPECT_EQ(read(npy("|u1", "(2, 6)", bytes_of(c))).image, ImageSize{});
    EXPECT_EQ(dense_values(read(npy("|u1", "(2, 2, 3)", bytes_of(fortran), true))), expected);
}

TEST(Npz, ReadsAllHeaderVersions) {
    for (const int version : {1, 2, 3}) {
        EXPECT_EQ(read(npy("|u1", "(1, 2)", "ab", false, version)).features, 2u) << version;
    }
    expect_bad("NPY version 4 is unknown", npy("|u1", "(1, 2)", "ab", false, 4));
}

TEST(Npz, ReadsStringsAndOtherLabels) {
    const std::string x = npy("|u1", "(2, 1)", "ab");
    const std::string utf32 = bytes_of<std::uint32_t>({'z', 0xe9, 0x20ac, 0x1f600, 'a', 0, 0, 0});
    EXPECT_EQ(label_names(read(x, npy("<U4", "(2,)", utf32))),
              (Names{"z\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80", "a"}));
    EXPECT_EQ(label_names(read(x, npy(">U4", "(2,)", test::reversed_items(utf32, 4)))).at(1), "a");
    EXPECT_EQ(label_names(read(x, npy("|S3", "(2, 1)", std::string("catox\0", 6)))),
              (Names{"cat", "ox"}));
    EXPECT_EQ(label_names(read(x, npy("<f4", "(2,)", bytes_of<float>({3, 2.5f})))),
              (Names{"3", "2.5"}));
    EXPECT_EQ(label_names(read(x, npy("|b1", "(2,)", std::string("\1\0", 2)))), (Names{"1", "0"}));
    const std::int64_t large = (std::int64_t{1} << 53) + 1;
    EXPECT_EQ(label_names(read(x, npy("<i8", "(2,)", bytes_of<std::int64_t>({large, -large})))),
              (Names{"9007199254740993", "-9007199254740993"}));
}

TEST(Npz, RefusesWhatIsNotFinite) {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const float inf = std::numeric_limits<float>::infinity();
    expect_bad("t.npz (X.npy): row 1 (from 0) has a value that is not finite",
               npy("<f8", "(2, 1)", bytes_of<double>({1, nan})));
    expect_bad("row 0", npy("<f4", "(1, 2)", bytes_of<float>({1, inf})));
    expect_bad("t.npz (y.npy): label 1", kX, npy("<f8", "(2,)", bytes_of<double>({1, nan})));
}

TEST(Npz, RefusesOtherArrays) {
    expect_bad("t.npz (X.npy): pickled Python objects", npy("|O", "(2,)", "xx"));
    expect_bad("structured array",
               test::npy_with_header(
                   "{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (1,)}", "12345678"));
    expect_bad("type \"<f2\" are not supported", npy("<f2", "(2,)", "abcd"));
    expect_bad("type \"<c16\"", npy("<c16", "(1,)", std::string(16, 'x')));
    expect_bad("strings, where numbers", npy("|S1", "(2,)", "ab"));
    expect_bad("no rows", npy("|u1", "(0, 3)", ""));
    expect_bad("no rows", npy("|u1", "()", "a"));
    expect_bad("do not fit the shape (2, 3)", npy("|u1", "(2, 3)", "abcde"));
    expect_bad("do not fit the shape (2, 3)", npy("|u1", "(2, 3)", "abcdefg"));
    expect_bad("do not fit the shape", npy("<f8", "(4611686018427387904, 4)", ""));
    expect_bad("damaged NPY header", npy("|u1", "(2, x)", "ab"));
    expect_bad("damaged NPY header: no 'descr'", test::npy_with_header("{}", ""));
    expect_bad("shape (3), where X has 2 rows", kX, npy("|u1", "(3,)", "abc"));
    expect_bad("not an NPY array", "nonsense");
    expect_error(ErrorCode::kData, "t.npz: no array X", [] {
        read_npz(npz({{"a.npy", kX}}), "t.npz");
    });
    expect_error(ErrorCode::kData, "t.npz: no array X; hint: an Excel file? save it as CSV", [] {
        read_npz(npz({{"[Content_Types].xml", "<a/>"}, {"xl/workbook.xml", "<a/>"}}), "t.npz");
    });
}

TEST(Npz, RefusesFilesCutAtEveryByte) {
    const std::string whole = npz({{"X.npy", kX}}, true);
    for (std::size_t size = 0; size < whole.size(); ++size) {
        expect_error(ErrorCode::kData, "t.npz", [&] { read_npz(whole.substr(0, size), "t.npz"); });
    }
}

TEST(Npz, NoticesEveryFlippedByteOfTheArray) {
    for (const bool deflated : {false, true}) {
        const std::string whole = npz({{"X.npy", kX}}, deflated);
        const std::size_t begin = whole.find("X.npy") + 5 + 20, end = whole.find("PK\1\2");
        for (std::size_t i = begin; i < end; ++i) {
            std::string damaged = whole;
            damaged[i] = static_cast<char>(damaged[i] ^ 0x10);
            expect_error(ErrorCode::kData, "t.npz (X.npy): damaged ZIP member",
                         [&] { read_npz(damaged, "t.npz"); });
        }
    }
}

TEST(Npz, RefusesZip64AndEncryption) {
    std::string bytes = npz({{"X.npy", kX}});
    const std::size_t directory = bytes.find("PK\1\2");
    std::string zip64 = bytes;
    zip64.replace(directory + 24, 4, 4, '\xff');
    expect_error(ErrorCode::kData, "ZIP64", [&] { read_npz(zip64, "t.npz"); });
    bytes[directory + 8] = 1;
    expect_error(ErrorCode::kData, "encrypted", [&] { read_npz(bytes, "t.npz"); });
}

TEST(Npz, ArraysThatUnpackToFarMoreThanTheFileAreRefused) {
    const std::string x = npy("|i1", "(1, 30000000)", std::string(30000000, '\0'));
    const std::string packed = npz({{"X.npy", x}}, true);
    EXPECT_LT(packed.size(), 100000u);
    expect_error(ErrorCode::kData, "takes more than", [&] { read_npz(packed, "t.npz"); });
}

TEST(Npz, TheSizeThatAMemberDeclaresIsCheckedBeforeItIsTaken) {
    std::string packed = npz({{"X.npy", kX}}, true);
    const std::size_t size = packed.find("PK\1\2") + 24;
    packed.replace(size, 4, "\xff\xff\xff\x7f");
    expect_error(ErrorCode::kData, "2.0 GB so far", [&] { read_npz(packed, "t.npz"); });
}

TEST(Npz, AShapeHasAtMostAsManyDimensionsAsNumPyAllows) {
    std::string shape = "(1, 2";
    for (int d = 2; d < 64; ++d) shape += ", 1";
    EXPECT_EQ(read(npy("|u1", shape + ")", "ab")).features, 2u);
    expect_bad("shape", npy("|u1", shape + ", 1)", "ab"));
}

}  // namespace
}  // namespace bitbayes::data

#include "data/idx.hpp"

#include <gtest/gtest.h>

#include "files.hpp"
#include "idx_files.hpp"

namespace bitbayes::data {
namespace {

using test::dense_values;
using test::expect_error;
using test::gzip;
using test::idx;
using test::label_names;
using test::Names;
using test::Numbers;

const std::string kImages = idx({2, 1, 3}, {1, 2, 3, 253, 254, 255});
const std::string kLabels = idx({2}, {10, 9});

void expect_bad(const std::string& part, const std::string& images,
                const std::string& labels = "") {
    expect_error(ErrorCode::kData, part, [&] { read_idx(images, labels, "f"); });
}

TEST(Idx, ReadsImagesAndLabels) {
    const Dataset data = read_idx(kImages, gzip(kLabels), "f");
    EXPECT_EQ(data.kind, DataKind::kImages);
    EXPECT_EQ(data.rows, 2u);
    EXPECT_EQ(data.features, 3u);
    EXPECT_EQ(data.image, (ImageSize{1, 3}));
    EXPECT_EQ(dense_values(data), (Numbers{1, 2, 3, 253, 254, 255}));
    EXPECT_EQ(data.class_names, (Names{"9", "10"}));
    EXPECT_EQ(label_names(data), (Names{"10", "9"}));
}

TEST(Idx, ImagesMayStandAlone) {
    EXPECT_FALSE(read_idx(kImages, "", "f").labelled());
    const Dataset coloured = read_idx(idx({2, 2, 1, 2}, {1, 2, 3, 4, 5, 6, 7, 8}), "", "f");
    EXPECT_EQ(coloured.features, 4u);
    EXPECT_EQ(coloured.image, ImageSize{});
    EXPECT_EQ(read_idx(idx({2, 2}, {1, 2, 3, 4}), "", "f").image, ImageSize{});
}

TEST(Idx, RefusesDamage) {
    expect_bad("f: empty", "");
    expect_bad("f: not an IDX file of unsigned bytes (magic 0x00000d03)",
               std::string("\0\0\x0d\x03", 4) + kImages.substr(4));
    expect_bad("not an IDX file", "P5 28 28 255");
    expect_bad("f: more than the 6 bytes", kImages + "x");
    expect_bad("f (labels): 3 labels for the 2 images of f", kImages, idx({3}, {1, 2, 3}));
    expect_bad("f (labels): 3 dimensions", kImages, kImages);
    expect_bad("f: one dimension: labels, not images", kLabels);
    expect_bad("f: no rows", idx({0, 28, 28}, {}));
    for (std::size_t size = 1; size < kImages.size(); ++size)
        expect_bad("f: truncated", kImages.substr(0, size));
}

TEST(Idx, BelievesNoSizeThatDidNotArrive) {
    expect_bad("truncated: 0 of", idx({0xffffffff, 0x7fffffff}, {}));
    expect_bad("f: sizes beyond all bounds", idx({0xffffffff, 0xffffffff, 0xffffffff}, {1}));
}

TEST(Idx, ReadsFolders) {
    const test::Folder folder;
    folder.write("x-train-images-idx3-ubyte.gz", gzip(kImages));
    expect_error(ErrorCode::kData, "no IDX file of training labels",
                 [&] { read_idx_folder(folder.path()); });
    folder.write("x-train-labels-idx1-ubyte", kLabels);
    EXPECT_FALSE(read_idx_folder(folder.path()).has_test());
    folder.write("x-test-images-idx3-ubyte", idx({1, 3}, {7, 8, 9}));
    expect_error(ErrorCode::kData, "no IDX file of test labels",
                 [&] { read_idx_folder(folder.path()); });
    folder.write("x-test-labels-idx1-ubyte", idx({1}, {2}));
    folder.write("x-test-labels-idx1-ubyte.gz", "the plain file wins");
    const LoadedData data = read_idx_folder(folder.path());
    EXPECT_EQ(data.train.rows, 2u);
    EXPECT_EQ(data.test.rows, 1u);
    EXPECT_EQ(data.train.class_names, (Names{"2", "9", "10"})) << "those of either split";
    EXPECT_EQ(data.test.class_names, data.train.class_names);
    EXPECT_EQ(label_names(data.train), (Names{"10", "9"}));
    EXPECT_EQ(label_names(data.test), (Names{"2"}));
    folder.write("y-train-labels-idx1-ubyte", kLabels);
    expect_error(ErrorCode::kData, "hold the same part", [&] { read_idx_folder(folder.path()); });
}

TEST(Idx, RefusesSplitsOfDifferentSizes) {
    const test::Folder folder;
    folder.write("train-images-idx3-ubyte", kImages);
    folder.write("train-labels-idx1-ubyte", kLabels);
    folder.write("t10k-images-idx3-ubyte", idx({1, 2}, {7, 8}));
    folder.write("t10k-labels-idx1-ubyte", idx({1}, {2}));
    expect_error(ErrorCode::kData, "images of 2 bytes", [&] { read_idx_folder(folder.path()); });
}

}  // namespace
}  // namespace bitbayes::data

#include "data/spec.hpp"

#include <gtest/gtest.h>

#include "files.hpp"
#include "idx_files.hpp"
#include "npz_files.hpp"

namespace bitbayes::data {
namespace {

using test::dense_values;
using test::expect_error;
using test::Folder;
using test::gzip;
using test::idx;
using test::label_names;
using test::Names;
using test::Numbers;

constexpr const char* kCsv = "1,2,a\n3,4,b\n5,6,a\n";

TEST(Spec, SplitsIntoItsParts) {
    const DataSpec all = parse_spec("teacher:5:7:train#10:20");
    EXPECT_EQ(all.source, "teacher:5:7");
    EXPECT_EQ(all.split, Split::kTrain);
    EXPECT_EQ(all.rows, (std::pair<std::size_t, std::size_t>(10, 20)));
    EXPECT_EQ(parse_spec("mnist:test").split, Split::kTest);
    EXPECT_EQ(parse_spec("mnist:test").source, "mnist");
    EXPECT_EQ(parse_spec("a,b").source, "a,b");
    for (const char* bad : {"mnist#", "mnist#5", "mnist#5:", "mnist#:5", "mnist#5:5", "mnist#7:5",
                            "mnist#a:b", "mnist#-1:5"}) {
        expect_error(ErrorCode::kUsage, "is no range of rows", [&] { parse_spec(bad); });
    }
}

TEST(Spec, ExistingFilesWinOverSuffixes) {
    const Folder folder;
    EXPECT_EQ(parse_spec(folder.write("odd#1:2", kCsv)).rows, std::nullopt);
    EXPECT_EQ(load_data(folder.write("plain:test", kCsv)).train.rows, 3u);
    EXPECT_EQ(load_data(folder.path("plain:test#0:2")).train.rows, 2u);
}

TEST(LoadData, DetectsFormats) {
    const Folder folder;
    const std::string svm = "1 1:2\n",
                      npz = test::npz({{"X.npy", test::npy("|u1", "(1, 2)", "ab")}});
    const std::string images = idx({1, 2}, {1, 2});
    for (const char* name : {"x.csv", "x.data", "x", "x.csv.gz", "x.gz"}) {
        EXPECT_EQ(load_data(folder.write(name, kCsv)).train.kind, DataKind::kTable) << name;
        EXPECT_EQ(load_data(folder.write(name, gzip(kCsv))).train.kind, DataKind::kTable) << name;
    }
    for (const char* name : {"x.svm", "x.libsvm", "x", "x.libsvm.gz", "x.txt.gz"}) {
        EXPECT_EQ(load_data(folder.write(name, gzip(svm))).train.kind, DataKind::kSparse) << name;
        EXPECT_EQ(load_data(folder.write(name, "# comment\n\n" + svm)).train.kind,
                  DataKind::kSparse)
            << name;
    }
    for (const char* name : {"x.npz", "x.npz.gz", "x", "x.csv"}) {
        EXPECT_EQ(load_data(folder.write(name, gzip(npz))).train.features, 2u) << name;
        EXPECT_EQ(load_data(folder.write(name, images)).train.kind, DataKind::kImages) << name;
    }
    EXPECT_EQ(load_data(folder.write("label-only.svm", "1\n-1\n1 3:1\n")).train.rows, 3u)
        << "by its name";
}

TEST(LoadData, DetectsTheFormatInLinearTimeAndBoundedMemory) {
    const Folder folder;
    const std::string nothing = folder.write("x", gzip(std::string(64 << 20, '\0')));
    expect_error(ErrorCode::kData, "takes more than", [&] { load_data(nothing); });
    ReadOptions options;
    options.max_memory = 100;
    const std::string line = folder.write("x.csv", "1234567890,2\n");
    expect_error(ErrorCode::kData, "`max_memory`, 100 bytes", [&] { load_data(line, options); });
}

TEST(LoadData, FormatOverrides) {
    const Folder folder;
    ReadOptions options;
    options.format = "libsvm";
    EXPECT_EQ(load_data(folder.write("x.csv", "1 1:2\n"), options).train.kind, DataKind::kSparse);
    options.format = "idx";
    expect_error(ErrorCode::kData, "not an IDX file",
                 [&] { load_data(folder.path("x.csv"), options); });
    options.format = "xls";
    expect_error(ErrorCode::kUsage, "unknown format \"xls\"",
                 [&] { load_data(folder.path("x.csv"), options); });
}

TEST(LoadData, ReadsPairs) {
    const Folder folder;
    const std::string images = folder.write("a,b", idx({2, 2}, {1, 2, 3, 4}));
    const std::string labels = folder.write("c", gzip(idx({2}, {5, 6})));
    const Dataset data = load_data(images + "," + labels + "#1:2").train;
    EXPECT_EQ(dense_values(data), (Numbers{3, 4}));
    EXPECT_EQ(label_names(data), (Names{"6"}));
    expect_error(ErrorCode::kIo, "none: No such file",
                 [&] { load_data(labels + "," + folder.path("none")); });
    expect_error(ErrorCode::kData, "c: one dimension", [&] { load_data(labels + "," + labels); });
}

TEST(LoadData, ChoosesSplitsAndRows) {
    const LoadedData both = load_data("teacher:3#5:9");
    EXPECT_EQ(both.train.rows, 4u) << "the range is of the training rows";
    EXPECT_EQ(both.test.rows, 10000u);
    const LoadedData test = load_data("teacher:3:test#5:9");
    EXPECT_EQ(test.train.rows, 4u);
    EXPECT_FALSE(test.has_test());
    EXPECT_EQ(load_dataset("teacher:3").rows, 10000u);
    EXPECT_EQ(load_dataset("teacher:3:train").rows, 200000u);
    EXPECT_EQ(load_dataset("teacher:3", {}, Split::kTrain).rows, 200000u);
    EXPECT_EQ(dense_values(load_dataset("teacher:3#5:9")), dense_values(test.train));
    expect_error(ErrorCode::kData, "rows 9999:10001 of 10000",
                 [] { load_dataset("teacher:3#9999:10001"); });
}

TEST(LoadData, OneSplitHasNoOther) {
    const Folder folder;
    const std::string path = folder.write("x.csv", kCsv);
    EXPECT_EQ(load_dataset(path).rows, 3u);
    EXPECT_EQ(load_dataset(path + "#1:3").rows, 2u);
    EXPECT_EQ(load_dataset(path + "#1:3").class_names, (Names{"a", "b"})) << "of the whole file";
    expect_error(ErrorCode::kUsage, "has no test split", [&] { load_data(path + ":test"); });
    expect_error(ErrorCode::kData, "rows 2:4 of 3", [&] { load_data(path + "#2:4"); });
}

TEST(LoadData, SaysWhatIsMissingOrEmpty) {
    const Folder folder;
    expect_error(ErrorCode::kIo, "none.csv: No such file",
                 [&] { load_data(folder.path("none.csv")); });
    expect_error(ErrorCode::kIo,
                 "mnist:tset: No such file or directory; hint: the parts of data "
                 "with a test set are mnist:train and mnist:test",
                 [] { load_data("mnist:tset"); });
    expect_error(ErrorCode::kData, "no IDX file of training images",
                 [&] { load_data(folder.path()); });
    for (const char* name : {"x.csv", "x.svm", "x.npz", "x-ubyte", "x"}) {
        expect_error(ErrorCode::kData, std::string(name) + ": empty",
                     [&] { load_data(folder.write(name, "")); });
        expect_error(ErrorCode::kData, std::string(name) + ": empty",
                     [&] { load_data(folder.write(name, gzip(""))); });
    }
    ReadOptions csv;
    csv.format = "csv";
    expect_error(ErrorCode::kData, "x: empty", [&] { load_data(folder.write("x", ""), csv); });
    const std::string cut = gzip(kCsv).substr(0, 20);
    expect_error(ErrorCode::kData, "cut.csv.gz: truncated or damaged gzip",
                 [&] { load_data(folder.write("cut.csv.gz", cut)); });
}

TEST(Dataset, SelectsRows) {
    const Folder folder;
    const Dataset dense = load_data(folder.write("x.csv", kCsv)).train;
    const std::vector<std::size_t> order{2, 0, 2};
    EXPECT_EQ(dense_values(dense.select(order)), (Numbers{5, 6, 1, 2, 5, 6}));
    EXPECT_EQ(label_names(dense.select(order)), (Names{"a", "a", "a"}));
    EXPECT_EQ(dense.select(order).class_names, (Names{"a", "b"}));
    const Dataset sparse =
        load_data(folder.write("x.svm", "1 1:5\n2\n3 2:6 4:7\n")).train.select(order);
    const auto& rows = std::get<SparseRows>(sparse.values);
    EXPECT_EQ(rows.row_start, (std::vector<std::uint64_t>{0, 2, 3, 5}));
    EXPECT_EQ(rows.column, (std::vector<std::uint32_t>{1, 3, 0, 1, 3}));
    EXPECT_EQ(rows.value, (std::vector<float>{6, 7, 5, 6, 7}));
    EXPECT_EQ(sparse.features, 4u);
    EXPECT_EQ(label_names(sparse), (Names{"3", "1", "3"}));
}

}  // namespace
}  // namespace bitbayes::data

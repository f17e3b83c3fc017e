// Tables as people have them: words, ids, dates, headers, and the columns of a model found by name.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "data/categories.hpp"
#include "data/csv.hpp"
#include "data/split.hpp"
#include "files.hpp"

namespace bitbayes::data {
namespace {

using test::dense_values;
using test::expect_error;
using test::label_names;
using test::Names;
using test::Numbers;

Dataset read(std::string_view bytes, const ReadOptions& options = {}) {
    return read_csv(bytes, "t.csv", options);
}

/// Options to read a table for a model of that table.
ReadOptions like(const Dataset& data) {
    ReadOptions options;
    options.known = Rows(data).columns();
    return options;
}

/// `count` lines made by line(0), line(1), ...
template <class Line>
std::string lines(std::size_t count, const Line& line) {
    std::string text;
    for (std::size_t r = 0; r < count; ++r) text += line(r) + "\n";
    return text;
}

bool has_note(const Dataset& data, const std::string& part) {
    for (const auto& note : data.notes) {
        if (note.find(part) != note.npos) return true;
    }
    return false;
}

TEST(Table, WordsAreCodesOfSortedCategories) {
    const Dataset data = read("color,size,ok,kind\nred,1,true,a\nblue,2,false,b\n?,3,true,a\n");
    EXPECT_EQ(data.column_names, (Names{"color", "size", "ok"}));
    EXPECT_EQ(data.categories, (std::vector<Names>{{"blue", "red"}, {}, {"false", "true"}}));
    const Numbers values = dense_values(data);
    EXPECT_EQ(values[0], 1);
    EXPECT_EQ(values[3], 0);
    EXPECT_TRUE(std::isnan(values[6]));
    EXPECT_EQ(values[2], 1);
    EXPECT_EQ(values[5], 0);
    EXPECT_TRUE(has_note(data, "1 missing value"));
    EXPECT_EQ(data.roles, "fffl");
    EXPECT_EQ(data.other_names, (Names{"kind"}));
}

TEST(Table, TheWordsForMissing) {
    const Dataset data = read("a,k\n,0\n?,0\nNA,0\nnan,0\nNaN,0\nNULL,0\nnull,0\nNone,0\n5,1\n");
    const Numbers values = dense_values(data);
    for (int r = 0; r < 8; ++r) EXPECT_TRUE(std::isnan(values[r])) << r;
    EXPECT_EQ(values[8], 5);
    EXPECT_TRUE(data.categories.empty());
    expect_error(ErrorCode::kData, "t.csv:2: the label is missing", [] { read("a,k\n1,NULL\n"); });
}

TEST(Table, NumbersAmongWordsAreErrorsThatNameTheCell) {
    expect_error(ErrorCode::kData, "t.csv:3: \"x\" in column \"a\" is not a number",
                 [] { read("a,k\n1,0\nx,0\n"); });
    expect_error(ErrorCode::kData,
                 "t.csv:3: \"12\" in column \"a\" is a number, but \"x\" in line 2 is a word",
                 [] { read("a,k\nx,0\n12,0\n"); });
    for (const char* cell : {"\"1,5\"", "10%", "$5", "\"1,200.5\""}) {
        expect_error(ErrorCode::kData, "is not a number; hint: write numbers like 1234.5",
                     [&] { read(fmt::format("a,k\n{},0\n", cell)); });
    }
    expect_error(ErrorCode::kData, "\"inf\" in column \"a\" is a number",
                 [] { read("a,k\nx,0\ninf,0\n"); });
    ReadOptions words;
    words.categorical = {"a"};
    EXPECT_EQ(read("a,k\nx,0\n12,0\n007,1\n", words).categories[0], (Names{"007", "12", "x"}));
    words.categorical = {"0"};
    EXPECT_EQ(read("5,0\n7,0\n", words).categories[0], (Names{"5", "7"}));
    words.categorical = {"nonsuch"};
    expect_error(ErrorCode::kUsage, "\"nonsuch\"", [&] { read("a,k\n1,0\n", words); });
}

TEST(Table, AModelFindsItsColumnsByName) {
    const Dataset training = read("id,x,color,kind\n7,1,red,a\n8,2,blue,b\n", [] {
        ReadOptions options;
        options.ignore = {"id"};
        return options;
    }());
    const ReadOptions options = like(training);
    const Numbers wanted{5, 1, 6, 0};
    const Dataset other = read("kind,color,extra,x\nb,red,9,5\na,blue,9,6\n", options);
    EXPECT_EQ(dense_values(other), wanted);
    EXPECT_EQ(label_names(other), (Names{"b", "a"}));
    EXPECT_EQ(other.column_names, training.column_names);
    EXPECT_EQ(other.categories, training.categories);
    EXPECT_EQ(other.notes, (Names{"t.csv: 1 column unknown to the model, ignored: \"extra\""}));
    EXPECT_FALSE(read("x,color\n5,red\n6,blue\n", options).labelled());
    EXPECT_TRUE(read("id,x,color\n1,5,red\n", options).notes.empty()) << "ignored in training too";
    EXPECT_EQ(dense_values(read("1,5,red,b\n2,6,blue,a\n", options)), wanted) << "by position";
    EXPECT_EQ(dense_values(read("1,5,red\n2,6,blue\n", options)), wanted);
    EXPECT_EQ(dense_values(read("5,red\n6,blue\n", options)), wanted);
}

TEST(Table, MissingAndRenamedColumnsAreNamed) {
    const ReadOptions options = like(read("width,height,kind\n1,2,a\n3,4,b\n"));
    expect_error(ErrorCode::kData, "t.csv:1: no column named \"height\"",
                 [&] { read("width,kind\n1,a\n", options); });
    expect_error(ErrorCode::kData, "is it \"Height\"?",
                 [&] { read("width,Height,kind\n1,2,a\n", options); });
    expect_error(ErrorCode::kData, "the file has \"depth\", unknown to the model",
                 [&] { read("width,depth,kind\n1,2,a\n", options); });
    expect_error(ErrorCode::kData, "no column named \"width\"",
                 [&] { read("O.1,10,-5\n1,2,3\n", options); });
    ReadOptions label = options;
    label.label = "nonsuch";
    expect_error(ErrorCode::kUsage, "no column named \"nonsuch\"",
                 [&] { read("width,height,kind\n1,2,a\n", label); });
    expect_error(ErrorCode::kData, "4 columns of features, but the model was trained on 2",
                 [&] { read("1,2,3,4,a\n", options); });
}

TEST(Table, UnknownWordsCountAsMissing) {
    const ReadOptions options = like(read("color,x,kind\nred,1,a\nblue,2,b\n"));
    const Dataset data = read("color,x,kind\npurple,1,a\n12,2,a\nred,3,b\n", options);
    const Numbers values = dense_values(data);
    EXPECT_TRUE(std::isnan(values[0]) && std::isnan(values[2]));
    EXPECT_EQ(values[4], 1);
    EXPECT_TRUE(has_note(data,
                         "2 words of column \"color\" unknown to the model, taken as missing; "
                         "the first is \"purple\""));
    expect_error(ErrorCode::kData, "\"big\" in column \"x\" is not a number",
                 [&] { read("color,x,kind\nred,big,a\n", options); });
}

TEST(Table, HeadersOfAllKinds) {
    ReadOptions yes, no;
    yes.header = "yes";
    no.header = "no";
    EXPECT_EQ(read("0,1,label\n5,6,a\n7,8,b\n", yes).column_names, (Names{"0", "1"}));
    EXPECT_TRUE(has_note(read("0,1,label\n5,6,a\n7,8,a\n"), "looks like a header of numbers"));
    EXPECT_FALSE(has_note(read("0,1,a\n5,6,a\n7,8,b\n"), "header"));
    const Dataset rows = read("red,1,a\nblue,2,b\n", no);
    EXPECT_EQ(rows.rows, 2u);
    EXPECT_EQ(rows.categories[0], (Names{"blue", "red"}));
    EXPECT_EQ(dense_values(read("blue,3\n", like(rows))), (Numbers{0, 3}));
    EXPECT_EQ(read("x,x,x,k\n1,2,3,a\n").column_names, (Names{"x", "x.1", "x.2"}));
    EXPECT_EQ(read("x,x.1,x,x,k\n1,2,3,4,a\n").column_names, (Names{"x", "x.1", "x.2", "x.3"}));
    EXPECT_TRUE(has_note(read("a,b\na,0\nc,1\n"), "has its own name as a value"));
    no.label = "kind";
    expect_error(ErrorCode::kUsage, "no header", [&] { read("x,kind\n1,a\n", no); });
}

TEST(Table, WideHeadersTakeLinearTime) {
    std::string header, row;
    for (int j = 0; j < 60000; ++j) {
        header += "x,";
        row += "1,";
    }
    const Dataset data = read(header + "k\n" + row + "a\n");
    EXPECT_EQ(data.column_names.back(), "x.59999");
    EXPECT_EQ(read(header + "k\n" + row + "a\n", like(data)).features, 60000u);
}

TEST(Table, IdsWeightsAndGroupsAreNoFeatures) {
    ReadOptions options;
    options.id = "name";
    options.group = "user";
    options.row_weight = "w";
    const Dataset data =
        read("name,x,user,w,k\nann,1,u1,2,a\nbob,2,u2,0.5,b\ncid,3,u1,1,a\n", options);
    EXPECT_EQ(data.ids, (Names{"ann", "bob", "cid"}));
    EXPECT_EQ(data.groups, (std::vector<std::uint32_t>{0, 1, 0}));
    EXPECT_EQ(data.weights, (std::vector<float>{2, 0.5, 1}));
    EXPECT_EQ(dense_values(data), (Numbers{1, 2, 3}));
    EXPECT_EQ(data.lines, (std::vector<std::uint32_t>{2, 3, 4}));
    const std::vector<std::size_t> chosen{2, 0};
    EXPECT_EQ(data.select(chosen).ids, (Names{"cid", "ann"}));
    EXPECT_EQ(data.select(chosen).lines, (std::vector<std::uint32_t>{4, 2}));
    expect_error(ErrorCode::kData, "\"-1\" in column \"w\" is no weight",
                 [&] { read("name,x,user,w,k\nann,1,u1,-1,a\n", options); });
    ReadOptions id = like(data);
    id.id = "name";
    EXPECT_EQ(read("x,name\n9,zoe\n", id).ids, (Names{"zoe"}));
    id.id = "x";
    EXPECT_EQ(dense_values(read("x,name\n9,zoe\n", id)), (Numbers{9})) << "a feature may name rows";
    id.id = "nonsuch";
    expect_error(ErrorCode::kUsage, "\"nonsuch\"", [&] { read("x,name\n9,zoe\n", id); });
}

TEST(Table, WhatCanOnlyMisleadIsLeftOut) {
    const Dataset data =
        read(",x,name,day,k\n" + lines(30, [](std::size_t r) {
                 return fmt::format("{},{},n{},2024-01-{:02},{}", r, r % 7, r, r % 3 + 1, r % 2);
             }));
    EXPECT_EQ(data.column_names, (Names{"x", "day"}));
    EXPECT_EQ(data.other_names, (Names{"", "name", "k"}));
    EXPECT_EQ(data.roles, "-f-fl");
    EXPECT_EQ(data.categories.size(), 2u);
    EXPECT_TRUE(has_note(data, "column 0 counts the rows and has no name"));
    EXPECT_TRUE(
        has_note(data, "column \"name\" has a different word in every row, like an id: left out"));
    EXPECT_TRUE(has_note(data, "column \"day\" holds dates"));
    const Dataset only =
        read("name,k\n" + lines(30, [](std::size_t r) { return fmt::format("n{},{}", r, r % 2); }));
    EXPECT_EQ(only.features, 1u);
    EXPECT_TRUE(has_note(only, "every column looks like an id"));
    ReadOptions keep;
    keep.categorical = {"name"};
    EXPECT_EQ(read("x,name,k\n" +
                       lines(30, [](std::size_t r) { return fmt::format("1,n{},{}", r, r % 2); }),
                   keep)
                  .features,
              2u);
}

TEST(Table, NotesOnColumns) {
    const auto with_id = [](const char* name) {
        return read(fmt::format("{},x,k\n", name) + lines(30, [](std::size_t r) {
                        return fmt::format("{},{},{}", 1000 - 3 * r, r % 7, r % 2);
                    }));
    };
    EXPECT_TRUE(has_note(with_id("user_id"), "`ignore` user_id leaves it out"));
    EXPECT_EQ(with_id("user_id").features, 2u) << "a number may be meant";
    EXPECT_TRUE(with_id("pressure").notes.empty());
    const Dataset many = read(
        "w,k\n" + lines(400, [](std::size_t r) { return fmt::format("w{},{}", r / 2, r % 2); }));
    EXPECT_TRUE(has_note(many, "column \"w\" has 200 different words"));
}

TEST(Table, NotesOnLabels) {
    EXPECT_TRUE(has_note(read("a,k\n1,1\n2,1.0\n3,1.00\n"),
                         "the labels \"1\" and \"1.0\" are equal as numbers"));
    EXPECT_TRUE(has_note(read("a,k\n1,007\n2,8\n"), "\"007\" will come back as \"7\""));
    EXPECT_TRUE(read("a,k\n1,+1\n2,-1\n").notes.empty());
    const Dataset single = read("a,k\n" + lines(30, [](std::size_t r) {
                                    return fmt::format("{},{}", r % 5, r == 3 ? "odd" : "even");
                                }));
    EXPECT_TRUE(has_note(single, "1 of 2 classes has one row only, e.g. \"odd\""));
}

TEST(Table, CategoriesOfTestRowsAloneAreForgotten) {
    Dataset train = read("c,k\nred,0\nblue,1\ngreen,0\nred,1\n");
    const std::vector<std::size_t> first{0, 1, 3}, last{2, 3};
    Dataset test = train.select(last);
    train = train.select(first);
    keep_seen_categories(train, test);
    EXPECT_EQ(train.categories[0], (Names{"blue", "red"}));
    EXPECT_EQ(test.categories, train.categories);
    EXPECT_EQ(dense_values(train), (Numbers{1, 0, 1}));
    EXPECT_TRUE(std::isnan(dense_values(test)[0]));
    EXPECT_EQ(dense_values(test)[1], 1);
}

TEST(Table, AnEndInTheMiddleOfALineIsNoRowIfCutShort) {
    ReadOptions options;
    EXPECT_EQ(read("1,2,0\n3,4,1\n5,6,1", options).rows, 3u);
    options.cut_short = [] { return true; };
    EXPECT_EQ(read("1,2,0\n3,4,1\n5,6,1", options).rows, 2u);
    EXPECT_EQ(read("1,2,0\n3,4,1\n5,6,\"a\nb", options).rows, 2u);
}

}  // namespace
}  // namespace bitbayes::data

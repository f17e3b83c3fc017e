// What ranks do together: shares, errors of one that all report, tables that one has read.
#include "dist/collectives.hpp"

#include <gtest/gtest.h>

#include "base/range.hpp"
#include "bitbayes/types/error.hpp"
#include "data/broadcast.hpp"
#include "data/split.hpp"
#include "dist/thread_ranks.hpp"
#include "training/blobs.hpp"

namespace bitbayes::dist {
namespace {

using test::ThreadRanks;

TEST(ShareOf, CoversEverythingOnceAndEvenly) {
    for (const std::size_t total : {0u, 1u, 3u, 10u, 101u}) {
        for (const std::size_t parts : {1u, 2u, 3u, 7u, 20u}) {
            std::size_t next = 0, most = 0, fewest = total;
            for (std::size_t part = 0; part < parts; ++part) {
                const Range range = share_of(total, part, parts);
                EXPECT_EQ(range.first, next);
                next = range.end();
                most = std::max(most, range.count);
                fewest = std::min(fewest, range.count);
            }
            EXPECT_EQ(next, total);
            EXPECT_LE(most - fewest, 1u);
        }
    }
}

TEST(Collectives, GatherSharesOfEveryRank) {
    for (const std::size_t size : {1u, 2u, 5u}) {
        ThreadRanks(size).run([](Communicator& ranks) {
            std::vector<int> values(3 * 7, -1);
            const Range own = own_share(ranks, 7);
            for (std::size_t k = 3 * own.first; k < 3 * own.end(); ++k) values[k] = int(k);
            gather_shares(ranks, std::span(values), 7);
            for (std::size_t k = 0; k < values.size(); ++k) EXPECT_EQ(values[k], int(k));
        });
    }
}

TEST(Together, AnErrorOfOneRankIsThatOfAll) {
    for (const std::size_t bad : {0u, 1u, 2u}) {
        ThreadRanks ranks(3);
        try {
            ranks.run([&](Communicator& own) {
                together(own, [&] {
                    if (own.rank() >= bad) {
                        throw Error(ErrorCode::kIo, "cannot read" + std::to_string(own.rank()));
                    }
                });
            });
            FAIL();
        } catch (const Error& error) {
            EXPECT_EQ(error.code(), ErrorCode::kIo);
            const std::string text = bad == 0 ? "cannot read0"
                                              : "rank " + std::to_string(bad) +
                                                    " of 3: cannot read" + std::to_string(bad);
            EXPECT_EQ(error.what(), text);
        }
        EXPECT_EQ(ranks.failures(), 3u);
    }
}

TEST(Together, NothingHappensIfAllIsWell) {
    ThreadRanks(4).run([](Communicator& ranks) {
        for (int k = 0; k < 3; ++k) together(ranks, [] {});
    });
}

Dataset table_of_words() {
    Dataset data = test::blobs(20, 3, 1);
    data.notes = {"a note", ""};
    data.categories = {{}, {"red", "green"}};
    data.ids = {"x", "", "z"};
    data.weights = {1, 2.5f};
    data.groups = {7, 7};
    data.lines = {2, 3};
    data.roles = "ffl";
    data.other_names = {"kind"};
    data.image = {2, 3};
    return data;
}

TEST(Broadcast, EveryMemberOfATableArrives) {
    const Dataset sparse = [] {
        Dataset data;
        data.name = "sparse";
        data.kind = DataKind::kSparse;
        data.rows = 2;
        data.features = 9;
        data.values = SparseRows{{0, 1, 3}, {4, 0, 8}, {1, 2, 3}};
        data.labels = {0, 1};
        data.class_names = {"a", "b"};
        return data;
    }();
    for (const Dataset& original : {table_of_words(), sparse, Dataset{}}) {
        ThreadRanks(3).run([&](Communicator& ranks) {
            Dataset data = ranks.first() ? original : Dataset{};
            data::broadcast(ranks, data);
            EXPECT_EQ(data.name, original.name);
            EXPECT_EQ(data.kind, original.kind);
            EXPECT_EQ(data.rows, original.rows);
            EXPECT_EQ(data.features, original.features);
            EXPECT_EQ(data.values.index(), original.values.index());
            EXPECT_EQ(data.labels, original.labels);
            EXPECT_EQ(data.class_names, original.class_names);
            EXPECT_EQ(data.column_names, original.column_names);
            EXPECT_EQ(data.notes, original.notes);
            EXPECT_EQ(data.categories, original.categories);
            EXPECT_EQ(data.ids, original.ids);
            EXPECT_EQ(data.weights, original.weights);
            EXPECT_EQ(data.groups, original.groups);
            EXPECT_EQ(data.lines, original.lines);
            EXPECT_EQ(data.roles, original.roles);
            EXPECT_EQ(data.other_names, original.other_names);
            EXPECT_EQ(data.image, original.image);
            const auto equal = [&]<class T>(const T& held) {
                const T& expected = std::get<T>(original.values);
                if constexpr (std::is_same_v<T, SparseRows>) {
                    EXPECT_EQ(held.row_start, expected.row_start);
                    EXPECT_EQ(held.column, expected.column);
                    EXPECT_EQ(held.value, expected.value);
                } else {
                    EXPECT_EQ(held, expected);
                }
            };
            std::visit(equal, data.values);
        });
    }
}

}  // namespace
}  // namespace bitbayes::dist

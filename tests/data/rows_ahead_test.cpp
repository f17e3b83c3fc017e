#include "data/rows_ahead.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <optional>

#include "bitbayes/types/error.hpp"
#include "tables.hpp"

namespace bitbayes::data {
namespace {

constexpr std::size_t kColumns = 6, kRows = 50;

Dataset numbers() {
    std::vector<double> values(kRows * kColumns);
    std::iota(values.begin(), values.end(), 0.0);
    return test::table(kColumns, std::move(values));
}

void expect_rows(const Preprocessing& p, const Rows& data, std::span<const std::size_t> rows,
                 const Shift& shift, const InputBlock& block) {
    InputBlock direct;
    p.gather(data, rows, direct, shift);
    EXPECT_EQ(block.rows, direct.rows);
    EXPECT_EQ(block.cells, direct.cells);
}

TEST(RowsAhead, GivesTheRowsAskedForWhateverWasExpected) {
    const Dataset table = numbers();
    Rows data(table);
    data.set_image({2, 3});
    const Dataset others = test::table(kColumns, std::vector<double>(kRows * kColumns, 1));
    const Rows other(others);
    const auto p = Preprocessing::fit(data, {"center", true, true});
    std::vector<std::size_t> order(kRows);
    std::iota(order.begin(), order.end(), 0);
    const auto some = [&](std::size_t first, std::size_t count) {
        return std::span<const std::size_t>(order).subspan(first, count);
    };
    RowsAhead ahead;
    const auto take = [&](const Rows& from, std::span<const std::size_t> rows, const Shift& shift,
                          std::span<const std::size_t> upcoming) {
        expect_rows(p, from, rows, shift, ahead.take(p, from, rows, shift, upcoming));
    };
    take(data, some(0, 10), {}, some(10, 40));
    take(data, some(10, 10), {}, some(20, 30));       // as expected
    take(data, some(20, 5), {}, some(25, 25));        // fewer
    take(data, some(40, 5), {}, some(45, 5));         // others
    take(data, some(45, 5), {1, 7, 2}, some(0, 50));  // moved
    take(data, some(0, 5), {1, 7, 3}, some(5, 45));   // moved in another way
    take(data, some(5, 5), {1, 7, 3}, some(10, 5));   // as expected
    take(other, some(10, 5), {1, 7, 3}, {});          // of another table
    take(data, some(15, 5), {}, {});                  // nothing was expected
}

TEST(RowsAhead, ForgetsRowsThatEnd) {
    const Dataset table = numbers();
    const auto p = Preprocessing::fit(Rows(table), {"center", true, true});
    const std::vector<std::size_t> some{2, 3};
    RowsAhead ahead;
    std::optional<Dataset> own;
    std::optional<Rows> data;
    for (const double number : {1.0, 2.0, 3.0}) {  // other rows in the same place
        data.reset();
        own = test::table(kColumns, std::vector<double>(kRows * kColumns, number));
        data.emplace(*own);
        expect_rows(p, *data, some, {}, ahead.take(p, *data, some, {}, some));
        ahead.forget();
    }
}

TEST(RowsAhead, RefusesRowsWhenTheyAreAskedFor) {
    Dataset table = numbers();
    std::get<std::vector<double>>(table.values)[20 * kColumns] = 1e20;
    const Rows data(table);
    const auto p = Preprocessing::fit(data, {"none", true, true});
    const std::vector<std::size_t> order{0, 20, 1};
    const auto rows = [&](std::size_t k) { return std::span(order).subspan(k, 1); };
    RowsAhead ahead;
    EXPECT_NO_THROW(ahead.take(p, data, rows(0), {}, rows(1)));
    EXPECT_THROW(ahead.take(p, data, rows(1), {}, rows(2)), Error);
    EXPECT_NO_THROW(ahead.take(p, data, rows(0), {}, rows(1)));
    EXPECT_NO_THROW(ahead.take(p, data, rows(2), {}, {}));  // the other was never asked for
}

}  // namespace
}  // namespace bitbayes::data

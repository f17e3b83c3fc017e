#include "data/shift.hpp"

#include <gtest/gtest.h>

#include <map>
#include <numeric>

#include "data/preprocess.hpp"
#include "model/expect_error.hpp"
#include "tables.hpp"

namespace bitbayes::data {
namespace {

using test::error_of;
using Pixels = std::vector<double>;

const ImageSize kSize{4, 3};
const Pixels kImage{1, 2,  3,  //
                    4, 5,  6,  //
                    7, 8,  9,  //
                    0, 11, 12};

Pixels moved(std::ptrdiff_t down, std::ptrdiff_t right) {
    Pixels image = kImage;
    move_image(image, kSize, down, right);
    return image;
}

TEST(Shift, MovesAnImageAndFillsWithZeros) {
    EXPECT_EQ(moved(0, 0), kImage);
    EXPECT_EQ(moved(1, 0), (Pixels{0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9}));
    EXPECT_EQ(moved(-1, 0), (Pixels{4, 5, 6, 7, 8, 9, 0, 11, 12, 0, 0, 0}));
    EXPECT_EQ(moved(0, 1), (Pixels{0, 1, 2, 0, 4, 5, 0, 7, 8, 0, 0, 11}));
    EXPECT_EQ(moved(0, -1), (Pixels{2, 3, 0, 5, 6, 0, 8, 9, 0, 11, 12, 0}));
    EXPECT_EQ(moved(2, -2), (Pixels{0, 0, 0, 0, 0, 0, 3, 0, 0, 6, 0, 0}));
    EXPECT_EQ(moved(-3, 2), (Pixels{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}));
    EXPECT_EQ(moved(-2, 2), (Pixels{0, 0, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0}));
}

Pixels drawn(const Shift& shift, std::size_t row) {
    Pixels image = kImage;
    shift.move(row, kSize, image);
    return image;
}

TEST(Shift, EveryMoveIsDrawnAboutEquallyOften) {
    std::map<Pixels, int> times;
    for (std::size_t row = 0; row < 9000; ++row) ++times[drawn({1, 7, 0}, row)];
    ASSERT_EQ(times.size(), 9u);
    for (std::ptrdiff_t down = -1; down <= 1; ++down) {
        for (std::ptrdiff_t right = -1; right <= 1; ++right) {
            EXPECT_NEAR(times[moved(down, right)], 1000, 150) << down << ' ' << right;
        }
    }
}

TEST(Shift, SeedEpochAndRowDecide) {
    int same_seed = 0, same_epoch = 0;
    for (std::size_t row = 0; row < 90; ++row) {
        const Pixels image = drawn({1, 7, 3}, row);
        EXPECT_EQ(image, drawn({1, 7, 3}, row));
        same_seed += image == drawn({1, 8, 3}, row);
        same_epoch += image == drawn({1, 7, 4}, row);
    }
    EXPECT_LT(same_seed, 30);
    EXPECT_LT(same_epoch, 30);
}

TEST(Shift, RowsAreMovedBeforePreprocessingAndConstantPixelsStayZero) {
    Pixels values = kImage;
    values.insert(values.end(), {1, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 12});  // 1 and 12 are constant
    Dataset data = test::table(12, values);
    data.image = kSize;
    for (const char* choice : {"center", "standardize", "none", "thermometer:3"}) {
        const auto p = Preprocessing::fit(data, {choice, true, false});
        for (std::uint32_t epoch = 0; epoch < 20; ++epoch) {
            const Shift shift{2, 1, epoch};
            const std::vector<std::size_t> rows{1, 0};
            InputBlock block, expected;
            p.apply(data, rows, block, shift);
            Pixels by_hand;
            for (const std::size_t row : rows) {
                Pixels image(12);
                data.copy_row(row, image);
                shift.move(row, kSize, image);
                by_hand.insert(by_hand.end(), image.begin(), image.end());
            }
            p.apply(test::table(12, by_hand), std::vector<std::size_t>{0, 1}, expected);
            EXPECT_EQ(block.value, expected.value) << choice;
            EXPECT_LT(p.live_inputs().size(), p.inputs() + (choice[0] == 't'));
        }
    }
}

TEST(Shift, NeedsImagesThatAreLarger) {
    const Shift shift{3};
    Dataset data = test::table(12, kImage);
    EXPECT_EQ(
        error_of(ErrorCode::kUsage, [&] { shift.check(data); }),
        "`augment` moves images, and table.csv holds none; hint: IDX files and NPZ arrays X of "
        "three dimensions hold images; in Python give `image_shape=(h, w)`");
    EXPECT_NO_THROW(Shift{}.check(data));
    data.image = kSize;
    EXPECT_EQ(
        error_of(ErrorCode::kUsage, [&] { shift.check(data); }),
        "`augment` shift:3: the images of table.csv have 4 x 3 pixels; hint: move them by less");
    EXPECT_NO_THROW(Shift{2}.check(data));
    EXPECT_NO_THROW(Shift{2}.check(data.select(std::vector<std::size_t>{0})));
    Dataset sparse = test::as_sparse(data);
    sparse.image = kSize;
    error_of(ErrorCode::kUsage, [&] { Shift{1}.check(sparse); });
}

}  // namespace
}  // namespace bitbayes::data

// Images moved by a few pixels, anew in each epoch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "bitbayes/types/rows.hpp"

namespace bitbayes::data {

/// Moves row r of a table down and to the right by two whole numbers, each uniform on -pixels ..
/// pixels, which seed, epoch and r decide. 0 pixels: rows stay as they are.
struct Shift {
    std::size_t pixels = 0;
    std::uint64_t seed = 1;
    std::uint32_t epoch = 0;

    bool operator==(const Shift&) const = default;

    /// Error(kUsage) unless the rows are images larger than `pixels`.
    void check(const Rows& data) const;

    /// What moves out of the image is lost, 0 comes in.
    void move(std::size_t row, ImageSize size, std::span<double> image) const;
};

/// The same by `down` and `right`, which may be negative.
void move_image(std::span<double> image, ImageSize size, std::ptrdiff_t down, std::ptrdiff_t right);

}  // namespace bitbayes::data

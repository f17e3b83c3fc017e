#include "data/shift.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/philox.hpp"
#include "bitbayes/types/error.hpp"

namespace bitbayes::data {

void Shift::check(const Rows& data) const {
    if (pixels == 0) return;
    const auto [height, width] = data.image();
    if (height == 0 || data.sparse()) {
        throw Error(ErrorCode::kUsage,
                    fmt::format("`augment` moves images, and {} holds none", data.name()),
                    "IDX files and NPZ arrays X of three dimensions hold images; in Python give "
                    "`image_shape=(h, w)`");
    }
    if (pixels >= std::min(height, width)) {
        throw Error(ErrorCode::kUsage,
                    fmt::format("`augment` shift:{}: the images of {} have {} x {} pixels", pixels,
                                data.name(), height, width),
                    "move them by less");
    }
}

void Shift::move(std::size_t row, ImageSize size, std::span<double> image) const {
    const std::size_t side = 2 * pixels + 1;
    const std::uint64_t drawn = Philox(seed, Purpose::kShift, epoch).below(side * side, row);
    const auto most = static_cast<std::ptrdiff_t>(pixels);
    move_image(image, size, static_cast<std::ptrdiff_t>(drawn / side) - most,
               static_cast<std::ptrdiff_t>(drawn % side) - most);
}

void move_image(std::span<double> image, ImageSize size, std::ptrdiff_t down,
                std::ptrdiff_t right) {
    const auto height = static_cast<std::ptrdiff_t>(size.height);
    const auto width = static_cast<std::ptrdiff_t>(size.width);
    for (std::ptrdiff_t k = 0; k < height; ++k) {
        const std::ptrdiff_t to = down > 0 ? height - 1 - k : k, from = to - down;
        const auto line = image.begin() + to * width, end = line + width;
        if (from < 0 || from >= height) {
            std::fill(line, end, 0);
            continue;
        }
        const auto source = image.begin() + from * width;
        if (right >= 0) {
            std::copy_backward(source, source + width - right, end);
            std::fill(line, line + right, 0);
        } else {
            std::copy(source - right, source + width, line);
            std::fill(end + right, end, 0);
        }
    }
}

}  // namespace bitbayes::data

#include "data/rows_ahead.hpp"

#include <algorithm>
#include <system_error>
#include <utility>

namespace bitbayes::data {

const InputBlock& RowsAhead::take(const Preprocessing& preprocessing, const Rows& data,
                                  std::span<const std::size_t> rows, const Shift& shift,
                                  std::span<const std::size_t> upcoming) {
    const bool expected = ready_.valid();
    if (expected) ready_.wait();
    if (expected && next_.data == &data && next_.shift == shift &&
        std::equal(rows.begin(), rows.end(), next_.rows.begin(), next_.rows.end())) {
        ready_.get();  // throws what the rows were refused for
        std::swap(now_, next_);
    } else {
        preprocessing.gather(data, rows, now_.block, shift);
    }
    const auto some = upcoming.first(std::min(rows.size(), upcoming.size()));
    ready_ = {};
    if (some.empty()) return now_.block;
    next_.data = &data;
    next_.rows.assign(some.begin(), some.end());
    next_.shift = shift;
    try {
        ready_ = std::async(std::launch::async, [this, &preprocessing] {
            preprocessing.gather(*next_.data, next_.rows, next_.block, next_.shift);
        });
    } catch (const std::system_error&) {
        // No thread is to be had: the next rows are copied when they are asked for.
    }
    return now_.block;
}

}  // namespace bitbayes::data

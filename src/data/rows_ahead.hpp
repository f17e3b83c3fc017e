// Rows that are prepared while somebody else works, a card for example: the next block is ready when it is asked for.
#pragma once

#include <future>
#include <span>
#include <vector>

#include "data/preprocess.hpp"

namespace bitbayes::data {

class RowsAhead {
  public:
    RowsAhead() = default;
    RowsAhead(const RowsAhead&) = delete;
    RowsAhead& operator=(const RowsAhead&) = delete;

    /// The rows as layer 1 sees them, valid until the next call. Prepares the first rows of `upcoming`, as many as these, in the
    /// background; `preprocessing` and `data` must live until the next call or the end of this object. Which rows were prepared
    /// before changes nothing but the time.
    const InputBlock& take(const Preprocessing& preprocessing, const Rows& data,
                           std::span<const std::size_t> rows, const Shift& shift,
                           std::span<const std::size_t> upcoming);

  private:
    struct Prepared {
        const Rows* data = nullptr;
        std::vector<std::size_t> rows;
        Shift shift;
        InputBlock block;
    };
    Prepared now_, next_;
    std::future<void> ready_;  // valid: next_ is being filled; its destructor waits
};

}  // namespace bitbayes::data

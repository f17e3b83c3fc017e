// Cells of rows, copied together while a card works: the next block is ready when it is asked for.
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

    /// Preprocessing::gather() of these rows, valid until the next call. Gathers the first rows of `upcoming`, as many as these, in the
    /// background; `preprocessing` and `data` must live until the next call of either function, or the end of this object. Which rows were gathered
    /// before changes nothing but the time.
    const InputBlock& take(const Preprocessing& preprocessing, const Rows& data,
                           std::span<const std::size_t> rows, const Shift& shift,
                           std::span<const std::size_t> upcoming);
    /// Expects nothing any more, once nothing reads `data`.
    void forget() { ready_ = {}; }

  private:
    struct Gathered {
        const Rows* data = nullptr;
        std::vector<std::size_t> rows;
        Shift shift;
        InputBlock block;
    };
    Gathered now_, next_;
    std::future<void> ready_;  // valid: next_ is being filled; its destructor waits
};

}  // namespace bitbayes::data

// Scores of a packed network, fast: the same numbers as Network::scores, which defines them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "packed/network.hpp"

namespace bitbayes::packed {

/// A column of a row that is not 0.
struct ColumnValue {
    std::uint32_t column = 0;
    std::int16_t value = 0;
};

/// Safe to use from several threads at once.
class Engine {
  public:
    explicit Engine(const Network& network) : network_(network) {}  // keeps a reference

    const Network& network() const { return network_; }
    std::size_t outputs() const { return network_.outputs(); }
    /// Rows of quantised columns, one after another; `scores` gets outputs() numbers for each.
    void scores(std::span<const std::int16_t> columns, std::span<std::int64_t> scores) const;
    /// The same for columns that are bits or u8.
    void scores(std::span<const std::uint8_t> columns, std::span<std::int64_t> scores) const;
    /// One row, given by its columns that are not 0, ascending; columns beyond the network's are
    /// not there. Not for comparators or kSign.
    void scores(std::span<const ColumnValue> row, std::span<std::int64_t> scores) const;

  private:
    const Network& network_;
};

}  // namespace bitbayes::packed

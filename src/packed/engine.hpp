// Scores of a packed network, fast: the same numbers as Network::scores, which defines them. Layer 1
// and wide hidden layers work by bit planes (planes.hpp), the others count equal bits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "packed/network.hpp"
#include "packed/plane_layer.hpp"
#include "packed/planes.hpp"

namespace bitbayes::packed {

/// A column that is not 0.
struct ColumnValue {
    std::uint32_t column = 0;
    std::int16_t value = 0;
};

/// Const member functions may be called from many threads at once.
class Engine {
  public:
    explicit Engine(const Network& network,  // keeps a reference
                    const PlaneKernels& kernels = best_planes());

    const Network& network() const { return network_; }
    std::size_t outputs() const { return network_.outputs(); }
    /// "avx512", "avx2", "neon" or "scalar"
    const char* level() const { return kernels_.name; }
    /// Rows of quantised columns, one after another; `scores` gets outputs() numbers for each.
    void scores(std::span<const std::int16_t> columns, std::span<std::int64_t> scores) const;
    /// The same for columns that are bits or u8.
    void scores(std::span<const std::uint8_t> columns, std::span<std::int64_t> scores) const;
    /// One row, given by its columns that are not 0, ascending; columns beyond the network's are
    /// ignored. Not for comparators or kSign.
    void scores(std::span<const ColumnValue> row, std::span<std::int64_t> scores) const;

  private:
    static constexpr std::uint32_t kLeftOut = UINT32_MAX;
    struct Work;

    bool one_layer() const { return network_.members[0].size() == 1; }
    template <class T>
    void score_rows(std::span<const T> columns, std::span<std::int64_t> scores) const;
    template <class T>
    void read(std::span<const T> columns, Work& work, Digits& digits) const;
    void add(Work& work, std::size_t rows) const;
    void finish(Work& work, std::size_t rows, std::span<std::int64_t> scores) const;
    void member_scores(std::size_t member, Work& work, std::size_t rows,
                       std::span<std::int64_t> scores) const;
    void add_planes(const PlaneLayer& layer, Work& work, std::size_t rows) const;
    void count_bits(const Layer& layer, Work& work, std::size_t rows) const;
    std::int64_t sum(const Layer& layer, std::size_t neuron, const std::uint64_t* v) const;

    const Network& network_;
    const PlaneKernels& kernels_;
    bool signs_ = false;                       // inputs of +-1: written as 2 b
    std::vector<std::uint8_t> asks_for_word_;  // per input; empty: none does
    PlaneLayer first_;                         // layer 1 of all members
    std::vector<PlaneLayer> wide_;  // wide hidden dense layers above it, member by member
    std::vector<std::uint32_t> row_of_column_;  // in first_; kLeftOut if it is not an input
};

}  // namespace bitbayes::packed

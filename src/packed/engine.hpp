// Scores of a packed network, fast: the same numbers as Network::scores, which defines them. Layer 1
// works by bit planes (planes.hpp), the layers above count equal bits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/aligned.hpp"
#include "packed/network.hpp"
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

    std::size_t chunk_size() const { return row_words_ * (2 * network_.inputs() + 1); }
    bool one_layer() const { return network_.members[0].size() == 1; }
    /// Words of a row's signs; equal_bits looks one ahead.
    std::size_t sign_words() const { return chunks_ * kChunkWords + 1; }
    std::uint32_t row_of(std::size_t input) const {
        return static_cast<std::uint32_t>(2 * row_words_ * input);
    }
    void add_member(std::size_t member);
    std::int64_t threshold(const Layer& layer, std::size_t neuron) const;
    template <class T>
    void score_rows(std::span<const T> columns, std::span<std::int64_t> scores) const;
    template <class T>
    void read(std::span<const T> columns, Work& work, Digits& digits) const;
    void write(Work& work, Digits& digits) const;
    void add(Work& work, std::size_t rows) const;
    void finish(Work& work, std::size_t rows, std::span<std::int64_t> scores) const;
    void read_sums(const PlaneChunk& chunk, const Digits& digits, const std::uint64_t* planes,
                   std::int64_t* sums) const;
    void member_scores(std::size_t member, const std::uint64_t* v,
                       std::span<std::int64_t> scores) const;

    const Network& network_;
    const PlaneKernels& kernels_;
    bool signs_ = false;                        // inputs of +-1: written as 2 b - 1
    std::vector<std::uint8_t> asks_for_word_;   // per input; empty: none does
    std::vector<std::uint32_t> row_of_column_;  // kLeftOut if the column is not an input
    std::size_t member_words_ = 0;              // of layer 1's neurons
    std::size_t chunks_ = 0;                    // of all members' words
    std::size_t row_words_ = 0;                 // of a chunk's rows
    std::size_t digit_planes_ = 0;              // that digits of an input may occupy
    std::int64_t largest_start_ = 0;            // |t|
    // Per chunk: V and its inverse of each input, then a row of 0; planes of -t.
    AlignedVector<std::uint64_t> rows_, start_;
};

}  // namespace bitbayes::packed

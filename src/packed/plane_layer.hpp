// A dense layer by bit planes (planes.hpp): one, or those of all members of a committee side by side.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/aligned.hpp"
#include "packed/network.hpp"
#include "packed/planes.hpp"

namespace bitbayes::packed {

/// The inputs of a row of data that are not 0.
struct InputEntries {
    std::vector<std::uint32_t> row;  // PlaneLayer::row_of
    std::vector<std::int32_t> value;
    std::size_t count = 0;

    void clear(std::size_t max_count) {
        count = 0;
        row.resize(max_count + kEntryPadding);
        value.resize(max_count + kEntryPadding);
    }
    void push(std::uint32_t input_row, std::int32_t x) {
        row[count] = input_row;
        value[count] = x;
        count += x != 0;
    }
};

class PlaneLayer {
  public:
    /// Layers of one shape. With `signs` the inputs are +-1 = 2 b - 1, and write() gets 2 b.
    PlaneLayer(const std::vector<const Layer*>& layers, bool signs, std::int64_t largest_input,
               const PlaneKernels& kernels);

    std::uint32_t row_of(std::size_t input) const {
        return static_cast<std::uint32_t>(stride_ * input);
    }
    /// Words of one layer's neurons.
    std::size_t layer_words() const { return layer_words_; }
    /// Words of a row's signs; equal_bits looks one ahead.
    std::size_t sign_words() const { return chunks_ * kChunkWords + 1; }
    std::size_t max_digits() const { return inputs_ * digit_planes_; }

    void write(InputEntries& entries, Digits& digits) const;
    /// The same for inputs +-1, one bit each.
    void write(const std::uint64_t* signs, Digits& digits) const;
    /// For each row of data sign_words() words of signs, the layers layer_words() apart; bits beyond
    /// the neurons are undefined. `sums`, if not null: one for each of these bits.
    void add(std::span<const Digits> rows, std::uint64_t* signs, std::int64_t* sums) const;

  private:
    std::size_t chunk_size() const { return stride_ * inputs_ + row_words_; }
    void add_layer(const Layer& layer, std::size_t first_word);
    std::int64_t threshold(const Layer& layer, std::size_t neuron) const;

    const PlaneKernels& kernels_;
    bool signs_ = false;
    std::size_t inputs_ = 0;
    std::size_t layer_words_ = 0;
    std::size_t words_ = 0;           // of all layers' neurons
    std::size_t chunks_ = 0;          // of these words
    std::size_t row_words_ = 0;       // of a chunk's rows
    std::size_t stride_ = 0;          // from an input's rows to the next one's
    std::size_t digit_planes_ = 0;    // that digits of an input may occupy
    std::int64_t largest_start_ = 0;  // |t|
    // Per chunk: V of each input, and its inverse unless the inputs are signs, then a row of 0; planes
    // of -t.
    AlignedVector<std::uint64_t> rows_, start_;
};

}  // namespace bitbayes::packed

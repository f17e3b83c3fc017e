// What layer 1 of the clipped network reads, and the real values it represents:
//
//   center, none, if every varying column holds whole numbers within int16:
//       x_j is the column, of the narrowest type that holds its training values; 0/1 and -1/+1 are
//       one bit
//   center, none otherwise:
//       x_j = round(value / step) - origin_j / step, one power of two as step, origin_j a multiple of
//       it near the mean (none: 0); int8 if that is fine enough, else int16
//   standardize, and models of before steps were powers of two:
//       x_j = round(u_j / unit), u_j the preprocessed value, one unit for all columns
//   thermometer:
//       x_jk = +1 iff c_j > comparator_jk; c_j is the column if that is whole and within int16, else
//       it is counted in the finest power of two that suits its thresholds, saturated. Models of before:
//       65,533 steps from the lowest threshold to the highest; with one threshold the side only
//
// Columns that were constant in training are left out.
#pragma once

#include <cstdint>
#include <vector>

#include "data/preprocess.hpp"
#include "packed/network.hpp"

namespace bitbayes::clip {

/// u_k = (unit x_k - mean_k) / scale for each input k; an empty mean is 0.
struct ClipInputs {
    packed::Quantiser quantiser;
    std::vector<std::uint32_t> column;     // of input k
    std::vector<std::uint32_t> weight;     // of input k: its place among the weights of a neuron
    std::vector<std::int16_t> comparator;  // thermometer only
    std::vector<double> mean;
    double scale = 1;
    double unit = 1;

    explicit ClipInputs(const data::Preprocessing& preprocessing);

  private:
    void use_columns(const data::Preprocessing& p);
    void use_comparators(const data::Preprocessing& p);
    void use_binary_steps(const data::Preprocessing& p);
    void step_for_thresholds(const data::Preprocessing& p, std::size_t column);
    void quantise_together(const data::Preprocessing& p);
    void quantise_for_thresholds(const data::Preprocessing& p, std::size_t column);
    void set_ranges(const data::Preprocessing& p);
    void choose_type(const data::ColumnStats& columns, bool sparse);
};

}  // namespace bitbayes::clip

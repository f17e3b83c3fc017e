// Clipping and folding: from a posterior and its preprocessing to the network on integers.
//
// Integer inputs:
//   center, none, if every varying column holds whole numbers within int16:
//       x_j as it is (rounded and saturated, should later data differ)
//   center, none, standardize otherwise:
//       x_j = round(u_j / step), u_j the preprocessed value, one step for all columns
//   thermometer:
//       b_jk = +1 iff q_j(x_j) > q_j(threshold_jk); q_j is the identity for columns of whole numbers
//       within int16, else 65,533 steps from the lowest threshold to the highest, saturated
// Folding: t_i = ceil((sum_j W_ij m_j - W_ic s) / unit), in one function: fold_threshold.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "data/preprocess.hpp"
#include "learn/model_state.hpp"
#include "packed/inference.hpp"
#include "packed/integer_network.hpp"

namespace bitbayes::learn {

/// How raw values become the int16 inputs of the clipped network.
struct IntegerInputs {
    const data::Preprocessing* preprocessing = nullptr;
    bool raw = true;  // whole-number columns enter as they are
    double step = 1;  // else: in units of the preprocessed value
    /// Thermometer: q_j(x) = round((x - origin_j) / column_step_j).
    std::vector<double> origin, column_step;
    std::vector<std::int16_t> integer_threshold;  // thermometer: q_j(threshold_jk)

    explicit IntegerInputs(const data::Preprocessing& preprocessing);

    /// Inputs without the constant.
    std::size_t inputs() const;
    void dense(std::span<const double> row, std::span<std::int16_t> out) const;
    /// One input; not for thermometer.
    std::int16_t single(std::size_t column, double value) const;

  private:
    void quantise_column(std::size_t column);
};

/// Output trees first .. first + count - 1.
struct TreeRange {
    std::size_t first = 0;
    std::size_t count = 0;
};

class ClippedNetwork {
  public:
    explicit ClippedNetwork(const ModelState& model);  // keeps a reference to model.preprocessing
    ClippedNetwork(const ModelState& model, TreeRange trees);
    ClippedNetwork(const ClippedNetwork&) = delete;
    ClippedNetwork& operator=(const ClippedNetwork&) = delete;

    /// Of each of its outputs.
    std::vector<std::int64_t> scores(const Dataset& data, std::size_t row) const;
    packed::IntegerAnswer answer(const Dataset& data, std::size_t row) const {
        return packed::IntegerNetwork::answer(scores(data, row));
    }
    const packed::IntegerNetwork& network() const { return network_; }
    const IntegerInputs& inputs() const { return inputs_; }

  private:
    IntegerInputs inputs_;
    packed::IntegerNetwork network_;
    packed::Inference inference_;
};

}  // namespace bitbayes::learn

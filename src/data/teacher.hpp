// Teacher networks: random +-1 inputs, labelled by a random MxMx1 network of sign neurons with +-1
// weights.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "bitbayes/types/reading.hpp"

namespace bitbayes::data {

inline constexpr std::size_t kTeacherTrainRows = 200000, kTeacherTestRows = 10000;

/// teacher:M[:SEED]; Error(kUsage) if that is malformed.
LoadedData load_teacher(const std::string& name, std::size_t max_memory = 0);

LoadedData make_teacher(std::size_t m, std::uint64_t seed, std::size_t train_rows,
                        std::size_t test_rows);

}  // namespace bitbayes::data

// Training options as text, and their validation: carries out what the table in
// bitbayes/types/options.hpp declares.
#pragma once

#include <string>
#include <string_view>

#include "bitbayes/types/options.hpp"

namespace bitbayes::options {

/// Error(kInternal) if the table has no such option.
const TrainOption& find(std::string_view name);

/// The value of an option as set() reads it: "15,9" (an empty tree: "single"), "0.1", "true"; "auto"
/// or "" if it was not given.
std::string text(const TrainOptions& options, const TrainOption& option);

/// Reads a value. Error(kUsage) that begins with `label`, the name of the option as the caller
/// writes it.
void set(TrainOptions& options, const TrainOption& option, const std::string& value,
         const std::string& label);

/// Error(kUsage) for a value out of its range, or for options that contradict each other.
void validate(const TrainOptions& options);

/// The N of `augment` "shift:N"; 0 without. Error(kUsage) for other text.
std::size_t shift_of(const TrainOptions& options);

/// "mfb", "backprop"
const char* name_of(Algorithm algorithm);

}  // namespace bitbayes::options

// The flags of the command line, by the names that the library has for its options.
#pragma once

#include <string>

#include "bitbayes/types/options.hpp"

namespace bitbayes::cli {

/// The default of an option that is a flag without a value; null for others.
const bool* default_of_flag(const TrainOption& option, const TrainOptions& defaults);

/// --evidence, --dense-ok; --no-bias, where the option is on by default.
std::string flag_of(const TrainOption& option);

/// Replaces option names in `backticks`, as library errors and notes have them, by flags.
std::string with_flags(const std::string& text);

}  // namespace bitbayes::cli

// Names of exports: the prefix of every name in C and Verilog, and of files.
#pragma once

#include <string>
#include <string_view>

namespace bitbayes::emit {

/// Error(kUsage) unless `name` is a letter, then letters, digits and '_', at most 32 characters,
/// and neither it nor a name that it starts means something else: to C, its library and headers, to
/// Verilog, or in the files of runtime/.
void check_name(const std::string& name);

std::string upper_case(std::string text);
std::string lower_case(std::string text);

}  // namespace bitbayes::emit

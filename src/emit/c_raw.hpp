// Exported C that takes values as the table has them: whole numbers, or fixed point with a power of two as
// its scale. Its tables are those of the quantiser.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "emit/c_plan.hpp"
#include "packed/network.hpp"

namespace bitbayes::emit {

/// The tables of runtime/c/raw.c; none if the quantiser has no raw values.
std::vector<CTable> raw_tables(const packed::Quantiser& quantiser);

/// What runtime/c/raw.c is filled in with.
std::map<std::string, std::string> raw_values(const packed::Quantiser& quantiser,
                                              const std::string& name);

/// What README.md says about it.
std::string raw_text(const packed::Network& network, const std::string& name);

}  // namespace bitbayes::emit

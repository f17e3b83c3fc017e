// What the READMEs of exports say about a network.
#pragma once

#include <string>

#include "packed/network.hpp"

namespace bitbayes::emit {

/// Its shape and its classes.
std::string network_text(const packed::Network& network);

/// How a value of the table becomes a column: "round(value), ...".
std::string value_formula(const packed::Quantiser& quantiser);

/// The columns that are not read, and the constants of the formula.
std::string columns_text(const packed::Network& network);

std::string missing_text(const packed::Quantiser& quantiser);

}  // namespace bitbayes::emit

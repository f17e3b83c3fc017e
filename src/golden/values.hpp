// Numbers of golden vectors out of JSON, with their shapes checked, and how far ours are from them.
#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

namespace bitbayes::golden {

/// `value` if it is a list of `size`; else Error(kData) that names `what`.
const nlohmann::json& list_of(const nlohmann::json& value, std::size_t size,
                              const std::string& what);

/// A list of `size` numbers.
std::vector<double> row_of(const nlohmann::json& value, std::size_t size, const std::string& what);

/// A list of `rows` lists of `columns` numbers, row-major.
std::vector<double> matrix_of(const nlohmann::json& value, std::size_t rows, std::size_t columns,
                              const std::string& what);

/// All numbers of nested lists.
std::vector<double> flat_numbers(const nlohmann::json& value);

/// A list of whole numbers above 0.
std::vector<std::size_t> counts_of(const nlohmann::json& value, const std::string& what);

/// Largest |error| / max(1, |expected|); the largest double where a number is not finite or the
/// counts differ, so that JSON can hold it.
double scaled_error(std::span<const double> expected, std::span<const double> got);

}  // namespace bitbayes::golden

#include "golden/values.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "bitbayes/types/error.hpp"

namespace bitbayes::golden {

using nlohmann::json;

namespace {

constexpr int kMaxDepth = 8;

void flatten(const json& value, int depth, std::vector<double>& out) {
    if (depth > kMaxDepth) throw Error(ErrorCode::kData, "lists are nested too deep");
    if (!value.is_array()) {
        out.push_back(value.get<double>());
        return;
    }
    for (const json& element : value) flatten(element, depth + 1, out);
}

}  // namespace

const json& list_of(const json& value, std::size_t size, const std::string& what) {
    if (!value.is_array() || value.size() != size)
        throw Error(ErrorCode::kData, what + " must be a list of " + std::to_string(size));
    return value;
}

std::vector<double> row_of(const json& value, std::size_t size, const std::string& what) {
    return list_of(value, size, what).get<std::vector<double>>();
}

std::vector<double> matrix_of(const json& value, std::size_t rows, std::size_t columns,
                              const std::string& what) {
    std::vector<double> out;
    for (const json& row : list_of(value, rows, what)) {
        const auto numbers = row_of(row, columns, "each row of " + what);
        out.insert(out.end(), numbers.begin(), numbers.end());
    }
    return out;
}

std::vector<double> flat_numbers(const json& value) {
    std::vector<double> out;
    flatten(value, 0, out);
    return out;
}

std::vector<std::size_t> counts_of(const json& value, const std::string& what) {
    std::vector<std::size_t> out;
    for (const json& count : list_of(value, value.size(), what)) {
        if (!count.is_number_unsigned() || count == 0)
            throw Error(ErrorCode::kData, what + " must be whole numbers above 0");
        out.push_back(count.get<std::size_t>());
    }
    return out;
}

double scaled_error(std::span<const double> expected, std::span<const double> got) {
    constexpr double kHopeless = std::numeric_limits<double>::max();
    if (expected.size() != got.size()) return kHopeless;
    double worst = 0;
    for (std::size_t i = 0; i < expected.size(); ++i) {
        const double error =
            std::fabs(got[i] - expected[i]) / std::max(1.0, std::fabs(expected[i]));
        worst = std::max(worst, std::isfinite(error) ? error : kHopeless);
    }
    return worst;
}

}  // namespace bitbayes::golden

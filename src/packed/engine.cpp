#include "packed/engine.hpp"

#include <algorithm>
#include <vector>

namespace bitbayes::packed {

void Engine::scores(std::span<const std::int16_t> columns, std::span<std::int64_t> scores) const {
    const std::size_t width = network_.quantiser.columns(), rows = scores.size() / outputs();
    for (std::size_t row = 0; row < rows; ++row) {
        const auto result = network_.scores(columns.subspan(row * width, width));
        std::copy(result.begin(), result.end(), scores.begin() + std::ptrdiff_t(row * outputs()));
    }
}

void Engine::scores(std::span<const std::uint8_t> columns, std::span<std::int64_t> scores) const {
    this->scores(std::vector<std::int16_t>(columns.begin(), columns.end()), scores);
}

void Engine::scores(std::span<const ColumnValue> row, std::span<std::int64_t> scores) const {
    std::vector<std::int16_t> columns(network_.quantiser.columns());
    for (const auto& [column, value] : row) {
        if (column < columns.size()) columns[column] = value;
    }
    this->scores(columns, scores);
}

}  // namespace bitbayes::packed

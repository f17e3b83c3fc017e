#include "packed/runner.hpp"

#include "bitbayes/types/rows.hpp"
#include "packed/packed_answers.hpp"

namespace bitbayes::packed {

Answer Runner::answer(std::span<const double> row) const {
    const Rows rows(DenseView<double>{row.data(), static_cast<std::ptrdiff_t>(row.size()), 1}, 1,
                    row.size());
    check_columns(network_, rows);
    auto scratch = pool_.take();
    scratch->columns.resize(network_.quantiser.columns());
    scratch->scores.resize(engine_.outputs());
    if (network_.source) {
        quantise_rows(network_, rows, 0, scratch->columns);
    } else {
        network_.quantiser(row, scratch->columns);
    }
    engine_.scores(scratch->columns, scratch->scores);
    Answer answer = Network::answer(scratch->scores);
    answer.outside = network_.quantiser.outside(row);
    return answer;
}

}  // namespace bitbayes::packed

#include "learn/packed_answers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "bitbayes/error.hpp"
#include "data/preprocess.hpp"
#include "data/split.hpp"

namespace bitbayes::learn {
namespace {

constexpr std::size_t kBlock = 256;

/// Bytes that may go to the engine as they are.
const std::uint8_t* as_bytes(const packed::Network& network, const Dataset& data) {
    const auto* bytes = std::get_if<std::vector<std::uint8_t>>(&data.values);
    const bool whole = network.quantiser.step.empty();
    const bool same = network.quantiser.type == packed::ColumnType::kU8 && whole;
    return bytes && same && data.features == network.quantiser.columns() ? bytes->data() : nullptr;
}

void score_sparse_row(const packed::Engine& engine, const SparseRows& rows, std::size_t row,
                      std::span<std::int64_t> scores) {
    const packed::Quantiser& quantiser = engine.network().quantiser;
    std::vector<packed::ColumnValue> entries;
    for (std::size_t e = rows.row_start[row]; e < rows.row_start[row + 1]; ++e) {
        const std::uint32_t j = rows.column[e];
        if (j >= quantiser.columns()) continue;
        const std::int16_t value = quantiser(j, rows.value[e]);
        if (value != 0) entries.push_back({j, value});
    }
    engine.scores(entries, scores);
}

double share(std::size_t part, std::size_t whole) {
    return whole == 0 ? std::nan("") : static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace

void check_columns(const packed::Network& network, const Dataset& data) {
    data::check_columns(data, network.quantiser.columns());
}

void quantise_rows(const packed::Network& network, const Dataset& data, std::size_t first,
                   std::span<std::int16_t> columns) {
    const std::size_t n = network.quantiser.columns();
    std::vector<double> values(n);
    for (std::size_t r = 0; (r + 1) * n <= columns.size(); ++r) {
        data::dense_row(data, first + r, values);
        for (std::size_t j = 0; j < n; ++j) columns[r * n + j] = network.quantiser(j, values[j]);
    }
}

void score_rows(const packed::Engine& engine, const Dataset& data, std::size_t first,
                std::span<std::int64_t> scores) {
    const packed::Network& network = engine.network();
    const std::size_t outputs = network.outputs(), rows = scores.size() / outputs;
    if (const auto* sparse = std::get_if<SparseRows>(&data.values); sparse && network.sparse) {
        for (std::size_t r = 0; r < rows; ++r) {
            score_sparse_row(engine, *sparse, first + r, scores.subspan(r * outputs, outputs));
        }
    } else if (const auto* bytes = as_bytes(network, data)) {
        engine.scores(std::span(bytes + first * data.features, rows * data.features), scores);
    } else {
        std::vector<std::int16_t> columns(rows * network.quantiser.columns());
        quantise_rows(network, data, first, columns);
        engine.scores(columns, scores);
    }
}

std::vector<std::int64_t> packed_scores(const packed::Network& network, const Dataset& data,
                                        ThreadTeam& team) {
    const packed::Engine engine(network);
    const std::size_t outputs = network.outputs();
    std::vector<std::int64_t> scores(data.rows * outputs);
    team.run((data.rows + kBlock - 1) / kBlock, [&](std::size_t block) {
        const std::size_t first = block * kBlock, rows = std::min(kBlock, data.rows - first);
        score_rows(engine, data, first, std::span(scores).subspan(first * outputs, rows * outputs));
    });
    return scores;
}

std::vector<packed::Answer> packed_answers(const packed::Network& network, const Dataset& data,
                                           ThreadTeam& team) {
    check_columns(network, data);
    const auto scores = packed_scores(network, data, team);
    const std::size_t outputs = network.outputs();
    std::vector<packed::Answer> answers;
    answers.reserve(data.rows);
    for (std::size_t r = 0; r < data.rows; ++r) {
        answers.push_back(packed::Network::answer(std::span(scores).subspan(r * outputs, outputs)));
    }
    return answers;
}

Answer map_answer(const packed::Answer& answer, std::int64_t abstain_below) {
    return {.class_index = answer.class_index,
            .probability = std::nan(""),
            .validity = answer.legal ? 1.0 : 0.0,
            .margin = static_cast<double>(answer.margin),
            .known = answer.margin >= abstain_below};
}

PackedEvaluation evaluate_packed(const packed::Network& network, const Dataset& data,
                                 ThreadTeam& team) {
    const auto labels = data::labels_among(data, network.class_names);
    const auto answers = packed_answers(network, data, team);
    const std::size_t classes = network.class_names.size();
    PackedEvaluation result;
    result.confusion.assign(classes, std::vector<std::uint64_t>(classes));
    std::size_t errors = 0, legal = 0, accepted = 0, accepted_errors = 0;
    for (std::size_t r = 0; r < answers.size(); ++r) {
        const bool wrong = answers[r].class_index != labels[r];
        const bool known = answers[r].margin >= network.abstain_below;
        errors += wrong;
        legal += answers[r].legal;
        accepted += known;
        accepted_errors += known && wrong;
        ++result.confusion[labels[r]][answers[r].class_index];
    }
    result.rows = answers.size();
    result.error_map = share(errors, result.rows);
    result.legal = share(legal, result.rows);
    result.abstained = share(result.rows - accepted, result.rows);
    result.error_accepted = share(accepted_errors, accepted);
    return result;
}

AbstainChoice choose_abstention(const packed::Network& network, const Dataset& data, double rate,
                                ThreadTeam& team) {
    struct Count {
        std::size_t rows = 0, errors = 0;
    };
    const auto labels = data::labels_among(data, network.class_names);
    const auto answers = packed_answers(network, data, team);
    std::map<std::int64_t, Count> with_margin;
    Count accepted;
    for (std::size_t r = 0; r < answers.size(); ++r) {
        const bool wrong = answers[r].class_index != labels[r];
        for (Count* count : {&with_margin[answers[r].margin], &accepted}) {
            ++count->rows;
            count->errors += wrong;
        }
    }
    std::int64_t below = 0;
    for (const auto& [margin, count] : with_margin) {
        const double error = share(accepted.errors, accepted.rows);
        if (error < rate) return {below, 1 - share(accepted.rows, answers.size()), error};
        accepted.rows -= count.rows;
        accepted.errors -= count.errors;
        below = margin + 1;
    }
    throw Error(ErrorCode::kData,
                fmt::format("{}: no margin brings the error of the accepted rows below {}",
                            data.name, rate),
                "a higher --abstain, or a better network");
}

}  // namespace bitbayes::learn

#include "packed/packed_answers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "bitbayes/types/error.hpp"
#include "rows/class_counts.hpp"
#include "rows/labels.hpp"

namespace bitbayes::packed {
namespace {

/// Rows that one job scores: at most kRowsPerJob, and at most kScoresPerJob scores unless it is a
/// single row.
constexpr std::size_t kRowsPerJob = 256, kScoresPerJob = 1 << 20;

/// The bytes of the table if the engine can read them directly, else null.
const std::uint8_t* as_bytes(const Network& network, const Rows& data) {
    const auto* bytes = std::get_if<DenseView<std::uint8_t>>(&data.values());
    const auto features = static_cast<std::ptrdiff_t>(data.features());
    const bool plain = bytes && bytes->column_stride == 1 && bytes->row_stride == features;
    const bool whole = network.quantiser.step.empty();
    const bool same = network.quantiser.type == ColumnType::kU8 && whole;
    const bool all = !network.source && data.features() == network.quantiser.columns();
    return plain && same && all ? bytes->data : nullptr;
}

/// Calls visit(column, value) for the values of a row that are not 0, with the network's columns; those
/// of columns that it does not have are left out.
template <class Visit>
void for_each_known(const Network& network, const Rows& rows, std::size_t row, const Visit& visit) {
    if (!network.source) {
        rows.for_each_nonzero(row, [&](std::size_t j, double x) {
            if (j < network.quantiser.columns()) visit(j, x);
        });
        return;
    }
    const auto& source = network.source->column;
    auto at = source.begin();
    rows.for_each_nonzero(row, [&](std::size_t j, double x) {
        at = std::lower_bound(at, source.end(), j);
        if (at != source.end() && *at == j) visit(static_cast<std::size_t>(at - source.begin()), x);
    });
}

/// A row in the network's columns.
void copy_known(const Network& network, const Rows& rows, std::size_t row,
                std::span<double> values) {
    if (!network.source) return rows.copy_row(row, values);
    std::fill(values.begin(), values.end(), 0);
    for_each_known(network, rows, row, [&](std::size_t j, double x) { values[j] = x; });
}

void score_sparse_row(const Engine& engine, const Rows& rows, std::size_t row,
                      std::span<std::int64_t> scores) {
    const Network& network = engine.network();
    std::vector<ColumnValue> entries;
    for_each_known(network, rows, row, [&](std::size_t j, double x) {
        const std::int16_t value = network.quantiser(j, x);
        if (value != 0) entries.push_back({static_cast<std::uint32_t>(j), value});
    });
    engine.scores(entries, scores);
}

bool any_byte_is_inside(const Quantiser& quantiser) {
    return std::all_of(quantiser.low.begin(), quantiser.low.end(), [](auto x) { return x <= 0; }) &&
           std::all_of(quantiser.high.begin(), quantiser.high.end(),
                       [](auto x) { return x >= 255; });
}

/// Calls visit(row) for the rows from `first` on that hold a value far beyond those of training.
template <class Visit>
void for_each_outside(const Network& network, const Rows& data, Range rows, const Visit& visit) {
    const Quantiser& quantiser = network.quantiser;
    if (quantiser.low.empty() || (as_bytes(network, data) && any_byte_is_inside(quantiser))) return;
    std::vector<double> values(quantiser.columns());
    for (std::size_t r = rows.first; r < rows.end(); ++r) {
        data.copy_row(r, values);
        if (quantiser.outside(values)) visit(r);
    }
}

double share(std::size_t part, std::size_t whole) {
    return whole == 0 ? std::nan("") : static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace

void check_columns(const Network& network, const Rows& data) {
    bitbayes::check_columns(data, network.features(), network.table);
}

void quantise_rows(const Network& network, const Rows& data, std::size_t first,
                   std::span<std::int16_t> columns) {
    const std::size_t n = network.quantiser.columns();
    std::vector<double> values(n);
    for (std::size_t r = 0; (r + 1) * n <= columns.size(); ++r) {
        copy_known(network, data, first + r, values);
        network.quantiser(values, columns.subspan(r * n, n));
    }
}

std::vector<std::int32_t> raw_rows(const Network& network, const Rows& data) {
    const Quantiser& quantiser = network.quantiser;
    std::vector<std::int32_t> raw;
    if (!quantiser.has_raw()) return raw;
    std::vector<double> values(quantiser.columns());
    for (std::size_t r = 0; r < data.size(); ++r) {
        copy_known(network, data, r, values);
        for (std::size_t j = 0; j < values.size(); ++j) raw.push_back(quantiser.raw(j, values[j]));
    }
    return raw;
}

void score_rows(const Engine& engine, const Rows& data, std::size_t first,
                std::span<std::int64_t> scores) {
    const Network& network = engine.network();
    const std::size_t outputs = network.outputs(), rows = scores.size() / outputs;
    if (data.sparse() && network.sparse) {
        for (std::size_t r = 0; r < rows; ++r) {
            score_sparse_row(engine, data, first + r, scores.subspan(r * outputs, outputs));
        }
    } else if (const auto* bytes = as_bytes(network, data)) {
        const std::size_t features = data.features();
        engine.scores(std::span(bytes + first * features, rows * features), scores);
    } else {
        std::vector<std::int16_t> columns(rows * network.quantiser.columns());
        quantise_rows(network, data, first, columns);
        engine.scores(columns, scores);
    }
}

void for_each_scores(const Engine& engine, const Rows& data, Range rows, ThreadTeam& team,
                     unsigned threads, const ScoreVisitor& visit) {
    check_columns(engine.network(), data);
    const std::size_t outputs = engine.outputs();
    const std::size_t at_once = std::clamp<std::size_t>(kScoresPerJob / outputs, 1, kRowsPerJob);
    team.run((rows.count + at_once - 1) / at_once,
             [&](std::size_t job) {
                 const std::size_t first = rows.first + job * at_once;
                 std::vector<std::int64_t> scores(std::min(at_once, rows.end() - first) * outputs);
                 score_rows(engine, data, first, scores);
                 visit(first, scores);
             },
             threads);
}

std::vector<std::int64_t> scores_of(const Engine& engine, const Rows& data, ThreadTeam& team,
                                    unsigned threads) {
    const std::size_t outputs = engine.outputs();
    std::vector<std::int64_t> all(data.size() * outputs);
    for_each_scores(engine, data, {0, data.size()}, team, threads,
                    [&](std::size_t first, std::span<const std::int64_t> scores) {
                        std::copy(scores.begin(), scores.end(), all.data() + first * outputs);
                    });
    return all;
}

std::vector<packed::Answer> answers_of(const Engine& engine, const Rows& data, ThreadTeam& team,
                                       unsigned threads) {
    const std::size_t outputs = engine.outputs();
    std::vector<packed::Answer> answers(data.size());
    for_each_scores(engine, data, {0, data.size()}, team, threads,
                    [&](std::size_t first, std::span<const std::int64_t> scores) {
                        for (std::size_t r = 0; r * outputs < scores.size(); ++r) {
                            answers[first + r] =
                                Network::answer(scores.subspan(r * outputs, outputs));
                        }
                        for_each_outside(engine.network(), data, {first, scores.size() / outputs},
                                         [&](std::size_t r) { answers[r].outside = true; });
                    });
    return answers;
}

bool is_known(const packed::Answer& answer, std::int64_t abstain_below) {
    return answer.margin >= abstain_below && !answer.outside;
}

std::size_t rows_outside(const Network& network, const Rows& data) {
    std::size_t count = 0;
    for_each_outside(network, data, {0, data.size()}, [&](std::size_t) { ++count; });
    return count;
}

bitbayes::Answer map_answer(const packed::Answer& answer, std::int64_t abstain_below) {
    return {.class_index = answer.class_index,
            .probability = std::nan(""),
            .validity = answer.legal ? 1.0 : 0.0,
            .margin = static_cast<double>(answer.margin),
            .known = is_known(answer, abstain_below)};
}

PackedEvaluation evaluate(const Engine& engine, const LabelledRows& data, ThreadTeam& team,
                          unsigned threads) {
    const Network& network = engine.network();
    const auto labels = labels_among(data, network.class_names);
    const auto answers = answers_of(engine, data.rows, team, threads);
    PackedEvaluation result;
    const std::size_t classes = network.class_names.size();
    result.confusion = Confusion(classes);
    ClassCounts counts(classes);
    std::size_t errors = 0, legal = 0, accepted = 0, accepted_errors = 0;
    for (std::size_t r = 0; r < answers.size(); ++r) {
        const bool wrong = answers[r].class_index != labels[r];
        const bool known = is_known(answers[r], network.abstain_below);
        result.outside += answers[r].outside;
        errors += wrong;
        legal += answers[r].legal;
        accepted += known;
        accepted_errors += known && wrong;
        counts.add(labels[r], answers[r].class_index);
        result.confusion.add(labels[r], answers[r].class_index);
    }
    result.rows = answers.size();
    result.error_map = share(errors, result.rows);
    result.legal = share(legal, result.rows);
    result.abstained = share(result.rows - accepted, result.rows);
    result.error_accepted = share(accepted_errors, accepted);
    result.per_class = counts.figures();
    result.macro = macro_average(result.per_class);
    return result;
}

AbstainChoice choose_abstention(const Engine& engine, const LabelledRows& data, double rate,
                                ThreadTeam& team, unsigned threads) {
    struct Count {
        std::size_t rows = 0, errors = 0;
    };
    const auto labels = labels_among(data, engine.network().class_names);
    const auto answers = answers_of(engine, data.rows, team, threads);
    std::map<std::int64_t, Count> with_margin;
    Count accepted;
    for (std::size_t r = 0; r < answers.size(); ++r) {
        if (answers[r].outside) continue;  // never accepted
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
                            data.rows.name(), rate),
                "a higher rate, or a better network");
}

}  // namespace bitbayes::packed

// Preprocessing::fit: the statistics of the training rows, the choice that `auto` makes, scales and
// thresholds.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>

#include "bitbayes/types/error.hpp"
#include "data/budget.hpp"
#include "data/column.hpp"
#include "data/preprocess.hpp"

namespace bitbayes::data {
namespace {

constexpr std::size_t kAutoLevels = 8;
constexpr std::size_t kMaxLevels = 1000;
constexpr std::size_t kManyColumns = 64;
constexpr double kEvenScales = 10;

struct Choice {
    PreprocessKind kind = PreprocessKind::kNone;
    std::size_t levels = 0;
    std::string reason;
};

/// What the choice and the scales need besides ColumnStats, one element per column.
struct Moments {
    std::vector<double> mean, squares;  // squares: the sum of squared deviations from the mean
    std::vector<double> present;        // how many values are not missing
    bool two_valued = true;             // no column has more than two values

    double deviation(std::size_t j) const { return std::sqrt(squares[j] / present[j]); }
};

bool whole(double v) {
    constexpr double kAllWhole = 0x1p53;
    return v >= kAllWhole || v <= -kAllWhole ||
           static_cast<double>(static_cast<std::int64_t>(v)) == v;
}

bool holds_signs(const Column& column) {
    return column.value.size() == 2 && column.value[0] == -1 && column.value[1] == 1;
}

bool is_categorical(const Rows& training, std::size_t j) {
    return !training.categories().empty() && !training.categories()[j].empty();
}

/// With `kept`, columns that do not vary are left out, and the others are listed there.
Moments scan(const Rows& training, ColumnStats& stats, Preprocessing::Kept* kept) {
    Moments moments;
    stats.signs = true;
    const auto visit = [&](std::size_t j, const Column& column) {
        if (kept != nullptr && column.constant()) return;
        if (kept != nullptr) kept->column.push_back(static_cast<std::uint32_t>(j));
        const bool empty = column.value.empty();
        stats.minimum.push_back(empty ? 0 : column.value.front());
        stats.maximum.push_back(empty ? 0 : column.value.back());
        stats.median.push_back(empty ? 0
                               : is_categorical(training, j)
                                   ? column.most_frequent()
                                   : column.at_rank((column.present - 1) / 2));
        stats.integer.push_back(std::all_of(column.value.begin(), column.value.end(), whole));
        const double mean = column.mean();
        moments.mean.push_back(mean);
        moments.squares.push_back(column.squared_deviations(mean));
        moments.present.push_back(static_cast<double>(column.present));
        moments.two_valued = moments.two_valued && column.value.size() <= 2;
        stats.signs = stats.signs && (column.value.size() <= 1 || holds_signs(column));
    };
    for_each_column(training, visit, kept == nullptr);
    return moments;
}

Choice parse_choice(const std::string& text) {
    const std::string reason = "asked for";
    if (text == "none") return {PreprocessKind::kNone, 0, reason};
    if (text == "center") return {PreprocessKind::kCenter, 0, reason};
    if (text == "standardize") return {PreprocessKind::kStandardize, 0, reason};
    const std::string prefix = "thermometer:";
    if (text.starts_with(prefix)) {
        std::size_t levels = 0;
        const char* end = text.data() + text.size();
        const auto [stop, problem] = std::from_chars(text.data() + prefix.size(), end, levels);
        if (problem == std::errc{} && stop == end && levels >= 1 && levels <= kMaxLevels) {
            return {PreprocessKind::kThermometer, levels, reason};
        }
    }
    throw Error(ErrorCode::kUsage, fmt::format("unknown preprocessing '{}'", text),
                fmt::format("auto, center, standardize, none, or thermometer:N with N from 1 to {}",
                            kMaxLevels));
}

Choice choose_for_table(const Rows& training, const ColumnStats& stats, const Moments& moments) {
    const auto thermometer_because = [&](const std::string& reason) {
        return Choice{PreprocessKind::kThermometer, kAutoLevels, reason};
    };
    if (training.features() < kManyColumns) {
        return thermometer_because(
            fmt::format("table of {} columns, fewer than {}", training.features(), kManyColumns));
    }
    std::vector<double> deviations;
    for (std::size_t j = 0; j < training.features(); ++j) {
        if (!stats.constant(j)) deviations.push_back(moments.deviation(j));
    }
    std::sort(deviations.begin(), deviations.end());
    const double ratio = deviations.back() / deviations[(deviations.size() - 1) / 2];
    const std::string spread =
        fmt::format("table of {} columns, largest standard deviation {:.3g} times the median one",
                    training.features(), ratio);
    if (ratio <= kEvenScales) return {PreprocessKind::kCenter, 0, spread};
    return thermometer_because(spread);
}

Choice choose(const Rows& training, const ColumnStats& stats, const Moments& moments) {
    if (training.sparse()) return {PreprocessKind::kNone, 0, "sparse data"};
    if (training.kind() == DataKind::kTeacher) return {PreprocessKind::kNone, 0, "teacher data"};
    if (training.kind() == DataKind::kImages) return {PreprocessKind::kCenter, 0, "images"};
    if (!training.categories().empty()) {
        return {PreprocessKind::kThermometer, kAutoLevels, "a table with columns of words"};
    }
    if (moments.two_valued) {
        return {PreprocessKind::kCenter, 0, "at most two values in every column"};
    }
    return choose_for_table(training, stats, moments);
}

double checked_scale(double scale, const Rows& training) {
    if (scale > 0 && std::isfinite(scale)) return scale;
    throw Error(ErrorCode::kData,
                fmt::format("{}: values too large or too small to be scaled", training.name()),
                "rescale the columns, or use `preprocess` thermometer:8");
}

double sum(const std::vector<double>& values) {
    double total = 0;
    for (const double v : values) total += v;
    return total;
}

std::vector<double> center_scale(const Rows& training, const ColumnStats& stats,
                                 const Moments& moments) {
    bool varies = false;
    for (std::size_t j = 0; j < training.features(); ++j) varies = varies || !stats.constant(j);
    if (!varies) return {1};
    return {checked_scale(std::sqrt(sum(moments.squares) / sum(moments.present)), training)};
}

std::vector<double> column_scales(const Rows& training, const ColumnStats& stats,
                                  const Moments& moments) {
    std::vector<double> scale;
    for (std::size_t j = 0; j < training.features(); ++j) {
        scale.push_back(stats.constant(j) ? 1 : checked_scale(moments.deviation(j), training));
    }
    return scale;
}

/// Midway between value i and the next, or `reach` beyond value i if that is less; at least value i and
/// below the next. Whole in columns of whole numbers, which are compared as such, and -1 in those of
/// signs.
double midway(const Column& column, std::size_t i, bool integer, double reach) {
    const double low = column.value[i], high = column.value[i + 1];
    if (holds_signs(column)) return low;
    const double middle = std::min(std::midpoint(low, high), low + reach);
    const double threshold = integer ? std::floor(middle) : middle;
    return threshold < high ? threshold : low;
}

/// A gap next to an outlier must not stretch the thresholds so far that steps of the clipped network
/// (1 / 32,766 of the largest) no longer resolve the smallest gap.
std::vector<double> thresholds_of(const Column& column, std::size_t levels, bool words,
                                  bool integer) {
    constexpr double kReach = 2048;
    if (column.constant()) return {};
    if (words) return column.value;
    std::vector<std::size_t> below;  // values that thresholds lie above
    double smallest = std::numeric_limits<double>::infinity();
    for (std::size_t k = 1; k <= levels; ++k) {
        const std::size_t quantile = column.index_at_rank((column.present - 1) * k / (levels + 1));
        const std::size_t i = std::min(quantile, column.value.size() - 2);
        if (!below.empty() && below.back() == i) continue;
        below.push_back(i);
        smallest = std::min(smallest, column.value[i + 1] - column.value[i]);
    }
    std::vector<double> thresholds;
    for (const std::size_t i : below) {
        thresholds.push_back(midway(column, i, integer, kReach * smallest));
    }
    return thresholds;
}

double rows_above(const Column& column, double threshold) {
    double above = 0;
    for (std::size_t i = column.value.size(); column.value[i - 1] > threshold; --i) {
        above += static_cast<double>(column.count[i - 1]);
    }
    return above;
}

double rows_at(const Column& column, double value) {
    const auto found = std::lower_bound(column.value.begin(), column.value.end(), value);
    return static_cast<double>(
        column.count[static_cast<std::size_t>(found - column.value.begin())]);
}

/// Drops the thresholds, and what `on` and `present` say of them, that are not to be kept.
void keep_best(const Rows& training, const PreprocessOptions& options, Preprocessing& p,
               std::vector<double>& on, std::vector<double>& present) {
    const auto keep = best_thresholds(training, p, options.labels, options.thermometer_budget);
    std::size_t kept = 0;
    for (std::size_t j = 0; j + 1 < p.threshold_start.size(); ++j) {
        const std::size_t first = p.threshold_start[j], last = p.threshold_start[j + 1];
        p.threshold_start[j] = kept;
        for (std::size_t k = first; k < last; ++k) {
            if (keep[k] == 0) continue;
            p.thresholds[kept] = p.thresholds[k];
            on[kept] = on[k];
            present[kept++] = present[k];
        }
    }
    p.threshold_start.back() = kept;
    for (auto* values : {&p.thresholds, &on, &present}) values->resize(kept);
}

void fit_thermometer(const Rows& training, const PreprocessOptions& options, Preprocessing& p) {
    std::vector<double> on, present;  // rows where a threshold is on, and rows that have a value
    p.threshold_start.push_back(0);
    for_each_column(training, [&](std::size_t j, const Column& column) {
        for (const double threshold :
             thresholds_of(column, p.levels, p.holds_words(j), p.columns.integer[j] != 0)) {
            p.thresholds.push_back(threshold);
            on.push_back(p.holds_words(j) ? rows_at(column, threshold)
                                          : rows_above(column, threshold));
            present.push_back(static_cast<double>(column.present));
        }
        p.threshold_start.push_back(p.thresholds.size());
    });
    if (options.thermometer_budget > 0 && options.thermometer_budget < p.thresholds.size()) {
        keep_best(training, options, p, on, present);
    }
    double squares = 0, count = 0;
    for (std::size_t k = 0; k < on.size(); ++k) {
        const double n = present[k];
        p.mean.push_back((2 * on[k] - n) / n);
        squares += 4 * on[k] * (n - on[k]) / n;
        count += n;
    }
    p.scale = {count > 0 ? std::sqrt(squares / count) : 1};
}

bool needs_steps(const Preprocessing& p) {
    if (p.kind == PreprocessKind::kStandardize) return false;
    for (std::size_t j = 0; j < p.columns.size(); ++j) {
        if (p.reads(j) && !p.columns.small_whole(j)) return true;
    }
    return false;
}

/// Names the first row with an infinite value, if the columns have one.
void refuse_infinite(const Rows& training, const ColumnStats& stats,
                     const std::vector<std::uint32_t>& kept) {
    for (std::size_t j = 0; j < stats.size(); ++j) {
        if (std::isfinite(stats.minimum[j]) && std::isfinite(stats.maximum[j])) continue;
        const std::size_t column = kept.empty() ? j : kept[j];
        std::size_t row = 0;
        const auto is_infinite = [&] {
            bool found = false;
            training.for_each_nonzero(row, [&](std::size_t k, double x) {
                found = found || (k == column && std::isinf(x));
            });
            return found;
        };
        while (!is_infinite()) ++row;
        throw Error(ErrorCode::kData,
                    fmt::format("{}, column {}: an infinite value", training.where(row), column),
                    "replace it by a number, or by NaN for a missing value");
    }
}

}  // namespace

Preprocessing Preprocessing::fit(const Rows& training, const PreprocessOptions& options) {
    std::optional<Choice> choice;
    if (options.choice != "auto") choice = parse_choice(options.choice);
    if (choice && choice->kind != PreprocessKind::kNone && training.sparse() && !options.dense_ok) {
        throw Error(
            ErrorCode::kUsage,
            fmt::format("{}: '{}' would make sparse data dense", training.name(), options.choice),
            "use `preprocess` none, or `dense_ok` if the memory suffices");
    }
    const bool words = !training.categories().empty();
    if (words && choice && choice->kind != PreprocessKind::kThermometer) {
        throw Error(
            ErrorCode::kUsage,
            fmt::format("{}: '{}' cannot encode columns of words", training.name(), options.choice),
            "use `preprocess` thermometer:8, or leave them out with `ignore`");
    }
    Preprocessing p;
    for (std::size_t j = 0; words && j < training.features(); ++j) {
        p.categorical.push_back(is_categorical(training, j));
    }
    const bool sparse = training.sparse() && (!choice || choice->kind == PreprocessKind::kNone);
    Kept kept{{}, training.features()};
    Moments moments = scan(training, p.columns, sparse ? &kept : nullptr);
    refuse_infinite(training, p.columns, kept.column);
    if (!choice) choice = choose(training, p.columns, moments);
    if (sparse && kept.column.size() < kept.features) p.kept = std::move(kept);
    p.kind = choice->kind;
    p.levels = choice->levels;
    p.reason = choice->reason;
    p.sparse = sparse;
    p.bias = options.bias && training.kind() != DataKind::kTeacher;
    if (p.kind == PreprocessKind::kCenter) p.scale = center_scale(training, p.columns, moments);
    if (p.kind == PreprocessKind::kStandardize)
        p.scale = column_scales(training, p.columns, moments);
    if (!p.scale.empty()) p.mean = std::move(moments.mean);
    if (p.kind == PreprocessKind::kThermometer) {
        fit_thermometer(training, options, p);
    } else if (options.thermometer_budget > 0) {
        throw Error(ErrorCode::kUsage,
                    fmt::format("`thermometer_budget`, but preprocessing is {}", p.name()),
                    "`preprocess` thermometer:8 has thresholds to choose from");
    }
    p.binary_steps = needs_steps(p);
    if (p.inputs() == 0) {
        throw Error(ErrorCode::kData, fmt::format("{}: no column varies", training.name()));
    }
    return p;
}

}  // namespace bitbayes::data

// Preprocessing::fit: the statistics of the training rows, the choice that `auto` makes, scales and
// thresholds.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include "bitbayes/types/error.hpp"
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

std::vector<double> thresholds_of(const Column& column, std::size_t levels, bool words) {
    std::vector<double> thresholds;
    if (column.constant()) return thresholds;
    if (words) return column.value;
    const double below_maximum = column.value[column.value.size() - 2];
    for (std::size_t k = 1; k <= levels; ++k) {
        const double quantile = column.at_rank((column.present - 1) * k / (levels + 1));
        const double threshold = std::min(quantile, below_maximum);
        if (thresholds.empty() || thresholds.back() < threshold) thresholds.push_back(threshold);
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

void fit_thermometer(const Rows& training, Preprocessing& p) {
    double squares = 0, count = 0;
    p.threshold_start.push_back(0);
    for_each_column(training, [&](std::size_t j, const Column& column) {
        const auto n = static_cast<double>(column.present);
        for (const double threshold : thresholds_of(column, p.levels, p.holds_words(j))) {
            const double on =
                p.holds_words(j) ? rows_at(column, threshold) : rows_above(column, threshold);
            p.thresholds.push_back(threshold);
            p.mean.push_back((2 * on - n) / n);
            squares += 4 * on * (n - on) / n;
            count += n;
        }
        p.threshold_start.push_back(p.thresholds.size());
    });
    p.scale = {count > 0 ? std::sqrt(squares / count) : 1};
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
    if (p.kind == PreprocessKind::kThermometer) fit_thermometer(training, p);
    if (p.inputs() == 0) {
        throw Error(ErrorCode::kData, fmt::format("{}: no column varies", training.name()));
    }
    return p;
}

}  // namespace bitbayes::data

// Cost against the number of weights.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>

#include "base/philox.hpp"
#include "base/thread_team.hpp"
#include "learn/live_model.hpp"
#include "reproduce/claims.hpp"
#include "reproduce/statistics.hpp"
#include "training/trainer.hpp"

namespace bitbayes::cli::reproduce {

namespace {

constexpr std::size_t kInputs = 785;

Dataset random_rows(std::size_t rows) {
    const Philox random(1, Purpose::kTeacherTrainInputs);
    Dataset data;
    data.name = "random rows";
    data.rows = rows;
    data.features = kInputs;
    data.class_names = {"0", "1"};
    std::vector<float> values(rows * kInputs);
    for (std::size_t k = 0; k < values.size(); ++k) {
        values[k] = static_cast<float>(2 * random.uniform(k) - 1);
    }
    data.values = std::move(values);
    for (std::size_t r = 0; r < rows; ++r) data.labels.push_back(r % 2);
    return data;
}

/// Nanoseconds to learn one sample, one thread, median of several blocks.
double time_per_sample(std::size_t hidden) {
    constexpr std::size_t kRepeats = 7;
    constexpr double kUpdates = 2e7;  // weights times samples in one block
    const double per_row = static_cast<double>(hidden * kInputs);
    const auto rows = static_cast<std::size_t>(std::clamp(kUpdates / per_row, 4.0, 2000.0));
    const Dataset data = random_rows(rows);
    TrainOptions options = paper_options();
    options.tree = {hidden};
    options.preprocess = "none";
    options.bias = false;
    learn::LiveModel model(training::initial_model(data, options), {.threads = 1});
    std::vector<std::size_t> order(rows);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::vector<double> times;
    for (std::size_t k = 0; k < kRepeats; ++k) {
        const auto start = std::chrono::steady_clock::now();
        model.learn(data, order, data.labels, [](auto...) {});
        const std::chrono::duration<double, std::nano> passed =
            std::chrono::steady_clock::now() - start;
        times.push_back(passed.count() / static_cast<double>(rows));
    }
    return quantile(times, 0.5);
}

/// The slope of ln y against ln x.
double slope(const std::vector<double>& x, const std::vector<double>& y) {
    const auto n = static_cast<double>(x.size());
    double sx = 0, sy = 0, sxx = 0, sxy = 0;
    for (std::size_t k = 0; k < x.size(); ++k) {
        const double a = std::log(x[k]), b = std::log(y[k]);
        sx += a;
        sy += b;
        sxx += a * a;
        sxy += a * b;
    }
    return (n * sxy - sx * sy) / (n * sxx - sx * sx);
}

}  // namespace

Json cost() {
    std::vector<double> weights, times;
    Json points = Json::array();
    for (const std::size_t hidden : {13, 41, 127, 403, 1273, 4027, 12739}) {
        weights.push_back(static_cast<double>(hidden * (kInputs + 1)));
        times.push_back(time_per_sample(hidden));
        points.push_back({{"weights", hidden * (kInputs + 1)}, {"ns_per_sample", times.back()}});
    }
    return {{"points", points}, {"slope", slope(weights, times)}};
}

}  // namespace bitbayes::cli::reproduce

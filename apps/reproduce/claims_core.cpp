// Claims about single steps, on the double core.
#include <algorithm>
#include <cmath>

#include "base/philox.hpp"
#include "base/thread_team.hpp"
#include "core/network.hpp"
#include "data/teacher.hpp"
#include "reproduce/claims.hpp"
#include "reproduce/printed_gain.hpp"
#include "reproduce/statistics.hpp"

namespace bitbayes::cli::reproduce {

namespace {

using core::Layer;
using core::Network;

/// A student before its first sample: the paper's prior.
Network student(std::size_t m, std::uint64_t seed) {
    Network network({m, m}, 1);
    const double width = std::sqrt(3.0 / static_cast<double>(m));
    for (std::size_t l = 0; l < 2; ++l) {
        const Philox random(seed, Purpose::kPrior, static_cast<std::uint32_t>(l));
        auto& h = network.layers()[l].h;
        for (std::size_t k = 0; k < h.size(); ++k) h[k] = width * (2 * random.uniform(k) - 1);
    }
    return network;
}

/// The same network with every |h| = 20.
Network certain(Network network) {
    for (Layer& layer : network.layers()) {
        for (double& h : layer.h) h = std::copysign(20, h);
    }
    return network;
}

/// Integer sum of the output neuron in the clipped network, from the signs of nu and h; after
/// forward().
int output_sum(const Network& network) {
    const auto& layers = network.layers();
    int sum = 0;
    for (std::size_t j = 0; j < layers[1].K; ++j) {
        sum += (layers[1].h[j] >= 0) == (layers[0].nu[j] >= 0) ? 1 : -1;
    }
    return sum;
}

/// What a step did to the weights.
struct Move {
    double sum = 0, largest = 0;
    std::size_t weights = 0, against = 0, flips = 0;

    void add(double h, double change) {
        sum += std::fabs(change);
        largest = std::max(largest, std::fabs(change));
        ++weights;
        against += h * change < 0;
        flips += (h >= 0) != (h + change >= 0);
    }
    void add(const Network& after) {
        for (const Layer& layer : after.layers()) {
            for (std::size_t k = 0; k < layer.h.size(); ++k) {
                add(layer.h[k] - layer.R[k] / 2, layer.R[k] / 2);
            }
        }
    }
    double mean() const { return sum / static_cast<double>(weights); }
};

std::vector<double> row_of(const Dataset& data, std::size_t row) {
    std::vector<double> x(data.features);
    data.copy_row(row, x);
    return x;
}

double sign_of_label(const Dataset& data, std::size_t row) {
    return data.labels[row] == 1 ? 1.0 : -1.0;
}

/// One step of a certain network on samples that it labels itself, grouped by the size of the
/// output's sum.
Json moves_by_margin(const Plan& plan) {
    constexpr std::size_t kSize = 21, kSamples = 20000;
    const LoadedData data = data::make_teacher(kSize, plan.seed, kSamples, 1);
    const Network start = certain(student(kSize, plan.seed));
    std::vector<Move> moves(kSize + 1);
    std::vector<std::size_t> samples(kSize + 1);
    for (std::size_t n = 0; n < kSamples; ++n) {
        Network network = start;
        const auto x = row_of(data.train, n);
        network.forward(x);
        const int sum = output_sum(network);
        network.step(x, std::vector{sum >= 0 ? 1.0 : -1.0});
        const auto margin = static_cast<std::size_t>(std::abs(sum));
        moves[margin].add(network);
        ++samples[margin];
    }
    Json list = Json::array();
    for (std::size_t margin = 1; margin <= kSize; ++margin) {
        if (samples[margin] == 0) continue;
        list.push_back({{"margin", margin},
                        {"samples", samples[margin]},
                        {"mean", moves[margin].mean()},
                        {"largest", moves[margin].largest},
                        {"against", moves[margin].against}});
    }
    return list;
}

/// Mean |dh| and sign flips per sample while a student learns a teacher.
Json moves_while_learning(const Plan& plan, std::size_t m) {
    constexpr std::size_t kSamples = 50000;
    const LoadedData data = data::make_teacher(m, plan.seed, kSamples, 1);
    Network network = student(m, plan.seed);
    Json points = Json::array();
    Move move;
    std::size_t errors = 0, since = 0, next = 50;
    for (std::size_t n = 0; n < kSamples; ++n) {
        const auto x = row_of(data.train, n);
        const double y = sign_of_label(data.train, n);
        errors += network.clipped_output(x)[0] != y;
        network.step(x, std::vector{y});
        move.add(network);
        if (n + 1 != next && n + 1 != kSamples) continue;
        const auto count = static_cast<double>(n + 1 - since);
        points.push_back({{"samples", n + 1},
                          {"mean", move.mean()},
                          {"flips", static_cast<double>(move.flips) / count},
                          {"error", static_cast<double>(errors) / count}});
        move = {};
        errors = 0;
        since = n + 1;
        next += next / 2;
    }
    return points;
}

void learn_all(Network& network, const Dataset& data) {
    for (std::size_t n = 0; n < data.rows; ++n) {
        network.step(row_of(data, n), std::vector{sign_of_label(data, n)});
    }
}

double clipped_error(const Network& network, const Dataset& data) {
    std::size_t errors = 0;
    for (std::size_t n = 0; n < data.rows; ++n) {
        errors += network.clipped_output(row_of(data, n))[0] != sign_of_label(data, n);
    }
    return static_cast<double>(errors) / static_cast<double>(data.rows);
}

/// The correct G, and G as printed.
struct Forms {
    std::vector<double> right, printed;

    explicit Forms(std::size_t trials) : right(trials), printed(trials) {}
    Json json() const { return {{"right", summary(right)}, {"printed", summary(printed)}}; }

  private:
    static Json summary(const std::vector<double>& errors) {
        Json spread = spread_json(errors);
        spread["solved"] = std::count(errors.begin(), errors.end(), 0.0);
        return spread;
    }
};

/// Share of the output's weights that a surprising sample pushes away from its label, in a network
/// that is sure of everything.
double pushed_wrong(const Plan& plan, double label, bool as_printed) {
    constexpr std::size_t kSize = 21, kSamples = 2000;
    const LoadedData data = data::make_teacher(kSize, plan.seed, kSamples, 1);
    Network start = certain(student(kSize, plan.seed));
    if (as_printed) start.gain = core::printed_gain;
    std::size_t wrong = 0, weights = 0;
    for (std::size_t n = 0; n < kSamples; ++n) {
        Network network = start;
        const auto x = row_of(data.train, n);
        if (network.clipped_output(x)[0] == label) continue;
        network.step(x, std::vector{label});
        const Layer& output = network.layers()[1];
        for (std::size_t j = 0; j < output.K; ++j) {
            wrong += output.R[j] * label * network.layers()[0].nu[j] < 0;
            ++weights;
        }
    }
    return static_cast<double>(wrong) / static_cast<double>(weights);
}

}  // namespace

Json increments(const Plan& plan) {
    Json learning = Json::array();
    for (const std::size_t m : {3, 5, 21}) {
        learning.push_back({{"M", m}, {"points", moves_while_learning(plan, m)}});
    }
    return {{"certain", moves_by_margin(plan)}, {"learning", learning}};
}

Json erratum(const Plan& plan) {
    const std::size_t trials = plan.quick ? 4 : 20, samples = plan.quick ? 10000 : 100000;
    Json results{{"trials", trials}, {"samples", samples}};
    for (const double label : {1.0, -1.0}) {
        results["pushed_wrong"].push_back({{"label", label},
                                           {"right", pushed_wrong(plan, label, false)},
                                           {"printed", pushed_wrong(plan, label, true)}});
    }
    ThreadTeam team(plan.threads);
    for (const std::size_t m : {5, 7, 9, 21}) {
        Forms paper_prior(trials), sure_prior(trials);
        team.run(trials, [&](std::size_t t) {
            const std::uint64_t seed = plan.seed + t;
            const auto data = data::make_teacher(m, seed, samples, data::kTeacherTestRows);
            for (const bool sure : {false, true}) {
                for (const bool as_printed : {false, true}) {
                    Network network = sure ? certain(student(m, seed)) : student(m, seed);
                    if (as_printed) network.gain = core::printed_gain;
                    learn_all(network, data.train);
                    Forms& forms = sure ? sure_prior : paper_prior;
                    (as_printed ? forms.printed : forms.right)[t] =
                        clipped_error(network, data.test);
                }
            }
        });
        results["sizes"].push_back(
            {{"M", m}, {"paper_prior", paper_prior.json()}, {"sure_prior", sure_prior.json()}});
    }
    return results;
}

}  // namespace bitbayes::cli::reproduce

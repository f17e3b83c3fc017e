#include "golden/golden.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "bitbayes/types/error.hpp"
#include "core/network.hpp"
#include "golden/batches.hpp"
#include "golden/values.hpp"

namespace bitbayes::golden {

namespace {

using core::Layer;
using core::Network;

using nlohmann::json;

Network initial_network(const json& file) {
    const auto widths = counts_of(file.at("widths"), "widths");
    const auto fan_in = counts_of(file.at("fan_in"), "fan_in");
    bool consistent =
        !fan_in.empty() && widths.size() == fan_in.size() + 1 && widths[0] == fan_in[0];
    for (std::size_t l = 1; consistent && l < fan_in.size(); ++l) {
        consistent = widths[l] == widths[l + 1] * fan_in[l];
    }
    if (!consistent) throw Error(ErrorCode::kData, "widths and fan_in do not fit together");
    const json& h0 = list_of(file.at("h0"), fan_in.size(), "h0");
    std::vector<std::vector<double>> h;
    for (std::size_t l = 0; l < fan_in.size(); ++l)
        h.push_back(matrix_of(h0[l], widths[l + 1], fan_in[l], "h0"));
    Network network(fan_in, widths.back());
    for (std::size_t l = 0; l < fan_in.size(); ++l) network.layers()[l].h = std::move(h[l]);
    return network;
}

/// Compares `field` of every layer with object[key], if the object has it.
void compare(GoldenReport& report, const json& object, const char* key, const char* name,
             const Network& network, std::vector<double> Layer::*field) {
    if (!object.contains(key)) return;
    double& worst = report.max_abs_error[name];
    for (std::size_t l = 0; l < network.layers().size(); ++l) {
        worst = std::max(
            worst, scaled_error(flat_numbers(object.at(key).at(l)), network.layers()[l].*field));
    }
}

constexpr std::pair<const char*, std::vector<double> Layer::*> kFields[] = {
    {"mu", &Layer::mu},       {"sigma2", &Layer::sigma2}, {"nu", &Layer::nu}, {"G", &Layer::G},
    {"delta", &Layer::delta}, {"R", &Layer::R},           {"h", &Layer::h}};

GoldenReport check_steps(const json& file) {
    GoldenReport report{"steps", true, {}, 0};
    Network network = initial_network(file);
    const std::size_t inputs = network.layers().front().K, outputs = network.layers().back().V;
    for (const json& step : file.at("steps")) {
        const auto x = row_of(step.at("x"), inputs, "x");
        const auto y = row_of(step.at("y"), outputs, "y");
        if (step.contains("map_output_before") &&
            network.clipped_output(x) != flat_numbers(step.at("map_output_before"))) {
            report.pass = false;
        }
        network.step(x, y);
        for (const auto& [key, field] : kFields) compare(report, step, key, key, network, field);
    }
    compare(report, file, "h_final", "h", network, &Layer::h);
    for (const auto& [name, error] : report.max_abs_error) report.pass &= error <= kGoldenTolerance;
    return report;
}

GoldenReport check_exact(const json& file) {
    GoldenReport report{"exact", true, {}, 0};
    const Network start = initial_network(file);
    double off = 0, moved = 0;
    for (const json& one : file.at("cases")) {
        Network network = start;
        network.step(row_of(one.at("x"), start.layers().front().K, "x"),
                     row_of(one.at("y"), start.layers().back().V, "y"));
        const auto exact = flat_numbers(one.at("h_exact_flat"));
        std::size_t at = 0;
        for (std::size_t l = 0; l < start.layers().size(); ++l) {
            for (std::size_t ij = 0; ij < start.layers()[l].h.size(); ++ij, ++at) {
                const double target = exact.at(at);
                off += std::pow(network.layers()[l].h[ij] - target, 2);
                moved += std::pow(start.layers()[l].h[ij] - target, 2);
            }
        }
    }
    report.distance = moved > 0 ? std::sqrt(off / moved) : 0;
    return report;
}

}  // namespace

GoldenReport check_golden(std::string_view json_text, const std::string& name) {
    try {
        const json file = json::parse(json_text);
        if (file.contains("batches")) return check_batches(file);
        return file.contains("cases") ? check_exact(file) : check_steps(file);
    } catch (const Error& error) {
        throw Error(error.code(), name + ": " + error.what());
    } catch (const std::exception& error) {
        throw Error(ErrorCode::kData, name + ": not a golden vector: " + error.what());
    }
}

}  // namespace bitbayes::golden

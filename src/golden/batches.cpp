#include "golden/batches.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "bitbayes/types/error.hpp"
#include "core/dense_network.hpp"
#include "golden/values.hpp"

namespace bitbayes::golden {

namespace {

using core::DenseLayer;
using core::DenseNetwork;
using core::DenseShape;
using nlohmann::json;

/// "dense": all neurons below, and perhaps the constant; "tree": V groups of K neurons below.
DenseShape shape_of(std::size_t l, const std::string& connectivity, bool constant,
                    std::size_t below, std::size_t V, std::size_t K) {
    const bool dense = connectivity == "dense";
    if (!dense && connectivity != "tree")
        throw Error(ErrorCode::kData, "connectivity must be \"dense\" or \"tree\"");
    if (!dense && l == 0) throw Error(ErrorCode::kData, "layer 1 must be dense");
    if (constant && (!dense || l == 0))
        throw Error(ErrorCode::kData, "constant_input is for dense layers above the first");
    const bool fits = dense ? K == below + (constant ? 1 : 0) : below % K == 0 && below / K == V;
    if (!fits) throw Error(ErrorCode::kData, "widths and fan_in do not fit together");
    return {V, K, dense};
}

DenseNetwork initial_network(const json& file) {
    const auto fan_in = counts_of(file.at("fan_in"), "fan_in");
    const auto widths = counts_of(file.at("widths"), "widths");
    const std::size_t L = fan_in.size();
    if (L == 0 || widths.size() != L + 1)
        throw Error(ErrorCode::kData, "widths and fan_in do not fit together");
    const json& connectivity = list_of(file.at("connectivity"), L, "connectivity");
    const json& constant = list_of(file.at("constant_input"), L, "constant_input");
    const json& h0 = list_of(file.at("h0"), L, "h0");
    std::vector<DenseShape> shapes;
    std::vector<std::vector<double>> h;
    for (std::size_t l = 0; l < L; ++l) {
        shapes.push_back(shape_of(l, connectivity[l].get<std::string>(), constant[l].get<bool>(),
                                  widths[l], widths[l + 1], fan_in[l]));
        h.push_back(matrix_of(h0[l], widths[l + 1], fan_in[l], "h0"));
    }
    DenseNetwork network(shapes);
    for (std::size_t l = 0; l < L; ++l) network.layers()[l].h = std::move(h[l]);
    return network;
}

using Field = std::vector<double> DenseLayer::*;

void note(GoldenReport& report, const std::string& name, std::span<const double> expected,
          std::span<const double> got) {
    double& worst = report.max_abs_error[name];
    worst = std::max(worst, scaled_error(expected, got));
}

/// Per neuron: `value` has one list for each of the first `layers` layers.
void compare_neurons(GoldenReport& report, const json& value, const std::string& name,
                     const DenseNetwork& network, Field field, std::size_t layers) {
    list_of(value, layers, name);
    for (std::size_t l = 0; l < layers; ++l) {
        const DenseLayer& layer = network.layers()[l];
        const std::size_t V = layer.shape.V;
        note(report, name, row_of(value[l], V, name), std::span(layer.*field).first(V));
    }
}

/// Per weight: `value` has one matrix for each layer.
void compare_weights(GoldenReport& report, const json& value, const std::string& name,
                     const DenseNetwork& network, Field field) {
    const std::size_t L = network.layers().size();
    list_of(value, L, name);
    for (std::size_t l = 0; l < L; ++l) {
        const DenseLayer& layer = network.layers()[l];
        note(report, name, matrix_of(value[l], layer.shape.V, layer.shape.K, name), layer.*field);
    }
}

/// Rows of the batch, then its gradient.
void check_rows(GoldenReport& report, const json& batch, DenseNetwork& network) {
    const std::size_t L = network.layers().size();
    const std::size_t inputs = network.layers().front().shape.K;
    const std::size_t outputs = network.layers().back().shape.V;
    const std::size_t rows = batch.at("X").size();
    for (const char* key : {"X", "Y", "map_output_before", "mu", "sigma2", "nu", "d", "e"})
        list_of(batch.at(key), rows, key);
    double log_likelihood = 0;
    for (std::size_t n = 0; n < rows; ++n) {
        const auto x = row_of(batch["X"][n], inputs, "each row of X");
        const auto y = row_of(batch["Y"][n], outputs, "each row of Y");
        if (std::any_of(y.begin(), y.end(), [](double label) { return label * label != 1; }))
            throw Error(ErrorCode::kData, "Y must be +1 or -1");
        if (network.clipped_output(x) !=
            row_of(batch["map_output_before"][n], outputs, "each row of map_output_before"))
            report.pass = false;
        network.accumulate(x, y);
        log_likelihood += network.log_likelihood(y);
        compare_neurons(report, batch["mu"][n], "mu", network, &DenseLayer::mu, L);
        compare_neurons(report, batch["sigma2"][n], "sigma2", network, &DenseLayer::sigma2, L);
        compare_neurons(report, batch["nu"][n], "nu", network, &DenseLayer::nu, L);
        compare_neurons(report, batch["d"][n], "d", network, &DenseLayer::d, L);
        compare_neurons(report, batch["e"][n], "e", network, &DenseLayer::e, L - 1);
    }
    compare_weights(report, batch.at("gradient"), "gradient", network, &DenseLayer::A);
    if (batch.contains("log_likelihood")) {
        const double expected = batch["log_likelihood"].get<double>();
        note(report, "log_likelihood", {&expected, 1}, {&log_likelihood, 1});
    }
}

}  // namespace

GoldenReport check_batches(const json& file) {
    GoldenReport report{"batches", true, {{"e", 0}}, 0};  // a single layer sends no e
    DenseNetwork network = initial_network(file);
    const double evidence = file.at("evidence").get<double>();
    if (!file.at("batches").is_array() || file["batches"].empty())
        throw Error(ErrorCode::kData, "batches must be a list, not empty");
    for (const json& batch : file["batches"]) {
        check_rows(report, batch, network);
        network.update(evidence);
        compare_weights(report, batch.at("h"), "h", network, &DenseLayer::h);
    }
    if (file.contains("h_final"))
        compare_weights(report, file["h_final"], "h", network, &DenseLayer::h);
    for (const auto& [name, error] : report.max_abs_error) report.pass &= error <= kGoldenTolerance;
    return report;
}

}  // namespace bitbayes::golden

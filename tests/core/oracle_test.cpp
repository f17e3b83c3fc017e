// The true posterior after one sample, by enumerating all weights: reproduces the exact_* golden
// files, and is what the approximation must come close to.
#include <cmath>
#include <fstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/network.hpp"

namespace bitbayes::core {
namespace {

std::vector<double> flat_h(const Network& net) {
    std::vector<double> h;
    for (const Layer& layer : net.layers()) h.insert(h.end(), layer.h.begin(), layer.h.end());
    return h;
}

/// h of each weight's true posterior marginal; `evidence` is P(y).
std::vector<double> enumerate(Network net, const std::vector<double>& x, double y,
                              double& evidence) {
    const auto h0 = flat_h(net);
    std::vector<double> plus(h0.size()), minus(h0.size());
    evidence = 0;
    for (std::size_t bits = 0; bits < std::size_t{1} << h0.size(); ++bits) {
        double prior = 1;
        std::size_t at = 0;
        for (Layer& layer : net.layers()) {
            for (double& h : layer.h) {
                h = bits >> at & 1 ? 1 : -1;
                prior /= 1 + std::exp(-2 * h * h0[at]);
                ++at;
            }
        }
        if (net.clipped_output(x)[0] != y) continue;
        evidence += prior;
        for (std::size_t i = 0; i < h0.size(); ++i) (bits >> i & 1 ? plus : minus)[i] += prior;
    }
    std::vector<double> h(h0.size());
    for (std::size_t i = 0; i < h.size(); ++i) h[i] = 0.5 * std::log(plus[i] / minus[i]);
    return h;
}

TEST(Oracle, EnumerationReproducesTheExactFilesAndTheStepComesCloser) {
    for (const char* name : {"exact_3x3", "exact_5x1", "exact_5x3"}) {
        std::ifstream stream(std::string(BITBAYES_GOLDEN_DIR) + "/" + name + ".json");
        const auto file = nlohmann::json::parse(stream);
        Network net(file["fan_in"].get<std::vector<std::size_t>>(), 1);
        for (std::size_t l = 0; l < net.layers().size(); ++l) {
            std::vector<double> h;
            for (const auto& row : file["h0"][l]) {
                for (const auto& value : row) h.push_back(value);
            }
            net.layers()[l].h = h;
        }
        for (const auto& one : file["cases"]) {
            const auto x = one["x"].get<std::vector<double>>();
            const double y = one["y"][0];
            double evidence = 0;
            const auto exact = enumerate(net, x, y, evidence);
            EXPECT_NEAR(evidence, one["evidence"].get<double>(), 1e-12);
            Network stepped = net;
            stepped.step(x, std::vector{y});
            const auto h0 = flat_h(net), h1 = flat_h(stepped);
            double off = 0, moved = 0;
            for (std::size_t i = 0; i < exact.size(); ++i) {
                EXPECT_NEAR(exact[i], one["h_exact_flat"][i].get<double>(), 1e-12);
                off += std::pow(h1[i] - exact[i], 2);
                moved += std::pow(h0[i] - exact[i], 2);
            }
            EXPECT_LT(off, moved) << name;
        }
    }
}

}  // namespace
}  // namespace bitbayes::core

// Small random networks and samples for tests.
#pragma once

#include <random>
#include <vector>

#include "core/dense_network.hpp"
#include "core/network.hpp"

namespace bitbayes::test {

class Random {
  public:
    explicit Random(unsigned seed) : engine_(seed) {}
    double uniform(double low, double high) {
        return std::uniform_real_distribution<>(low, high)(engine_);
    }
    double normal() { return std::normal_distribution<>()(engine_); }
    double sign() { return engine_() & 1 ? 1 : -1; }
    std::size_t below(std::size_t n) { return engine_() % n; }

    std::vector<double> normals(std::size_t n) {
        std::vector<double> v(n);
        for (double& x : v) x = normal();
        return v;
    }
    std::vector<double> signs(std::size_t n) {
        std::vector<double> v(n);
        for (double& x : v) x = sign();
        return v;
    }
    core::Network network(const std::vector<std::size_t>& fan_in, std::size_t outputs,
                          double scale) {
        core::Network net(fan_in, outputs);
        for (auto& layer : net.layers()) {
            for (double& h : layer.h) h = scale * uniform(-1, 1);
        }
        return net;
    }
    core::DenseNetwork dense_network(const std::vector<core::DenseShape>& shapes, double scale) {
        core::DenseNetwork net(shapes);
        for (auto& layer : net.layers()) {
            for (double& h : layer.h) h = scale * uniform(-1, 1);
        }
        return net;
    }
    /// Every |h| = size.
    core::Network certain_network(const std::vector<std::size_t>& fan_in, std::size_t outputs,
                                  double size) {
        core::Network net(fan_in, outputs);
        for (auto& layer : net.layers()) {
            for (double& h : layer.h) h = size * sign();
        }
        return net;
    }

  private:
    std::mt19937 engine_;
};

}  // namespace bitbayes::test

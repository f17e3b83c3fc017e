// BackProp on the converging architecture in plain double, one equation after the other: the twin of
// kernels/backprop_kernels-inl.hpp, with its letters.
//   u_i = sum_j W_ij v_j,   v_i = s(u_i),   s(u) = A tanh(B u),   E = 1/2 sum_i (y_i - v_i)^2
//   delta_i = (y_i - v_i) s'(u_i) at the output, below it delta_parent W_parent,i s'(u_i)
//   W_ij += eta delta_i v_j = -eta dE/dW_ij, all layers with W from before the step
#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

#include "learn/posterior.hpp"

namespace bitbayes::test {

struct PlainBackprop {
    static constexpr double A = 1.7159, B = 2.0 / 3.0;

    struct Layer {
        std::size_t V = 0, K = 0;
        bool dense = false;     // else neuron i reads i*K .. i*K+K-1
        std::vector<double> W;  // W_ij at i*K + j
        std::vector<double> u, v, delta;

        std::size_t child(std::size_t i, std::size_t j) const { return dense ? j : i * K + j; }
    };
    std::vector<Layer> layers;

    explicit PlainBackprop(const learn::Posterior& start) {
        for (const learn::LayerPosterior& from : start.layers) {
            const bool dense = from.shape.connectivity == learn::Connectivity::kDense;
            Layer layer{from.shape.neurons, from.shape.fan_in, dense, {}, {}, {}, {}};
            for (std::size_t i = 0; i < layer.V; ++i) {
                for (const float W : from.row(i)) layer.W.push_back(W);
            }
            for (auto* values : {&layer.u, &layer.v, &layer.delta}) values->resize(layer.V);
            layers.push_back(layer);
        }
    }

    static double s(double u) { return A * std::tanh(B * u); }
    static double slope(double u) { return A * B / (std::cosh(B * u) * std::cosh(B * u)); }

    void forward(const std::vector<double>& x) {
        const std::vector<double>* below = &x;
        for (Layer& l : layers) {
            for (std::size_t i = 0; i < l.V; ++i) {
                l.u[i] = 0;
                for (std::size_t j = 0; j < l.K; ++j) {
                    l.u[i] += l.W[i * l.K + j] * (*below)[l.child(i, j)];
                }
                l.v[i] = s(l.u[i]);
            }
            below = &l.v;
        }
    }

    double error(const std::vector<double>& x, const std::vector<double>& y) {
        forward(x);
        double E = 0;
        for (std::size_t i = 0; i < y.size(); ++i) {
            const double off = y[i] - layers.back().v[i];
            E += off * off / 2;
        }
        return E;
    }

    void learn(const std::vector<double>& x, const std::vector<double>& y, double eta) {
        forward(x);
        Layer& top = layers.back();
        for (std::size_t i = 0; i < top.V; ++i) {
            top.delta[i] = (y[i] - top.v[i]) * slope(top.u[i]);
        }
        for (std::size_t n = layers.size() - 1; n > 0; --n) {
            const Layer& above = layers[n];
            Layer& l = layers[n - 1];
            for (std::size_t i = 0; i < l.V;
                 ++i) {  // its one parent is i / K, W of the parent at i
                l.delta[i] = above.delta[i / above.K] * above.W[i] * slope(l.u[i]);
            }
        }
        for (std::size_t n = 0; n < layers.size(); ++n) {
            Layer& l = layers[n];
            const std::vector<double>& below = n == 0 ? x : layers[n - 1].v;
            for (std::size_t i = 0; i < l.V; ++i) {
                for (std::size_t j = 0; j < l.K; ++j) {
                    l.W[i * l.K + j] += eta * l.delta[i] * below[l.child(i, j)];
                }
            }
        }
    }
};

}  // namespace bitbayes::test

// Algorithm 1 of the paper in whole numbers. Twin: runtime/c/learn*.c; in double: src/core.
//   layer 1   S = sum_j w_j u_j            V = sum_j u_j^2 sech^2 h_j
//   layer 2   S = sum_j w_j nu_j           V = sum_j (1 - (w_j nu_j)^2)
//   z = S / sqrt V, nu = 2 Phi(z) - 1;   z_j = z - w_j u_j / sqrt V: weight j left out
//   layer 1   h_j += D/2 tanh(2 phi(z_j) u_j / sqrt V)
//   last      2 phi(z_j) becomes 2 phi(z_j) / Phi(y z_j), D = y; above layer 1
//             h_j += y/2 tanh(G) nu_j, and the message to neuron j is y tanh(G) w_j, with the old w
// K cancels: every formula holds sums over sqrt of sums.
#include "device/learner.hpp"

#include <algorithm>
#include <cstdlib>

namespace bitbayes::device {
namespace {

constexpr std::int32_t kOne = 32767;  // 1 in units of 2^-15, and the largest of 16 bits
constexpr std::uint32_t kGolden = 0x9E3779B9u;

std::int32_t saturated(std::int32_t value) { return std::clamp(value, -kOne, kOne); }

/// value 2^-bits, rounded.
std::int32_t shifted(std::int32_t value, int bits) {
    return (value + (std::int32_t{1} << (bits - 1))) >> bits;
}

/// sum 2^power root 2^-15, saturated at every step.
std::int32_t scaled(std::int32_t sum, int power, std::int32_t root) {
    std::int32_t part;
    if (power <= 0) {
        part = saturated(sum >> -power);
    } else {
        const std::int32_t most = kOne >> power;
        part = std::clamp(sum, -most, most) * (std::int32_t{1} << power);
    }
    return saturated((part * root) >> 15);
}

}  // namespace

Learner::Learner(const Network& network, std::uint32_t seed)
    : network_(network),
      h1_(network.h1),
      h2_(network.h2),
      u_(network.fan_in()),
      neurons_(network.hidden),
      random_(seed == kGolden ? kGolden : seed ^ kGolden) {}

void Learner::read(std::span<const std::int16_t> row) {
    const InputScale& inputs = network_.inputs;
    const auto x = network_.clipped.inputs_of(row);
    for (std::size_t k = 0; k < x.size(); ++k) {
        const std::int32_t mean = inputs.mean.empty() ? 0 : inputs.mean[k];
        const std::int32_t value = (inputs.left * x[k] - mean + inputs.half()) >> inputs.right;
        u_[k] = std::clamp(value, -inputs.limit(), inputs.limit());
    }
    if (inputs.constant) u_.back() = *inputs.constant;
}

/// A table, then one step of Newton's.
Learner::InverseRoot Learner::inverse_root(std::uint32_t v) const {
    int exponent = 0;
    v = std::max(v, 1u);
    for (; v < 0x40000000u; v <<= 2) ++exponent;
    v >>= 16;
    auto y = static_cast<std::uint32_t>(network_.tables.root[(v >> 8) - 64]);
    const std::uint32_t t = ((y * y >> 16) * v) >> 16;
    y = y * (49152u - t) >> 15;
    return {static_cast<std::int32_t>(std::min(y, 65535u)), exponent};
}

std::int32_t Learner::tanh_of(std::int32_t a) const {
    const std::int32_t kept = std::clamp(a, -16383, 16383);
    const auto place = static_cast<std::size_t>(std::abs(kept) >> 6);
    return saturated((kept * network_.tables.slope[place]) >> 11);
}

std::int32_t Learner::sign_mean(std::int32_t z) const {
    const std::int32_t size = std::min(std::abs(z), 8191);
    const auto place = static_cast<std::size_t>(size >> 6);
    const std::int32_t low = network_.tables.sign[place], high = network_.tables.sign[place + 1];
    const std::int32_t mean = low + (((high - low) * (size & 63)) >> 6);
    return z < 0 ? -mean : mean;
}

std::int32_t Learner::density(std::int32_t z) const {
    const std::int32_t place = std::abs(z) >> 5;
    return place < 256 ? network_.tables.density[static_cast<std::size_t>(place)] : 0;
}

std::int32_t Learner::mills(std::int32_t z) const {
    const std::int32_t place = (std::clamp(z, -16384, 16383) + 16384) >> 6;
    return network_.tables.mills[static_cast<std::size_t>(place)];
}

/// Adds change 2^-16, rounded up as often as its fraction says.
void Learner::add(std::int8_t& h, std::int32_t change) {
    random_ ^= random_ << 13;
    random_ ^= random_ >> 17;
    random_ ^= random_ << 5;
    const std::int32_t sum = h + ((change + static_cast<std::int32_t>(random_ >> 16)) >> 16);
    h = static_cast<std::int8_t>(std::clamp(sum, -kLargest, kLargest));
}

Learner::Neuron Learner::forward_1(std::size_t i) const {
    const int U = network_.inputs.bits;
    const std::int8_t* h = &h1_[i * u_.size()];
    std::int32_t S = 0;
    std::uint32_t V = 0;
    for (std::size_t j = 0; j < u_.size(); ++j) {
        const auto q = static_cast<std::size_t>(h[j] + 128);
        S += (network_.tables.mean[q] * u_[j]) >> 8;
        const auto square = static_cast<std::uint32_t>(u_[j] * u_[j]) >> std::max(0, 2 * U - 16);
        V += square * static_cast<std::uint32_t>(network_.tables.variance[q]) >> (24 - U);
    }
    Neuron neuron;
    neuron.scale = inverse_root(V);
    const int c = U / 2 - 4;
    neuron.z = scaled(S, neuron.scale.exponent - c - 12, neuron.scale.root);
    return neuron;
}

void Learner::learn_1(std::size_t i, const Neuron& neuron, std::int32_t message) {
    const bool last = network_.hidden == 0;
    const std::int32_t D = shifted(message * network_.step, 15);
    if (D == 0) return;
    const int bits = 16 + network_.inputs.bits / 2 - neuron.scale.exponent;
    std::int8_t* h = &h1_[i * u_.size()];
    for (std::size_t j = 0; j < u_.size(); ++j) {
        const std::int32_t ratio = saturated(shifted(u_[j] * neuron.scale.root, bits));
        const std::int32_t w = network_.tables.mean[static_cast<std::size_t>(h[j] + 128)];
        const std::int32_t z = neuron.z - ((w * ratio) >> 15);
        const std::int32_t a = last ? shifted(mills(message > 0 ? -z : z) * ratio, 11)
                                    : shifted(density(z) * ratio, 16);
        add(h[j], (tanh_of(a) * D) >> (network_.step_bits - 1));
    }
}

std::int32_t Learner::product_2(std::size_t k, std::size_t j) const {
    const std::int8_t h = h2_[k * network_.hidden + j];
    const std::int32_t w = network_.tables.mean[static_cast<std::size_t>(h + 128)];
    return (w * neurons_[j].nu) >> 15;
}

Learner::Neuron Learner::forward_2(std::size_t k) {
    std::int32_t S = 0;
    std::uint32_t V = 0;
    for (std::size_t j = 0; j < network_.hidden; ++j) {
        neurons_[j] = forward_1(k * network_.hidden + j);
        neurons_[j].nu = sign_mean(neurons_[j].z);
        const std::int32_t p = product_2(k, j);
        S += p;
        V += (0x40000000u - static_cast<std::uint32_t>(p * p)) >> 10;
    }
    Neuron output;
    output.scale = inverse_root(V);
    output.z = scaled(S, output.scale.exponent - 10, output.scale.root);
    return output;
}

void Learner::learn_2(std::size_t k, const Neuron& output, bool positive) {
    const std::int32_t root = output.scale.root;
    const std::int32_t one = saturated(root >> (10 - output.scale.exponent));  // 1 / sqrt V
    for (std::size_t j = 0; j < network_.hidden; ++j) {
        const std::int32_t p = product_2(k, j);
        const std::int32_t z = output.z - saturated((p * root) >> (25 - output.scale.exponent));
        const std::int32_t t = tanh_of(shifted(mills(positive ? -z : z) * one, 11));
        const std::int32_t R = positive ? t : -t;
        std::int8_t& h = h2_[k * network_.hidden + j];
        const std::int32_t w = network_.tables.mean[static_cast<std::size_t>(h + 128)];
        const std::int32_t nu = neurons_[j].nu;
        neurons_[j].nu = (R * w) >> 15;
        add(h, (((R * nu) >> 15) * network_.step) >> (network_.step_bits - 1));
    }
}

void Learner::learn(std::span<const std::int16_t> row, std::uint32_t label) {
    read(row);
    for (std::size_t k = 0; k < network_.outputs(); ++k) {
        const bool positive = label == (network_.outputs() == 1 ? 1 : k);
        if (network_.hidden == 0) {
            learn_1(k, forward_1(k), positive ? kOne : -kOne);
            continue;
        }
        learn_2(k, forward_2(k), positive);
        for (std::size_t j = 0; j < network_.hidden; ++j) {
            learn_1(k * network_.hidden + j, neurons_[j], neurons_[j].nu);
        }
    }
}

std::vector<std::int64_t> Learner::scores(std::span<const std::int16_t> row) {
    read(row);
    std::vector<std::int64_t> result;
    for (std::size_t k = 0; k < network_.outputs(); ++k) {
        result.push_back((network_.hidden == 0 ? forward_1(k) : forward_2(k)).z);
    }
    return result;
}

std::uint32_t Learner::fingerprint() const {
    std::uint32_t hash = 2166136261u;
    for (const auto* layer : {&h1_, &h2_}) {
        for (const std::int8_t h : *layer) hash = (hash ^ static_cast<std::uint8_t>(h)) * 16777619u;
    }
    return hash;
}

}  // namespace bitbayes::device

#include "training/evidence.hpp"

#include <algorithm>

#include "math/power.hpp"

namespace bitbayes::training {
namespace {

/// x^(1 / n), x > 0, by bisection: libm's pow differs from machine to machine.
double root(double x, std::uint64_t n) {
    double low = std::min(x, 1.0), high = std::max(x, 1.0);
    for (;;) {
        const double middle = low + (high - low) / 2;
        if (middle <= low || middle >= high) return high;
        (math::power(middle, n) < x ? low : high) = middle;
    }
}

}  // namespace

double evidence_of_epoch(const Evidence& evidence, std::uint64_t k, std::uint64_t E) {
    if (k == 0 || evidence.first == evidence.last) return evidence.first;
    if (k + 1 == E) return evidence.last;
    return evidence.first * math::power(root(evidence.last / evidence.first, E - 1), k);
}

}  // namespace bitbayes::training

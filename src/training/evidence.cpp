#include "training/evidence.hpp"

#include <algorithm>

namespace bitbayes::training {
namespace {

double power(double x, std::uint64_t n) {
    double result = 1;
    for (; n > 0; n /= 2, x *= x) {
        if (n % 2 == 1) result *= x;
    }
    return result;
}

/// x^(1 / n), x > 0, by bisection: libm's pow differs from machine to machine.
double root(double x, std::uint64_t n) {
    double low = std::min(x, 1.0), high = std::max(x, 1.0);
    for (;;) {
        const double middle = low + (high - low) / 2;
        if (middle <= low || middle >= high) return high;
        (power(middle, n) < x ? low : high) = middle;
    }
}

}  // namespace

double evidence_of_epoch(const Evidence& evidence, std::uint64_t k, std::uint64_t E) {
    if (k == 0 || evidence.first == evidence.last) return evidence.first;
    if (k + 1 == E) return evidence.last;
    return evidence.first * power(root(evidence.last / evidence.first, E - 1), k);
}

}  // namespace bitbayes::training

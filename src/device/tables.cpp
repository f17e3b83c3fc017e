#include "device/tables.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "math/label_noise.hpp"
#include "math/sech2.hpp"
#include "math/sign_moments.hpp"

namespace bitbayes::device {
namespace {

/// f of 0, 1, ..., count - 1, rounded and at most `most`.
template <class Function>
std::vector<std::int32_t> table(int count, double most, const Function& f) {
    std::vector<std::int32_t> values;
    for (int k = 0; k < count; ++k) {
        values.push_back(static_cast<std::int32_t>(std::round(std::min(f(k), most))));
    }
    return values;
}

constexpr double kMax16 = 65535, kMax15 = 32767;

}  // namespace

Tables::Tables(double eps)
    : mean(table(256, kMax15, [](int k) { return std::tanh((k - 128.0) / kScale) * 0x1p15; })),
      variance(
          table(256, kMax16, [](int k) { return math::sech2((k - 128.0) / kScale) * 0x1p16; })),
      density(table(256, kMax16,
                    [](int k) {
                        const double z = (k + 0.5) / 64;
                        return std::exp(-0.5 * z * z) * std::numbers::inv_sqrtpi *
                               std::numbers::sqrt2 * 0x1p16;
                    })),
      mills(table(512, kMax16,
                  [&](int k) { return math::noisy_mills((k + 0.5) / 32 - 8, eps) * 0x1p12; })),
      slope(table(256, kMax16,
                  [](int k) {
                      const double a = (k + 0.5) / 32;
                      return std::tanh(a) / a * 0x1p15;
                  })),
      sign(table(129, kMax15, [](int k) { return math::sign_moments(k / 32.0, 1).mean * 0x1p15; })),
      root(table(192, kMax16, [](int k) { return 0x1p15 / std::sqrt((k + 64.5) / 256); })) {}

}  // namespace bitbayes::device

#include "report/palette.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

namespace bitbayes::report {
namespace {

using Triple = std::array<double, 3>;

/// Linear light of "#rrggbb".
Triple light_of(const std::string& colour) {
    Triple light;
    for (std::size_t c = 0; c < 3; ++c) {
        const double v = std::stoi(colour.substr(1 + 2 * c, 2), nullptr, 16) / 255.0;
        light[c] = v <= 0.04045 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4);
    }
    return light;
}

double luminance(const Triple& light) {
    return 0.2126 * light[0] + 0.7152 * light[1] + 0.0722 * light[2];
}

/// Contrast as WCAG defines it.
double contrast(const std::string& a, const std::string& b) {
    const double p = luminance(light_of(a)) + 0.05, q = luminance(light_of(b)) + 0.05;
    return std::max(p, q) / std::min(p, q);
}

using Matrix = std::array<Triple, 3>;

/// What eyes of each kind see (Machado, Oliveira and Fernandes 2009, severity 1).
constexpr std::array<Matrix, 4> kEyes = {{
    {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}},
    {{{0.152286, 1.052583, -0.204868},
      {0.114503, 0.786281, 0.099216},
      {-0.003882, -0.048116, 1.051998}}},
    {{{0.367322, 0.860646, -0.227968},
      {0.280085, 0.672501, 0.047413},
      {-0.011820, 0.042940, 0.968881}}},
    {{{1.255528, -0.076749, -0.178779},
      {-0.078411, 0.930809, 0.147602},
      {0.004733, 0.691367, 0.303900}}},
}};

Triple lab_of(const std::string& colour, const Matrix& eye) {
    const Triple light = light_of(colour);
    Triple seen;
    for (std::size_t r = 0; r < 3; ++r)
        seen[r] = std::clamp(eye[r][0] * light[0] + eye[r][1] * light[1] + eye[r][2] * light[2],
                             0.0, 1.0);
    const auto root = [](double t) { return t > 0.008856 ? std::cbrt(t) : 7.787 * t + 16.0 / 116; };
    const double x = root((0.4124 * seen[0] + 0.3576 * seen[1] + 0.1805 * seen[2]) / 0.9505);
    const double y = root(luminance(seen));
    const double z = root((0.0193 * seen[0] + 0.1192 * seen[1] + 0.9505 * seen[2]) / 1.089);
    return {116 * y - 16, 500 * (x - y), 200 * (y - z)};
}

double difference(const std::string& a, const std::string& b, const Matrix& eye) {
    const Triple p = lab_of(a, eye), q = lab_of(b, eye);
    return std::hypot(p[0] - q[0], p[1] - q[1], p[2] - q[2]);
}

TEST(Palette, HasContrastToItsGround) {
    for (const Theme& theme : {kLight, kDark}) {
        EXPECT_GE(contrast(theme.ink, theme.ground), 7);
        EXPECT_GE(contrast(theme.soft, theme.ground), 4.5);
        for (const char* colour : theme.series)
            EXPECT_GE(contrast(colour, theme.ground), 3) << colour;
    }
}

TEST(Palette, StaysApartForAllEyes) {
    for (const Theme& theme : {kLight, kDark})
        for (const Matrix& eye : kEyes)
            for (std::size_t a = 0; a < theme.series.size(); ++a)
                for (std::size_t b = 0; b < a; ++b)
                    EXPECT_GE(difference(theme.series[a], theme.series[b], eye), a < 4 ? 20 : 11)
                        << theme.series[a] << " and " << theme.series[b];
}

}  // namespace
}  // namespace bitbayes::report

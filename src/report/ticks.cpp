#include "report/ticks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

namespace bitbayes::report {
namespace {

constexpr double kMinPlain = 1e-4, kMaxPlain = 1e13;  // outside: powers of ten
constexpr double kSlack = 1e-9;                       // of a step, for ends that are ticks

/// Exact where the result is: 3 * 10^-1 is 0.3.
double times_power_of_ten(double factor, int exponent) {
    if (exponent < -300) return factor / 1e300 / std::pow(10.0, -exponent - 300);
    return exponent < 0 ? factor / std::pow(10.0, -exponent) : factor * std::pow(10.0, exponent);
}

int exponent_of(double value) {
    return value == 0 ? 0 : static_cast<int>(std::floor(std::log10(std::fabs(value)) + kSlack));
}

std::string with_minus_sign(const std::string& number) {
    return number.starts_with('-') ? "\u2212" + number.substr(1) : number;
}

std::string superscript(int exponent) {
    constexpr std::array<const char*, 10> kDigits = {"⁰", "¹", "²", "³", "⁴",
                                                     "⁵", "⁶", "⁷", "⁸", "⁹"};
    std::string text = exponent < 0 ? "⁻" : "";
    for (const char digit : fmt::format("{}", std::abs(exponent))) text += kDigits[digit - '0'];
    return text;
}

struct Unit {
    int exponent = 0;
    const char* sign = "";
};

Unit unit_of(double largest) {
    if (largest >= 1e10) return {9, "G"};
    if (largest >= 1e7) return {6, "M"};
    if (largest >= 1e4) return {3, "k"};
    return {};
}

/// All labels of one linear axis: with enough digits for neighbours to differ.
class LinearLabels {
  public:
    /// `last_digit`: the power of ten of the last digit that ticks need.
    LinearLabels(double largest, int last_digit, bool percent)
        : shift_(percent ? 2 : 0), last_digit_(last_digit + shift_), percent_(percent) {
        largest = times_power_of_ten(largest, shift_);
        powers_ = largest < kMinPlain || largest >= kMaxPlain;
        if (powers_) {
            unit_.exponent = exponent_of(largest);
        } else if (!percent) {
            unit_ = unit_of(largest);
        }
    }

    std::string operator()(double value) const {
        if (value == 0) return percent_ ? "0\u00a0%" : "0";
        const double shown = times_power_of_ten(value, shift_ - unit_.exponent);
        const int decimals = std::max(0, unit_.exponent - last_digit_);
        std::string text = with_minus_sign(fmt::format("{:.{}f}", shown, decimals)) + unit_.sign;
        if (powers_) text += "×10" + superscript(unit_.exponent);
        return percent_ ? text + "\u00a0%" : text;
    }

  private:
    int shift_, last_digit_;
    bool percent_, powers_ = false;
    Unit unit_;
};

std::string log_label(double mantissa, int exponent, bool percent) {
    if (percent) exponent += 2;
    const double value = times_power_of_ten(mantissa, exponent);
    std::string text;
    if (value < kMinPlain || value >= kMaxPlain) {
        text = (mantissa == 1 ? "" : fmt::format("{}×", mantissa)) + "10" + superscript(exponent);
    } else {
        const Unit unit = unit_of(value >= 1e6 ? 10 * value : value);  // 1M, but 1000
        text =
            fmt::format("{}{}", times_power_of_ten(mantissa, exponent - unit.exponent), unit.sign);
    }
    return percent ? text + "\u00a0%" : text;
}

/// Ticks at mantissa * 10^e for every `stride`-th e.
std::vector<Tick> mantissa_ticks(double low, double high, std::span<const double> mantissas,
                                 int stride, bool percent) {
    std::vector<Tick> ticks;
    for (int e = exponent_of(low) - 1; e <= exponent_of(high) + 1; ++e) {
        if (e % stride != 0) continue;
        for (const double m : mantissas) {
            const double value = times_power_of_ten(m, e);
            const bool inside = value >= low * (1 - kSlack) && value <= high * (1 + kSlack);
            if (inside) ticks.push_back({std::clamp(value, low, high), log_label(m, e, percent)});
        }
    }
    return ticks;
}

std::vector<Tick> major_log_ticks(double low, double high, std::size_t max_ticks, bool percent) {
    constexpr std::size_t kMinTicks = 3;
    static constexpr std::array<double, 6> kSix = {1, 1.5, 2, 3, 5, 7};
    static constexpr std::array<double, 3> kOneTwoFive = {1, 2, 5};
    static constexpr std::array<double, 2> kOneThree = {1, 3};
    const auto with = [&](std::span<const double> mantissas, int stride) {
        return mantissa_ticks(low, high, mantissas, stride, percent);
    };
    if (high / low >= 100) {
        for (int stride = 1;; ++stride) {
            auto ticks = with(std::span(kOneThree).first(1), stride);
            if (ticks.size() < kMinTicks) return with(kOneThree, 1);
            if (ticks.size() <= std::max(max_ticks, 2 * kMinTicks)) return ticks;
        }
    }
    for (const auto mantissas :
         {std::span<const double>(kOneTwoFive), std::span<const double>(kSix)}) {
        auto ticks = with(mantissas, 1);
        if (ticks.size() >= kMinTicks) return ticks;
    }
    return linear_ticks(low, high, std::max<std::size_t>(max_ticks, 7), percent);
}

}  // namespace

std::vector<Tick> linear_ticks(double low, double high, std::size_t max_ticks, bool percent,
                               bool whole) {
    static constexpr std::array<double, 4> kSteps = {1, 2, 2.5, 5};
    const double largest = std::max(std::fabs(low), std::fabs(high));
    for (int e = exponent_of(high - low) - 2;; ++e) {
        for (const double mantissa : kSteps) {
            const double step = times_power_of_ten(mantissa, e);
            if (whole && step != std::floor(step)) continue;
            const double first = std::ceil(low / step - kSlack);
            const double last = std::floor(high / step + kSlack);
            if (!(last - first + 1 <= static_cast<double>(max_ticks))) continue;
            const LinearLabels label(largest, mantissa == 2.5 ? e - 1 : e, percent);
            std::vector<Tick> ticks;
            for (double i = first; i <= last; ++i) {
                const double value = times_power_of_ten(i * mantissa, e);
                ticks.push_back({std::clamp(value, low, high), label(value)});
            }
            return ticks;
        }
    }
}

std::vector<Tick> log_ticks(double low, double high, std::size_t max_ticks, bool percent) {
    constexpr double kMaxRatioForMinor = 1e8;
    static constexpr std::array<double, 9> kAll = {1, 2, 3, 4, 5, 6, 7, 8, 9};
    std::vector<Tick> ticks = major_log_ticks(low, high, max_ticks, percent);
    if (high / low > kMaxRatioForMinor) return ticks;
    for (const Tick& tick : mantissa_ticks(low, high, kAll, 1, percent)) {
        const bool known = std::any_of(ticks.begin(), ticks.end(), [&](const Tick& other) {
            return std::fabs(other.value - tick.value) <= kSlack * tick.value;
        });
        if (!known) ticks.push_back({tick.value, "", false});
    }
    return ticks;
}

std::string whole_label(double value) { return with_minus_sign(fmt::format("{:.0f}", value)); }

std::string format_value(double value, bool percent) {
    return with_minus_sign(percent ? fmt::format("{:.6g}\u00a0%", 100 * value)
                                   : fmt::format("{:.6g}", value));
}

}  // namespace bitbayes::report

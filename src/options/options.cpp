#include "options/options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <tuple>

#include "base/memory.hpp"
#include "bitbayes/types/error.hpp"

namespace bitbayes::options {
namespace {

/// The number of members of an aggregate.
struct Any {
    template <class T>
    operator T() const {
        return T();
    }
};
template <class T, class... Args>
constexpr std::size_t members() {
    if constexpr (requires { T{Args{}..., Any{}}; }) {
        return members<T, Args..., Any>();
    } else {
        return sizeof...(Args);
    }
}
static_assert(members<TrainOptions>() == std::size(kTrainOptions),
              "every member of TrainOptions has its row in kTrainOptions");

template <class T>
bool parse(const std::string& text, T& value) {
    const char* end = text.data() + text.size();
    const auto [stop, failure] = std::from_chars(text.data(), end, value);
    return failure == std::errc() && stop == end;
}

[[noreturn]] void refuse(const std::string& label, const std::string& value,
                         const std::string& wanted) {
    throw Error(ErrorCode::kUsage, fmt::format("{}: '{}' is not {}", label, value, wanted));
}

/// A value of one type: how it is written, read and checked.
struct Values {
    const TrainOption& option;
    const std::string& label;

    static std::string text(Algorithm value) { return name_of(value); }
    static std::string text(const std::string& value) { return value; }
    static std::string text(bool value) { return value ? "true" : "false"; }
    static std::string text(double value) { return fmt::format("{}", value); }
    template <class T>
    std::string text(const std::optional<T>& value) const {
        return value ? text(*value) : std::string(option.unset);
    }
    static std::string text(const Evidence& value) {
        if (value.automatic) return "auto";
        if (value.first == value.last) return text(value.first);
        return text(value.first) + ":" + text(value.last);
    }
    template <class Whole>
    requires std::is_unsigned_v<Whole>
    static std::string text(Whole value) { return std::to_string(value); }
    template <class T>
    static std::string text(const std::vector<T>& value) {
        return fmt::format("{}", fmt::join(value, ","));
    }
    static std::string text(const TreeLayers& value) {
        if (value.automatic) return "auto";
        return value.fan_ins.empty() ? "single" : text(value.fan_ins);
    }

    void set(Algorithm& value, const std::string& from) const {
        for (const Algorithm each : {Algorithm::kMfb, Algorithm::kBackprop}) {
            if (from == name_of(each)) {
                value = each;
                return;
            }
        }
        refuse(label, from, one_of());
    }
    void set(std::string& value, const std::string& from) const { value = from; }
    void set(bool& value, const std::string& from) const {
        if (from != "true" && from != "false") refuse(label, from, "true or false");
        value = from == "true";
    }
    void set(double& value, const std::string& from) const {
        if (!parse(from, value)) refuse(label, from, real_range());
    }
    template <class T>
    void set(std::optional<T>& value, const std::string& from) const {
        value.reset();
        if (from != option.unset) set(value.emplace(), from);
    }
    void set(Evidence& value, const std::string& from) const {
        value = Evidence::by_default();
        if (from == "auto") return;
        const std::size_t colon = from.find(':');
        set(value.first, from.substr(0, colon));
        value.last = value.first;
        if (colon != from.npos) set(value.last, from.substr(colon + 1));
        value.automatic = false;
    }
    template <class Whole>
    requires std::is_unsigned_v<Whole>
    void set(Whole& value, const std::string& from) const {
        if (option.values == "BYTES") {
            const auto bytes = parse_bytes(from);
            if (!bytes) refuse(label, from, "an amount of memory like 512M or 2G");
            value = static_cast<Whole>(*bytes);
        } else if (!parse(from, value)) {
            refuse(label, from, whole_range());
        }
    }
    void set(TreeLayers& value, const std::string& from) const {
        value = {};
        value.automatic = from == "auto";
        if (!value.automatic && from != "single") set(value.fan_ins, from);
    }
    template <class T>
    void set(std::vector<T>& value, const std::string& from) const {
        value.clear();
        std::size_t end = 0;
        for (std::size_t begin = 0; begin <= from.size(); begin = end + 1) {
            end = std::min(from.find(',', begin), from.size());
            set(value.emplace_back(), from.substr(begin, end - begin));
        }
    }

    void check(Algorithm) const {}
    void check(bool) const {}
    void check(const std::string& value) const {
        if (option.values.find('|') == option.values.npos) return;
        if (value.empty() &&
            text(TrainOptions{}.*std::get<std::string TrainOptions::*>(option.member)).empty()) {
            return;
        }
        for (std::string_view rest = option.values; !rest.empty();) {
            const std::string_view word = rest.substr(0, rest.find('|'));
            if (matches(word, value)) return;
            rest.remove_prefix(std::min(rest.size(), word.size() + 1));
        }
        refuse(label, value, one_of());
    }
    void check(double value) const {
        if (!std::isfinite(value) || !(value >= option.low && value < option.high)) {
            refuse(label, text(value), real_range());
        }
    }
    void check(const Evidence& value) const {
        check(value.first);
        check(value.last);
    }
    template <class T>
    void check(const std::optional<T>& value) const {
        if (value) check(*value);
    }
    template <class Whole>
    requires std::is_unsigned_v<Whole>
    void check(Whole value) const {
        const auto number = static_cast<double>(value);
        if (number < option.low || number > option.high) {
            refuse(label, text(value), whole_range());
        }
    }
    void check(const TreeLayers& value) const { check(value.fan_ins); }
    template <class T>
    void check(const std::vector<T>& value) const {
        for (const T each : value) check(each);
    }

  private:
    /// Words in capitals stand for others; "cuda[:N]" is cuda, or cuda:N.
    static bool matches(std::string_view word, std::string_view value) {
        constexpr std::string_view kNumbered = "[:N]";
        if (!word.ends_with(kNumbered)) {
            return word == value && !std::isupper(static_cast<unsigned char>(word[0]));
        }
        word.remove_suffix(kNumbered.size());
        if (!value.starts_with(word)) return false;
        value.remove_prefix(word.size());
        return value.empty() || (value.size() > 1 && value[0] == ':' &&
                                 value.find_first_not_of("0123456789", 1) == value.npos);
    }

    std::string one_of() const { return fmt::format("one of {}", option.values); }
    std::string real_range() const {
        if (option.low == kAboveZero) return "a number above 0";
        return fmt::format("a number from {} to below {}", option.low, option.high);
    }
    std::string whole_range() const {
        const std::string upper =
            option.high == kNoLimit ? "" : fmt::format(" to {:.0f}", option.high);
        return fmt::format("a whole number from {:.0f}{}", option.low, upper);
    }
};

void check(const TrainOptions& options, const TrainOption& option, const std::string& label) {
    std::visit([&](auto member) { Values{option, label}.check(options.*member); }, option.member);
}

}  // namespace

const char* name_of(Algorithm algorithm) {
    return algorithm == Algorithm::kMfb ? "mfb" : "backprop";
}

const TrainOption& find(std::string_view name) {
    for (const TrainOption& option : kTrainOptions) {
        if (option.name == name) return option;
    }
    throw Error(ErrorCode::kInternal, fmt::format("no option {}", name));
}

std::string text(const TrainOptions& options, const TrainOption& option) {
    const std::string label;
    return std::visit(
        [&](auto member) {
            return Values{option, label}.text(options.*member);
        },
        option.member);
}

void set(TrainOptions& options, const TrainOption& option, const std::string& value,
         const std::string& label) {
    const TrainOptions defaults;
    const bool unset = value.empty() && text(defaults, option).empty();
    std::visit(
        [&](auto member) {
            if (unset) {
                options.*member = defaults.*member;
            } else {
                Values{option, label}.set(options.*member, value);
            }
        },
        option.member);
    check(options, option, label);
}

std::size_t shift_of(const TrainOptions& options) {
    constexpr std::string_view kShift = "shift:";
    constexpr std::size_t kMaxPixels = 1000;
    const std::string& augment = options.augment;
    if (augment.empty()) return 0;
    std::size_t pixels = 0;
    if (!augment.starts_with(kShift) || !parse(augment.substr(kShift.size()), pixels) ||
        pixels < 1 || pixels > kMaxPixels) {
        refuse("`augment`", augment, fmt::format("shift:N, N from 1 to {}", kMaxPixels));
    }
    return pixels;
}

void validate(const TrainOptions& options) {
    for (const TrainOption& option : kTrainOptions) {
        check(options, option, fmt::format("`{}`", option.name));
    }
    const bool mfb = options.algorithm == Algorithm::kMfb;
    if (mfb && options.learning_rate) {
        throw Error(ErrorCode::kUsage, "`learning_rate`: MFB-BackProp has none",
                    "leave it out, or choose `algorithm` backprop");
    }
    if (!mfb && !options.evidence.automatic && options.evidence != Evidence(1)) {
        throw Error(ErrorCode::kUsage, "`evidence` is for `algorithm` mfb",
                    "backprop has `learning_rate`");
    }
    if (!mfb && options.label_noise.value_or(1) != 0) {
        throw Error(ErrorCode::kUsage, "`label_noise` is for `algorithm` mfb");
    }
    if (!mfb && options.memory) {
        throw Error(ErrorCode::kUsage, "`memory` is for `algorithm` mfb");
    }
    shift_of(options);
    if (options.dropout.size() > 2) {
        throw Error(ErrorCode::kUsage, "`dropout` takes two numbers at most",
                    "the share of inputs, and that of hidden neurons");
    }
    if (!options.dense.empty()) return;
    if (options.batch.value_or(1) != 1) {
        throw Error(ErrorCode::kUsage, "`batch` above 1 needs dense layers",
                    "trees learn row by row; `dense` 512 has batches");
    }
    if (!options.dropout.empty()) {
        throw Error(ErrorCode::kUsage, "`dropout` needs dense layers", "`dense` 512");
    }
}

}  // namespace bitbayes::options

// Typed access to a container that cannot be trusted; every failure is Error(kModel) and names the
// file.
#pragma once

#include <fmt/format.h>

#include <charconv>
#include <cstdint>
#include <cstring>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "container/container.hpp"

namespace bitbayes::container {

class ContainerReader {
  public:
    ContainerReader(const Container& container, const std::string& name)
        : container_(container), name_(name) {}

    [[noreturn]] void fail(std::string_view what) const;
    void require(bool condition, std::string_view what) const {
        if (!condition) fail(what);
    }

    /// format_version of a file of this `format`; `what` describes it in error messages. Refuses
    /// versions above `newest`.
    int format_version(std::string_view format, std::string_view what, int newest) const;

    bool has(const std::string& key) const { return container_.metadata.contains(key); }
    bool has_tensor(const std::string& key) const { return container_.tensors.contains(key); }
    const std::string& text(const std::string& key) const;
    bool flag(const std::string& key) const;
    nlohmann::json json_of(const std::string& key, int depth) const;
    /// A list of names, as names_json writes it.
    std::vector<std::string> names(const std::string& key) const;
    std::vector<std::string> names(const std::string& key, const nlohmann::json& list) const;
    /// At least two, all different.
    std::vector<std::string> class_names() const;

    template <class T>
    T number(const std::string& key) const {
        return parsed<T>(text(key), key);
    }

    /// A number in text; `what` names it in error messages.
    template <class T>
    T parsed(const std::string& digits, const std::string& what) const {
        T value{};
        const auto [end, error] =
            std::from_chars(digits.data(), digits.data() + digits.size(), value);
        require(error == std::errc{} && end == digits.data() + digits.size(),
                fmt::format("{} is not a number", what));
        return value;
    }

    TensorView tensor(const std::string& key, ElementType type) const;

    /// A tensor that was left out is empty.
    template <class T>
    std::vector<T> vector(const std::string& key, ElementType type) const {
        if (!container_.tensors.contains(key)) return {};
        const TensorView view = tensor(key, type);
        require(view.shape.size() == 1, fmt::format("tensor {} must have one dimension", key));
        std::vector<T> values(view.bytes.size() / sizeof(T));
        if (!values.empty()) std::memcpy(values.data(), view.bytes.data(), view.bytes.size());
        return values;
    }

  private:
    std::string name_from(const std::string& key, const nlohmann::json& entry) const;

    const Container& container_;
    const std::string& name_;
};

}  // namespace bitbayes::container

// Pieces of metadata and tensors that model files and packed networks share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <type_traits>
#include <vector>

#include "container/container.hpp"

namespace bitbayes::container {

inline const char* flag(bool value) { return value ? "true" : "false"; }

/// The value of `sparse` in files that describe only the columns of a sparse table which varied in
/// training; `features` is then the number of all.
inline constexpr const char* kKept = "kept";

/// A name that JSON cannot hold becomes {"hex": "..."}.
nlohmann::json names_json(const std::vector<std::string>& names);

/// Complains about columns of a table with `features` of them that are not ascending; `name` is
/// their tensor. Empty if they are.
std::string problem_of_kept(const std::vector<std::uint32_t>& columns, std::size_t features,
                            const std::string& name);

/// "fewer than two classes", ...; empty if the names can be those of classes.
std::string problem_of_classes(const std::vector<std::string>& names);

template <class T>
constexpr ElementType element_type() {
    if (std::is_same_v<T, double>) return ElementType::kF64;
    if (std::is_same_v<T, float>) return ElementType::kF32;
    static_assert(std::is_arithmetic_v<T> && (sizeof(T) > 1 || std::is_unsigned_v<T>));
    return sizeof(T) == 8   ? ElementType::kI64
           : sizeof(T) == 4 ? ElementType::kI32
           : sizeof(T) == 2 ? ElementType::kI16
                            : ElementType::kU8;
}

/// Refers to `values`; an empty vector is left out.
template <class T>
void add_vector(std::vector<OutgoingTensor>& tensors, const std::string& name,
                const std::vector<T>& values) {
    if (values.empty()) return;
    const std::size_t bytes = values.size() * sizeof(T);
    tensors.push_back(
        {name, element_type<T>(), {values.size()}, rows_in_memory(values.data(), 1, bytes, bytes)});
}

}  // namespace bitbayes::container

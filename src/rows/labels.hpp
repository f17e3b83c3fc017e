// Labels of one table seen through the class names of another.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "bitbayes/types/rows.hpp"

namespace bitbayes {

/// The classes that a network knows. Integers match by value: "+1" is "1".
class ClassIndex {
  public:
    static constexpr std::uint32_t kUnknown = UINT32_MAX;

    explicit ClassIndex(std::vector<std::string> names);
    const std::vector<std::string>& names() const { return names_; }
    /// kUnknown if there is no such name.
    std::uint32_t find(std::string_view name) const;
    /// Labels of `data` as indices into names(); Error(kData) names an unknown class, `remedy` ends
    /// its hint.
    std::vector<std::uint32_t> labels_of(const LabelledRows& data,
                                         const std::string& remedy = "") const;
    /// "it was trained on 0, 1, 2"
    std::string hint() const;

  private:
    std::vector<std::string> names_;
    std::unordered_map<std::string, std::uint32_t> index_;
    std::unordered_map<std::int64_t, std::uint32_t> index_of_integer_;
};

/// The same for a list of names that is used once.
std::vector<std::uint32_t> labels_among(const LabelledRows& data,
                                        const std::vector<std::string>& class_names);

/// Throws Error(kData) if `rows` is dense and its number of columns differs from the network's, or
/// if names or words of the columns are not those of the network, where both have them. Sparse rows
/// for a dense network are expanded, sparse columns beyond the network's are ignored.
void check_columns(const Rows& rows, std::size_t features, const TableColumns& table = {});

}  // namespace bitbayes

// Class names: labels as read, then sorted and numbered.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "bitbayes/types/dataset.hpp"

namespace bitbayes::data {

/// Collects one label per row.
class LabelBuilder {
  public:
    void add(std::string_view label);
    /// The labels as they were given, each once.
    const std::vector<std::string>& spellings() const { return names_; }
    /// About what it holds.
    std::size_t bytes() const { return labels_.size() * sizeof(labels_[0]) + name_bytes_; }
    /// Moves labels and sorted class names into `data`, then starts again empty.
    void finish(Dataset& data);

  private:
    std::unordered_map<std::string, std::uint32_t> index_;
    std::vector<std::string> names_;
    std::vector<std::uint32_t> labels_;
    std::size_t name_bytes_ = 0;
};

/// Gives both the same class names: the union of the two.
void unite_classes(Dataset& a, Dataset& b);

}  // namespace bitbayes::data

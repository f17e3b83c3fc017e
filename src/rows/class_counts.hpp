// Precision and recall of each class, from answers counted one by one: memory for the classes, not
// for their pairs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "bitbayes/types/answer.hpp"

namespace bitbayes {

class ClassCounts {
  public:
    explicit ClassCounts(std::size_t classes) : counts_(classes) {}

    void add(std::uint32_t truth, std::uint32_t answer);
    /// One per class, without AUC.
    std::vector<ClassFigures> figures() const;

  private:
    struct Count {
        std::size_t rows = 0, answers = 0, hits = 0;
    };
    std::vector<Count> counts_;
};

/// Means over the classes that have the figure; rows is their sum.
ClassFigures macro_average(std::span<const ClassFigures> figures);

}  // namespace bitbayes

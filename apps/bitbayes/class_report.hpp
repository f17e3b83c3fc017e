// Figures of classes, as `eval` and `train` show them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "bitbayes/types/answer.hpp"
#include "terminal/output.hpp"

namespace bitbayes::cli {

/// Tables of classes end here: with more classes they are left out.
inline constexpr std::size_t kLargestTable = 30;
/// JSON has the whole confusion matrix up to so many classes.
inline constexpr std::size_t kLargestMatrix = 1000;

/// Rows are the truth, columns the answers.
std::string confusion_table(const Confusion& confusion, const std::vector<std::string>& names);

/// Precision, recall, F1 and AUC of each class, and their means.
std::string class_table(std::span<const ClassFigures> per_class, const ClassFigures& macro,
                        const std::vector<std::string>& names);

/// Adds `confusion`, a matrix [truth][answer]; for many classes `confusion_entries` instead.
void add_confusion(Json& object, const Confusion& confusion);

/// Adds `per_class` and `macro`.
void add_class_figures(Json& object, std::span<const ClassFigures> per_class,
                       const ClassFigures& macro, const std::vector<std::string>& names);

}  // namespace bitbayes::cli

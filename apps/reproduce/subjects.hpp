// The four algorithms of the paper, as every figure and table shows them.
#pragma once

#include <cstddef>

namespace bitbayes::cli::reproduce {

struct Subject {
    const char* key;        // in results.json, teacher-student
    const char* name;       // as the paper calls it
    const char* algorithm;  // of training runs
    const char* figure;     // the error in the history that belongs to it
    std::size_t colour;
    double paper;  // error on MNIST
};

inline constexpr Subject kSubjects[] = {
    {"mfb", "MFB-BackProp", "mfb", "error_map", 0, 0.0468},
    {"pmfb", "PMFB-BackProp", "mfb", "error_mean", 1, 0.0426},
    {"backprop", "BackProp", "backprop", "error_mean", 2, 0.0214},
    {"clipped", "Clipped BackProp", "backprop", "error_map", 3, 0.3095}};

enum SubjectIndex : std::size_t { kMfb, kPmfb, kBackprop, kClipped };

/// How the input can be prepared: `global` is one mean and one scale over all pixels, the others are
/// options of `train`. The main runs use the first.
inline constexpr const char* kPreprocessings[] = {"center", "standardize", "global", "none"};

/// A fully connected 785x300x10 network of real weights (LeCun et al. 1998).
inline constexpr double kLiterature = 0.047;
/// A single layer 785x10: binary weights by MFB-BackProp, and real ones (LeCun et al. 1998).
inline constexpr double kSingleBinary = 0.29, kSingleReal = 0.12;

}  // namespace bitbayes::cli::reproduce

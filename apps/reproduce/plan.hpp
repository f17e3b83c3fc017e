// What `bitbayes reproduce` was asked for.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "bitbayes/types/options.hpp"
#include "data/teacher.hpp"
#include "terminal/common.hpp"

namespace bitbayes::cli::reproduce {

/// Training images of MNIST in a quick run.
inline constexpr std::size_t kQuickImages = 15000;

/// What the paper leaves no choice about.
inline TrainOptions paper_options() {
    TrainOptions options;
    options.epochs = 1;
    options.evidence = 1;
    options.label_noise = 0;
    options.polish = 0;
    return options;
}

struct Plan {
    Common common;
    std::string what, folder;
    bool quick = false;
    std::optional<std::uint64_t> trials_asked, epochs_asked;
    std::uint64_t seed = 1;
    unsigned threads = 0;
    std::string backend = "auto";  // of training runs on images

    bool includes(const std::string& experiment) const {
        return what == "all" || what == experiment;
    }

    // Teacher and student.
    std::uint64_t trials() const { return trials_asked.value_or(quick ? 5 : 10); }
    std::size_t teacher_samples() const { return quick ? 50000 : data::kTeacherTrainRows; }

    // MNIST: the main runs take all epochs, the side runs a fifth (quick: one).
    std::uint64_t seeds() const { return quick ? 1 : std::min<std::uint64_t>(trials(), 3); }
    std::uint64_t epochs() const { return epochs_asked.value_or(quick ? 8 : 30); }
    std::uint64_t side_epochs() const { return quick ? 1 : (epochs() + 4) / 5; }
    std::uint64_t dense_epochs() const { return epochs_asked.value_or(quick ? 4 : 20); }
    std::uint64_t single_epochs() const { return std::min<std::uint64_t>(epochs(), 10); }
};

}  // namespace bitbayes::cli::reproduce

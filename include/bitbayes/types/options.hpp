// Every training option, once: the struct that C++ callers fill in, and the table that drives the
// command line, its help, validation, checkpoints and the check that a resumed run has the same
// options. A new option is added here and in the code that uses it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "bitbayes/types/answer.hpp"

namespace bitbayes {

/// Fan-ins of the layers of trees, input side first; none: every output reads the layer below, or the
/// inputs if there are no dense layers. `automatic`: {M} for teacher:M, else none, and a dense layer if
/// there is none yet.
struct TreeLayers {
    std::vector<std::size_t> fan_ins;
    bool automatic = false;

    TreeLayers() = default;
    TreeLayers(std::initializer_list<std::size_t> list) : fan_ins(list) {}
    TreeLayers(std::vector<std::size_t> list) : fan_ins(std::move(list)) {}
    static TreeLayers by_default() {
        TreeLayers layers;
        layers.automatic = true;
        return layers;
    }
    bool operator==(const TreeLayers&) const = default;
};

/// How many times each row counts: `first` in the first epoch, rising evenly by factors to `last` in
/// the last one. `automatic`: chosen on the training rows.
struct Evidence {
    double first = 1, last = 1;
    bool automatic = false;

    Evidence() = default;
    Evidence(double constant) : first(constant), last(constant) {}
    Evidence(double from, double to) : first(from), last(to) {}
    static Evidence by_default() {
        Evidence evidence;
        evidence.automatic = true;
        return evidence;
    }
    bool operator==(const Evidence&) const = default;
};

struct TrainOptions {
    Algorithm algorithm = Algorithm::kMfb;
    TreeLayers tree = TreeLayers::by_default();
    std::vector<std::size_t> dense = {};  // widths of dense hidden layers, input side first
    std::optional<std::uint64_t> epochs = std::nullopt;  // unset: by the number of rows
    std::uint64_t seed = 1;
    unsigned threads = 0;
    std::string preprocess = "auto";
    bool bias = true;
    bool dense_ok = false;
    std::uint64_t thermometer_budget = 0;  // inputs; 0: no limit
    double prior_scale = 1;
    Evidence evidence = Evidence::by_default();
    std::optional<std::uint64_t> batch = std::nullopt;  // unset: that of the kind of network
    std::vector<double> dropout = {};                   // of inputs, of hidden neurons
    std::optional<double> learning_rate = std::nullopt;
    std::optional<double> label_noise = 0;               // unset: how often it is sure and wrong
    std::optional<std::uint64_t> memory = std::nullopt;  // in rows; unset: nothing is forgotten
    std::string augment = "";                            // "shift:N", or empty: none
    std::uint64_t polish = 5;                            // rounds; 0: the signs of the posterior
    std::string class_weight = "";                       // "balanced", or empty: none
    bool shuffle = true;
    std::string backend = "auto";
    bool classes_ok = false;
    std::uint64_t max_memory = 0;

    bool operator==(const TrainOptions&) const = default;
};

/// How an option may change when a run is resumed.
enum class OnResume { kMustBeEqual, kMayGrow, kIsFree };

struct TrainOption {
    using Member =
        std::variant<Algorithm TrainOptions::*, TreeLayers TrainOptions::*,
                     std::vector<std::size_t> TrainOptions::*, std::vector<double> TrainOptions::*,
                     std::optional<std::uint64_t> TrainOptions::*, std::uint64_t TrainOptions::*,
                     unsigned TrainOptions::*, std::string TrainOptions::*, bool TrainOptions::*,
                     double TrainOptions::*, std::optional<double> TrainOptions::*,
                     Evidence TrainOptions::*>;

    /// The command line writes '-' for '_', and "no-" before a bool that is true by default.
    std::string_view name;
    Member member;
    /// Inclusive bounds of each whole number; a real number must be finite, at least `low` and below
    /// `high`.
    double low, high;
    /// The value as help shows it. Words separated by '|' are choices; one in capitals is a value
    /// that the command line alone understands.
    std::string_view values;
    std::string_view group;
    OnResume on_resume;
    std::string_view help;
    std::string_view unset = "auto";  // the text of an optional value that is not given
    bool later = false;               // files from before the option was added lack it
};

inline constexpr double kNoLimit = std::numeric_limits<double>::infinity();
inline constexpr double kAboveZero = std::numeric_limits<double>::denorm_min();

inline constexpr TrainOption kTrainOptions[] = {
    {"algorithm", &TrainOptions::algorithm, 0, 0, "mfb|backprop", "Learning",
     OnResume::kMustBeEqual,
     "mfb: Bayes updates of weights +1 and -1; backprop: gradient descent on real weights, to "
     "compare with"},
    {"tree", &TrainOptions::tree, 1, 1 << 24, "K,...", "Network", OnResume::kMustBeEqual,
     "Hidden neurons per class: more can tell finer differences, and take longer; 15,9 for two "
     "hidden layers (default: none, but M for teacher:M)"},
    {"dense", &TrainOptions::dense, 1, 1 << 24, "N,...", "Network", OnResume::kMustBeEqual,
     "Hidden layers that all classes share, input side first, e.g. 512,512: with many classes "
     "fewer weights for the same error; trees, if any, stand on top (default: 1024 where no tree "
     "is asked for, fewer where columns are many)"},
    {"epochs", &TrainOptions::epochs, 1, UINT32_MAX, "N|auto", "Learning", OnResume::kMayGrow,
     "Passes over the rows, including those before a resume; auto: by the number of rows: 20, up "
     "to 40 for small tables, down to 3 for millions (1 for teacher:M, 10 for backprop)"},
    {"seed", &TrainOptions::seed, 0, kNoLimit, "N", "Learning", OnResume::kMustBeEqual,
     "Decides everything random: the start, the order of the rows, hold-out and folds"},
    {"threads", &TrainOptions::threads, 0, 1024, "N", "Run", OnResume::kIsFree,
     "CPU threads to use; 0: all cores; results do not change"},
    {"preprocess", &TrainOptions::preprocess, 0, 0, "NAME", "Network", OnResume::kMustBeEqual,
     "How columns become inputs: auto, center, thermometer:N (for columns of mixed scales), "
     "standardize or none"},
    {"thermometer_budget", &TrainOptions::thermometer_budget, 0, 1 << 24, "N", "Network",
     OnResume::kMustBeEqual,
     "With thermometer: keep the N thresholds that tell most about the classes, for devices where "
     "every input counts; 0: all",
     "", true},
    {"bias", &TrainOptions::bias, 0, 0, "", "Network", OnResume::kMustBeEqual,
     "Leave out the constant input"},
    {"dense_ok", &TrainOptions::dense_ok, 0, 0, "", "Network", OnResume::kMustBeEqual,
     "Let preprocessing make sparse data dense, if the memory suffices"},
    {"prior_scale", &TrainOptions::prior_scale, kAboveZero, kNoLimit, "X", "Network",
     OnResume::kMustBeEqual, "Multiplies the width of the random start; rarely worth changing"},
    {"evidence", &TrainOptions::evidence, kAboveZero, kNoLimit, "X|A:B|auto", "Learning",
     OnResume::kMustBeEqual,
     "How many times each row counts: above 1 learns faster from few passes, below 1 trusts single "
     "rows less; A:B changes from A in the first epoch to B in the last; auto: tried on "
     "training rows that are set aside"},
    {"batch", &TrainOptions::batch, 1, 1 << 20, "N", "Learning", OnResume::kMustBeEqual,
     "Rows that a dense network learns at once: more is faster, less needs fewer epochs (default: "
     "30; 1 for backprop)",
     ""},
    {"dropout", &TrainOptions::dropout, 0, 1, "A[,B]", "Learning", OnResume::kMustBeEqual,
     "Dense networks: leave out a share A of the inputs and B of the hidden neurons, drawn for "
     "each row"},
    {"learning_rate", &TrainOptions::learning_rate, kAboveZero, kNoLimit, "X", "Learning",
     OnResume::kMustBeEqual, "Step of backprop (default: the paper's for the number of inputs)"},
    {"label_noise", &TrainOptions::label_noise, 0, 0.5, "EPS|auto", "Learning",
     OnResume::kMustBeEqual,
     "The share of labels that are wrong, so that single rows do not convince a sure network; "
     "auto: as often as each output is sure and wrong; 0: none, as in the paper",
     "auto", true},
    {"memory", &TrainOptions::memory, 1, kNoLimit, "N|inf", "Learning", OnResume::kMustBeEqual,
     "Forget: evidence fades over N rows, toward the random start", "inf", true},
    {"augment", &TrainOptions::augment, 0, 0, "shift:N", "Learning", OnResume::kMustBeEqual,
     "Images: move each by up to N pixels, anew in every epoch", "", true},
    {"polish", &TrainOptions::polish, 0, 1000, "N", "Learning", OnResume::kMustBeEqual,
     "Rounds that look for a better clipped network when training is done; the probabilities do "
     "not change; 0: the signs of the posterior, as in the paper",
     "", true},
    {"class_weight", &TrainOptions::class_weight, 0, 0, "balanced|FILE", "Learning",
     OnResume::kMustBeEqual,
     "Let rare classes count as much as frequent ones; FILE: lines CLASS,WEIGHT or a JSON object"},
    {"shuffle", &TrainOptions::shuffle, 0, 0, "", "Learning", OnResume::kMustBeEqual,
     "Take the rows in the order of the file in every epoch"},
    {"backend", &TrainOptions::backend, 0, 0, "auto|scalar|simd|cuda[:N]", "Run", OnResume::kIsFree,
     "What to learn on; the model is the same, byte for byte. auto: the CPU, as fast as it can; "
     "simd, scalar: its vector or plain loops; cuda: an NVIDIA GPU, cuda:1 the second one"},
    {"classes_ok", &TrainOptions::classes_ok, 0, 0, "", "Learning", OnResume::kIsFree,
     "Train on more than 100 classes even if they look like numbers or have under 5 rows each"},
    {"max_memory", &TrainOptions::max_memory, 0, kNoLimit, "BYTES", "Run", OnResume::kIsFree,
     "Memory that reading DATA and training may take, e.g. 2G (default: for reading, an amount "
     "that follows from the size of the file; for training, 80 % of what this machine allows)"},
};

}  // namespace bitbayes

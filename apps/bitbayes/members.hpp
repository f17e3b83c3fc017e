// `train --members N`: N runs that differ in their seed, kept as one model.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "bitbayes/types/reading.hpp"
#include "terminal/output.hpp"
#include "terminal/training.hpp"
#include "train_arguments.hpp"

namespace bitbayes::cli {

struct Outcome {
    Json object;
    std::string table;
};

/// The checkpoints of a run: FILE, or FILE.0, FILE.1, ... of its members; none if `file` is empty.
std::vector<std::string> checkpoint_files(const std::string& file, std::uint64_t members);

/// Member m learns with seed SEED + m, on rank m modulo the number of ranks and there alone. Evidence
/// that is left to the data is chosen by member 0. Rank 0 keeps and evaluates the model; the others'
/// outcome is empty. `announce` says what member 0 will learn, before trials of the evidence; `started`
/// gets the first run of this rank before it learns.
Outcome train_members(const TrainArguments& arguments, const LoadedData& data,
                      const TrainOptions& asked, bool replace_checkpoints,
                      const Announcement& announce,
                      const std::function<void(const Training&)>& started);

}  // namespace bitbayes::cli

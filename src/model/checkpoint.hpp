// What a checkpoint holds besides the model: metadata "checkpoint" (JSON: the position in the run,
// its history and its settings, one text per option) and tensor checkpoint.confusion I64 [entries, 4]:
// evaluation (from 0), truth, answer, count.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "container/container.hpp"
#include "model/model_codec.hpp"
#include "model/model_file.hpp"

namespace bitbayes::model {

/// Adds both to `out`; `confusion` is storage that must outlive the writing.
void encode_run(const training::TrainPosition& position, const RunSettings& settings,
                EncodedModel& out, std::vector<std::uint64_t>& confusion);

/// Error(kModel) if the file is a model but not a checkpoint.
training::TrainPosition decode_position(const container::Container& file, const std::string& name,
                                        std::size_t classes);
/// Error(kUsage) for a format before 3.
RunSettings decode_settings(const container::Container& file, const std::string& name);

}  // namespace bitbayes::model

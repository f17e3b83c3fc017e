// What a checkpoint holds beside the model: metadata "checkpoint" (JSON: the position in the run,
// its history and its settings) and tensor checkpoint.confusion I64 [evaluations, classes,
// classes].
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/container.hpp"
#include "model/model_codec.hpp"
#include "model/model_file.hpp"

namespace bitbayes::model {

/// Adds both to `out`; `confusion` is storage that must last until they are written.
void encode_run(const learn::TrainPosition& position, const RunSettings& settings,
                std::size_t classes, EncodedModel& out, std::vector<std::uint64_t>& confusion);

/// Fills position and settings of a checkpoint whose model was read already.
void decode_run(const Container& container, const std::string& name, Checkpoint& checkpoint);

}  // namespace bitbayes::model

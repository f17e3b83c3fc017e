// Model and checkpoint files: the safetensors layout, with a CRC-32 over every byte (DESIGN section
// 5).
#pragma once

#include <string>
#include <string_view>

#include "bitbayes/types/options.hpp"
#include "learn/model_state.hpp"
#include "training/trainer.hpp"

namespace bitbayes::model {

/// The one that is written, and the newest that is read.
inline constexpr int kFormatVersion = 3;
/// Metadata column_kinds of a table of numbers.
inline constexpr const char* kNumbers = "number";

/// Settings that decide the bytes of the result; a resumed run must have the same ones.
struct RunSettings {
    TrainOptions options;
    std::string data_fingerprint;
    std::string test_fingerprint;  // empty without a test set
};

struct Checkpoint {
    learn::ModelState model;
    training::TrainPosition position;
    RunSettings settings;
};

void save_model(const std::string& path, const learn::ModelState& model);
/// The bytes of such a file.
std::string model_bytes(const learn::ModelState& model);
void save_checkpoint(const std::string& path, const learn::ModelState& model,
                     const training::TrainPosition& position, const RunSettings& settings);

/// Error(kModel) for anything wrong with the content, Error(kIo) if it cannot be read. A checkpoint
/// loads like a model.
learn::ModelState load_model(const std::string& path);
/// Also Error(kModel) if the file is a model but no checkpoint, and Error(kUsage) for a checkpoint
/// of an older format: its steps were computed in another way, so the run cannot go on as it began.
Checkpoint load_checkpoint(const std::string& path);

/// The same from bytes in memory; `name` is for messages.
learn::ModelState parse_model(std::string_view bytes, const std::string& name);
Checkpoint parse_checkpoint(std::string_view bytes, const std::string& name);
/// Where the run of a checkpoint of any format stood.
training::TrainPosition parse_position(std::string_view bytes, const std::string& name);

/// Error(kUsage) that names the first setting in which the two differ in a way that the table of
/// options does not allow.
void check_same_run(const RunSettings& saved, const RunSettings& now);

}  // namespace bitbayes::model

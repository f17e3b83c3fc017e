// Model and checkpoint files: the safetensors layout, with a CRC-32 over every byte (DESIGN section
// 5).
#pragma once

#include <string>
#include <string_view>

#include "bitbayes/train.hpp"
#include "learn/model_state.hpp"
#include "learn/trainer.hpp"

namespace bitbayes::model {

/// The newest that is read. A file says the oldest that can hold it: 1 for MFB, 2 for BackProp.
inline constexpr int kFormatVersion = 2;

/// Settings that decide the bytes of the result; a resumed run must have the same ones.
struct RunSettings {
    TrainOptions options;
    std::string data_fingerprint;
    std::string test_fingerprint;  // empty without a test set
};

struct Checkpoint {
    learn::ModelState model;
    learn::TrainPosition position;
    RunSettings settings;
};

void save_model(const std::string& path, const learn::ModelState& model);
void save_checkpoint(const std::string& path, const learn::ModelState& model,
                     const learn::TrainPosition& position, const RunSettings& settings);

/// Error(kModel) for anything wrong with the content, Error(kIo) if it cannot be read. A checkpoint
/// loads like a model.
learn::ModelState load_model(const std::string& path);
/// Also Error(kModel) if the file is a model but no checkpoint.
Checkpoint load_checkpoint(const std::string& path);

/// The same from bytes in memory; `name` is for messages.
learn::ModelState parse_model(std::string_view bytes, const std::string& name);
Checkpoint parse_checkpoint(std::string_view bytes, const std::string& name);

/// Error(kUsage) that names the first setting in which the two differ; threads and backend may
/// differ, and epochs may grow. `evidence`, `tree` and so on must not.
void check_same_run(const RunSettings& saved, const RunSettings& now);

}  // namespace bitbayes::model

// Model and checkpoint files: the safetensors layout, with a CRC-32 over every byte
// (docs/model-file.md).
#pragma once

#include <string>
#include <string_view>

#include "base/atomic_file.hpp"
#include "bitbayes/types/options.hpp"
#include "dist/communicator.hpp"
#include "learn/model_state.hpp"
#include "training/trainer.hpp"

namespace bitbayes::model {

/// The version of a file of one model, of a file of several (members_file.hpp), and of one model whose
/// real columns enter the clipped network in steps of powers of two, the newest that is read.
inline constexpr int kFormatVersion = 3;
inline constexpr int kMembersFormat = 4;
inline constexpr int kBinaryStepsFormat = 5;

/// Settings that determine the bytes of the result; a resumed run must have the same.
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

/// Error(kUsage), and nothing is written, for a model that would not load. Ranks that share the
/// network each have some of its trees; rank 0 writes the file.
void save_model(const std::string& path, const learn::ModelState& model,
                Existing existing = Existing::kReplace, dist::Communicator& ranks = dist::alone());
/// The bytes of a model file.
std::string model_bytes(const learn::ModelState& model);
void save_checkpoint(const std::string& path, const learn::ModelState& model,
                     const training::TrainPosition& position, const RunSettings& settings,
                     Existing existing = Existing::kReplace,
                     dist::Communicator& ranks = dist::alone());

/// Error(kModel) for anything wrong with the content, Error(kIo) if it cannot be read. A checkpoint
/// loads like a model.
learn::ModelState load_model(const std::string& path);
/// Also Error(kModel) if the file is a model but not a checkpoint, and Error(kUsage) for a
/// checkpoint of an older format: its steps were computed differently, so the run could not
/// continue to the same bytes.
Checkpoint load_checkpoint(const std::string& path);

/// The same from bytes in memory; `name` is used in error messages.
learn::ModelState parse_model(std::string_view bytes, const std::string& name);
Checkpoint parse_checkpoint(std::string_view bytes, const std::string& name);
/// The position at which a checkpoint of any format was saved.
training::TrainPosition parse_position(std::string_view bytes, const std::string& name);

/// `asked`, with the values of `saved` where it leaves the choice to the data.
TrainOptions as_saved(TrainOptions asked, const TrainOptions& saved);

/// Error(kUsage) that names the first setting whose change the table of options does not allow.
void check_same_run(const RunSettings& saved, const RunSettings& now);

}  // namespace bitbayes::model

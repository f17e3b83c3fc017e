#include "model/model_file.hpp"

#include "bitbayes/types/error.hpp"
#include "container/container.hpp"
#include "dist/collectives.hpp"
#include "model/checkpoint.hpp"
#include "model/model_codec.hpp"
#include "model/problem.hpp"

namespace bitbayes::model {
namespace {

/// Refuses to write what decode_model would refuse to read.
EncodedModel encode_checked(const learn::ModelState& model, dist::Communicator& ranks) {
    const auto refuse = [](const std::string& problem, const char* hint) {
        if (problem.empty()) return;
        throw Error(ErrorCode::kUsage, problem + ": nothing written", hint);
    };
    dist::together(ranks, [&] {
        refuse(problem_of(model), "");
        refuse(problem_of(model.posterior), "train with a smaller `learning_rate` or `evidence`");
    });
    return encode_model(model, ranks);
}

/// Rank 0 writes; the others send what it asks for, and go on once the file is there.
void write(const std::string& path, const EncodedModel& encoded, Existing existing,
           dist::Communicator& ranks) {
    if (ranks.first()) {
        container::write_container(path, encoded.metadata, encoded.tensors, existing);
    } else {
        container::send_container([](std::span<const char>) {}, encoded.metadata, encoded.tensors);
    }
    ranks.barrier();
}

}  // namespace

void save_model(const std::string& path, const learn::ModelState& model, Existing existing,
                dist::Communicator& ranks) {
    write(path, encode_checked(model, ranks), existing, ranks);
}

std::string model_bytes(const learn::ModelState& model) {
    const EncodedModel encoded = encode_checked(model, dist::alone());
    return container::container_bytes(encoded.metadata, encoded.tensors);
}

void save_checkpoint(const std::string& path, const learn::ModelState& model,
                     const training::TrainPosition& position, const RunSettings& settings,
                     Existing existing, dist::Communicator& ranks) {
    EncodedModel encoded = encode_checked(model, ranks);
    std::vector<std::uint64_t> confusion;
    encode_run(position, settings, encoded, confusion);
    write(path, encoded, existing, ranks);
}

learn::ModelState load_model(const std::string& path) {
    const std::string bytes = container::read_container_file(path);
    return parse_model(bytes, path);
}

Checkpoint load_checkpoint(const std::string& path) {
    const std::string bytes = container::read_container_file(path);
    return parse_checkpoint(bytes, path);
}

learn::ModelState parse_model(std::string_view bytes, const std::string& name) {
    return decode_model(container::parse_container(bytes, name), name);
}

Checkpoint parse_checkpoint(std::string_view bytes, const std::string& name) {
    const auto file = container::parse_container(bytes, name);
    Checkpoint checkpoint;
    checkpoint.model = decode_model(file, name);
    checkpoint.settings = decode_settings(file, name);
    checkpoint.position = decode_position(file, name, checkpoint.model.classes());
    const TrainOptions& options = checkpoint.settings.options;
    if (options.algorithm != checkpoint.model.algorithm() ||
        options.dense.empty() != checkpoint.model.architecture.is_tree()) {
        throw Error(ErrorCode::kModel,
                    name + ": the settings of the checkpoint name another algorithm or network");
    }
    return checkpoint;
}

training::TrainPosition parse_position(std::string_view bytes, const std::string& name) {
    const auto file = container::parse_container(bytes, name);
    return decode_position(file, name, decode_model(file, name).classes());
}

}  // namespace bitbayes::model

#include "model/model_file.hpp"

#include "bitbayes/types/error.hpp"
#include "container/container.hpp"
#include "model/checkpoint.hpp"
#include "model/model_codec.hpp"

namespace bitbayes::model {

void save_model(const std::string& path, const learn::ModelState& model) {
    const EncodedModel encoded = encode_model(model);
    container::write_container(path, encoded.metadata, encoded.tensors);
}

std::string model_bytes(const learn::ModelState& model) {
    const EncodedModel encoded = encode_model(model);
    return container::container_bytes(encoded.metadata, encoded.tensors);
}

void save_checkpoint(const std::string& path, const learn::ModelState& model,
                     const training::TrainPosition& position, const RunSettings& settings) {
    EncodedModel encoded = encode_model(model);
    std::vector<std::uint64_t> confusion;
    encode_run(position, settings, encoded, confusion);
    container::write_container(path, encoded.metadata, encoded.tensors);
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
    if (checkpoint.settings.options.algorithm != checkpoint.model.algorithm()) {
        throw Error(ErrorCode::kModel,
                    name + ": the settings of the checkpoint name another algorithm");
    }
    return checkpoint;
}

training::TrainPosition parse_position(std::string_view bytes, const std::string& name) {
    const auto file = container::parse_container(bytes, name);
    return decode_position(file, name, decode_model(file, name).classes());
}

}  // namespace bitbayes::model

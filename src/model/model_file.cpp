#include "model/model_file.hpp"

#include "model/checkpoint.hpp"
#include "model/container.hpp"
#include "model/model_codec.hpp"

namespace bitbayes::model {

void save_model(const std::string& path, const learn::ModelState& model) {
    const EncodedModel encoded = encode_model(model);
    write_container(path, encoded.metadata, encoded.tensors);
}

void save_checkpoint(const std::string& path, const learn::ModelState& model,
                     const learn::TrainPosition& position, const RunSettings& settings) {
    EncodedModel encoded = encode_model(model);
    std::vector<std::uint64_t> confusion;
    encode_run(position, settings, model.classes(), encoded, confusion);
    write_container(path, encoded.metadata, encoded.tensors);
}

learn::ModelState load_model(const std::string& path) {
    const std::string bytes = read_container_file(path);
    return parse_model(bytes, path);
}

Checkpoint load_checkpoint(const std::string& path) {
    const std::string bytes = read_container_file(path);
    return parse_checkpoint(bytes, path);
}

learn::ModelState parse_model(std::string_view bytes, const std::string& name) {
    return decode_model(parse_container(bytes, name), name);
}

Checkpoint parse_checkpoint(std::string_view bytes, const std::string& name) {
    const Container container = parse_container(bytes, name);
    Checkpoint checkpoint;
    checkpoint.model = decode_model(container, name);
    decode_run(container, name, checkpoint);
    return checkpoint;
}

}  // namespace bitbayes::model

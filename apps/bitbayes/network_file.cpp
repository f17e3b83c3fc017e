#include "network_file.hpp"

#include "model/container.hpp"
#include "model/model_file.hpp"
#include "model/packed_file.hpp"

namespace bitbayes::cli {

NetworkFile load_network(const std::string& path) {
    const std::string bytes = model::read_container_file(path);
    NetworkFile file;
    if (model::is_packed(bytes, path)) {
        file.packed.emplace(model::parse_packed(bytes, path));
    } else {
        file.model.emplace(model::parse_model(bytes, path));
    }
    return file;
}

}  // namespace bitbayes::cli

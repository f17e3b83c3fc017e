#include "network_file.hpp"

#include "container/container.hpp"
#include "model/members_file.hpp"
#include "packed/packed_file.hpp"

namespace bitbayes::cli {

NetworkFile load_network(const std::string& path) {
    const std::string bytes = container::read_container_file(path);
    NetworkFile file;
    if (packed::is_packed(bytes, path)) {
        file.packed.emplace(packed::parse_packed(bytes, path));
    } else {
        file.model.emplace(model::parse_members(bytes, path));
    }
    return file;
}

}  // namespace bitbayes::cli

// A MODEL argument may name a model, a checkpoint or a packed network.
#pragma once

#include <optional>
#include <string>

#include "bitbayes/model.hpp"
#include "bitbayes/packed_network.hpp"

namespace bitbayes::cli {

/// Exactly one of the two is set.
struct NetworkFile {
    std::optional<Model> model;
    std::optional<PackedNetwork> packed;

    TableColumns known() const { return (model ? model->reading() : packed->reading()).known; }
    const std::vector<std::string>& class_names() const {
        return model ? model->class_names() : packed->class_names();
    }
};

NetworkFile load_network(const std::string& path);

}  // namespace bitbayes::cli

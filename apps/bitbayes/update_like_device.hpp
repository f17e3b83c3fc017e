// `update --like-device`: the rows are learned in whole numbers, as exported C does it.
#pragma once

#include <cstdint>
#include <vector>

#include "bitbayes/model.hpp"
#include "bitbayes/types/reports.hpp"
#include "device/network.hpp"

namespace bitbayes::cli {

/// What a device would learn of a model: Error(kUsage) for several members.
device::Network device_network_of(const Model& model, const std::string& path);

/// Rows as a device receives them, and their classes.
struct DeviceRows {
    std::size_t columns = 0;
    std::vector<std::int16_t> values;
    std::vector<std::uint32_t> labels;

    std::size_t size() const { return labels.size(); }
    std::span<const std::int16_t> row(std::size_t r) const {
        return std::span(values).subspan(r * columns, columns);
    }
};
DeviceRows device_rows(const Model& model, const device::Network& network, const Dataset& data);

struct DeviceUpdate {
    Model model;
    UpdateReport report;
};
DeviceUpdate update_like_device(const Model& model, const device::Network& network,
                                const Dataset& data, std::uint32_t seed);

}  // namespace bitbayes::cli

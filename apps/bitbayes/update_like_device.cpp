#include "update_like_device.hpp"

#include <fmt/format.h>

#include <chrono>

#include "bitbayes/types/error.hpp"
#include "clip/device_clip.hpp"
#include "learn/live_model.hpp"
#include "packed/packed_answers.hpp"

namespace bitbayes::cli {

device::Network device_network_of(const Model& model, const std::string& path) {
    if (model.members() == 1) return clip::device_network(model.live().snapshot());
    throw Error(ErrorCode::kUsage,
                fmt::format("{}: {} members; a device learns one network", path, model.members()));
}

DeviceRows device_rows(const Model& model, const device::Network& network, const Dataset& data) {
    packed::check_columns(network.clipped, data);
    if (!data.weights.empty()) {
        throw Error(ErrorCode::kUsage, "a device learns every row once: no --row-weight");
    }
    DeviceRows rows;
    rows.columns = network.clipped.quantiser.columns();
    rows.labels = model.live().classes().labels_of(data);
    rows.values.resize(data.rows * rows.columns);
    packed::quantise_rows(network.clipped, data, 0, rows.values);
    return rows;
}

DeviceUpdate update_like_device(const Model& model, const device::Network& network,
                                const Dataset& data, std::uint32_t seed) {
    const DeviceRows rows = device_rows(model, network, data);
    const auto start = std::chrono::steady_clock::now();
    device::Learner learner(network, seed);
    std::size_t errors = 0;
    for (std::size_t r = 0; r < rows.size(); ++r) {
        const auto before = packed::Network::answer(learner.scores(rows.row(r)));
        errors += before.class_index != rows.labels[r];
        learner.learn(rows.row(r), rows.labels[r]);
    }
    learn::ModelState state = model.live().snapshot();
    clip::take_back(network, learner, rows.size(), state);
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start;
    const auto count = static_cast<double>(std::max<std::size_t>(rows.size(), 1));
    return {Model(std::move(state)),
            {rows.size(), static_cast<double>(errors) / count, passed.count()}};
}

}  // namespace bitbayes::cli

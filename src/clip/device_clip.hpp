// From a model to a network that a device learns with, and back.
#pragma once

#include "device/learner.hpp"
#include "device/network.hpp"
#include "learn/model_state.hpp"

namespace bitbayes::clip {

/// Error(kUsage) unless the model is a tree of one or two layers with the MFB rule, on dense rows.
device::Network device_network(const learn::ModelState& model);

/// Replaces h by what the device has learned; `rows` of them. A polished pattern is dropped.
void take_back(const device::Network& network, const device::Learner& learner, std::uint64_t rows,
               learn::ModelState& model);

}  // namespace bitbayes::clip

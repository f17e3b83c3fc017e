// One more class for a trained network.
#pragma once

#include <string>

#include "learn/model_state.hpp"

namespace bitbayes::learn {

/// The model with a class after the others. Its tree is the prior that a network of so many classes
/// would have started from; the other trees, and layers that all classes share, keep what they have
/// learned. (Right on top of shared layers a tree is a single neuron.) The single tree of a model of
/// two classes becomes that of the second class; the first class gets a copy whose output has the
/// opposite sign (h of the top layer negated), so that z_0 = -z_1 as before. The label noise of the
/// new output is the mean of the others. Error(kUsage) if there is such a class.
ModelState with_class(const ModelState& model, const std::string& name);

}  // namespace bitbayes::learn

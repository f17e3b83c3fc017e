// What a model file must not hold. Reading and writing ask the same questions, so that whatever was
// saved can be loaded.
#pragma once

#include <string>

#include "learn/model_state.hpp"

namespace bitbayes::model {

/// The first contradiction in the model, in words; empty if there is none. Without weights.
std::string problem_of(const learn::ModelState& model);

/// The first weight or carried mean that is not a sensible number, in words; empty if there is none.
/// The shapes must fit.
std::string problem_of(const learn::Posterior& posterior);

}  // namespace bitbayes::model

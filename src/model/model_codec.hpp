// A model as metadata and tensors, and back. What a model file holds, beyond the container:
//
//   metadata  format, format_version, library_version, architecture (JSON), preprocess,
//   preprocess_reason, bias,
//             sparse, class_names (JSON), seed, samples_seen, evidence;
//             signs (if every varying column holds -1 and +1 only);
//             BackProp (format 2) also algorithm and learning_rate
//   tensors   layer1.h .. layerL.h F32 [neurons, fan_in], of BackProp layer1.w ..;
//             columns.minimum, .maximum, .median F64 and .integer U8, one element per feature;
//             preprocess.mean, .scale, .thresholds F64, .threshold_start I64, left out where empty
#pragma once

#include <string>
#include <vector>

#include "learn/model_state.hpp"
#include "model/container.hpp"

namespace bitbayes::model {

struct EncodedModel {
    Metadata metadata;
    std::vector<OutgoingTensor> tensors;  // refer to the model
};

EncodedModel encode_model(const learn::ModelState& model);

/// Error(kModel) unless everything fits together; `name` is for messages.
learn::ModelState decode_model(const Container& container, const std::string& name);

}  // namespace bitbayes::model

// A model as metadata and tensors, and back. What a model file of formats 3 and 5 holds, beyond the
// container (docs/model-file.md has the table, and what formats 1 and 2 were):
//
//   metadata  format, format_version, library_version, algorithm, rule, architecture (JSON, with the
//             connectivity of each layer), prior_scale, evidence, learning_rate (BackProp),
//             preprocess, preprocess_reason, quantiser (format 5: binary), bias, sparse, signs, class_names (JSON),
//             column_kinds and so on (container/table_columns.hpp), seed, samples_seen
//   tensors   layer1.h .. F32 [neurons, fan_in], named by the rule (BackProp: .w); layer1.w too while
//             w is carried between two refreshes;
//             columns.minimum, .maximum, .median F64 and .integer U8, one element per feature, or, if
//             sparse is "kept", one per element of columns.index I32, the columns that varied;
//             preprocess.mean, .scale, .thresholds F64, .threshold_start I64, left out where empty
#pragma once

#include <string>
#include <vector>

#include "container/container.hpp"
#include "dist/communicator.hpp"
#include "learn/model_state.hpp"

namespace bitbayes::model {

inline constexpr const char* kBinarySteps = "binary";  // of `quantiser`

struct EncodedModel {
    container::Metadata metadata;
    std::vector<container::OutgoingTensor> tensors;  // views of the model
};

/// The format version of a model file. Error(kModel) if it is another file, or too new.
int model_format(const container::Container& file, const std::string& name);

/// Does not check the model. Ranks that share its trees send theirs to rank 0, whose bytes are those of
/// the whole model.
EncodedModel encode_model(const learn::ModelState& model, dist::Communicator& ranks);

/// Error(kModel) unless the file holds one model and everything is consistent; `name` is used in error messages.
learn::ModelState decode_model(const container::Container& file, const std::string& name);

}  // namespace bitbayes::model

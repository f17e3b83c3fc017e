// Files that are damaged on purpose, and models that must not become files.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <string>

#include "../base/temp_folder.hpp"
#include "model/expect_error.hpp"
#include "model/model_codec.hpp"
#include "model/sample_models.hpp"

namespace bitbayes::test {

inline std::string bytes_of(const learn::ModelState& model) {
    const TempFolder folder;
    model::save_model(folder / "m", model);
    EXPECT_EQ(folder.files(), 1u);
    return slurp(folder / "m");
}

struct Change {
    const char *from, *to;  // of the same length
    const char* complaint;
};

inline void expect_complaint(const std::string& good, const Change& change) {
    std::string bytes = good;
    const std::size_t at = bytes.find(change.from);
    ASSERT_NE(at, std::string::npos) << change.from;
    ASSERT_EQ(std::strlen(change.from), std::strlen(change.to)) << change.from;
    bytes.replace(at, std::strlen(change.to), change.to);
    const auto text =
        error_of(ErrorCode::kModel, [&] { model::parse_model(with_valid_crc(bytes), "m.bb"); });
    EXPECT_EQ(text.rfind("m.bb: ", 0), 0u) << text;
    EXPECT_NE(text.find(change.complaint), std::string::npos) << text << " for " << change.to;
}

/// The bytes of a model that cannot be saved.
inline std::string unchecked_bytes(const learn::ModelState& model) {
    const model::EncodedModel encoded = model::encode_model(model, dist::alone());
    return container::container_bytes(encoded.metadata, encoded.tensors);
}

/// Both on reading and on writing.
inline void expect_refused(const learn::ModelState& model, const std::string& complaint) {
    const auto read =
        error_of(ErrorCode::kModel, [&] { model::parse_model(unchecked_bytes(model), "m"); });
    EXPECT_NE(read.find(complaint), std::string::npos) << read;
    const TempFolder folder;
    const auto written =
        error_of(ErrorCode::kUsage, [&] { model::save_model(folder / "m", model); });
    EXPECT_NE(written.find(complaint), std::string::npos) << written;
    EXPECT_EQ(folder.files(), 0u);
    error_of(ErrorCode::kUsage, [&] { model::model_bytes(model); });
    error_of(ErrorCode::kUsage, [&] {
        model::save_checkpoint(folder / "c", model, sample_position(), sample_settings());
    });
    EXPECT_EQ(folder.files(), 0u);
}

}  // namespace bitbayes::test

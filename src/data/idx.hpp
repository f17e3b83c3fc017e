// IDX arrays of unsigned bytes: magic 0 0 8 D, then D big-endian 32-bit sizes, then the bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "bitbayes/types/reading.hpp"
#include "data/input.hpp"

namespace bitbayes::data {

inline constexpr std::string_view kIdxMagic{"\0\0\x08", 3};

struct IdxArray {
    std::vector<std::size_t> shape;
    std::vector<std::uint8_t> values;
};

IdxArray read_idx_array(Input& input);

/// One row per image; without `labels` the rows have none.
Dataset read_idx(Input& images, Input* labels = nullptr);

/// The same from memory.
Dataset read_idx(std::string_view images, std::string_view labels, const std::string& name);

/// A folder with training images and labels and usually test images and labels, recognised by their
/// names.
LoadedData read_idx_folder(const std::string& folder, std::size_t max_memory = 0);
/// The IDX files of a folder, by their names.
std::vector<std::string> idx_files(const std::string& folder);

}  // namespace bitbayes::data

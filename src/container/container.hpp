// The safetensors layout, with a CRC-32 over the whole file:
//
//   8 bytes   little-endian length of the header
//   header    JSON, padded with spaces to a multiple of 8:
//             {"__metadata__": {"crc32": "89abcdef", ...}, NAME: {"dtype", "shape",
//             "data_offsets"}, ...}
//   data      little-endian tensors that tile the rest of the file
//
// The CRC (zlib's polynomial) is that of the file with its own eight digits read as '0'.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/atomic_file.hpp"

namespace bitbayes::container {

enum class ElementType { kU8, kI16, kI32, kI64, kF32, kF64 };

std::size_t element_size(ElementType type);

using Metadata = std::map<std::string, std::string>;

/// A tensor to be written.
struct OutgoingTensor {
    std::string name;
    ElementType type = ElementType::kU8;
    std::vector<std::uint64_t> shape;
    /// Sends its bytes to a sink, in pieces of any size; called twice, the CRC comes first in a file.
    std::function<void(const FileSink&)> send;
};

/// `rows` rows of `row_bytes`, `stride` bytes apart in memory and without gaps in the file; the memory
/// must outlive the tensor.
std::function<void(const FileSink&)> rows_in_memory(const void* data, std::size_t rows,
                                                    std::size_t row_bytes, std::size_t stride);

/// Stream the tensors, in the given order and without copying them first: to a sink, to a file that
/// appears whole or not at all, or into memory. Metadata is UTF-8 and has no key "crc32".
void send_container(const FileSink& sink, const Metadata& metadata,
                    std::span<const OutgoingTensor> tensors);
void write_container(const std::string& path, const Metadata& metadata,
                     std::span<const OutgoingTensor> tensors,
                     Existing existing = Existing::kReplace);
std::string container_bytes(const Metadata& metadata, std::span<const OutgoingTensor> tensors);

struct TensorView {
    ElementType type = ElementType::kU8;
    std::vector<std::uint64_t> shape;
    std::string_view bytes;
};

struct Container {
    Metadata metadata;
    std::map<std::string, TensorView> tensors;
};

/// Views into `bytes`. Error(kModel) unless every byte is as it was written; `name` is used in
/// error messages.
Container parse_container(std::string_view bytes, const std::string& name);

/// The bytes of a file, for parse_container. Error(kIo) if it cannot be read; Error(kModel), before
/// any memory is allocated, for a header that does not fit into the file.
std::string read_container_file(const std::string& path);

/// Position of the eight digits of the CRC; npos if that is ambiguous.
std::size_t find_crc_digits(std::string_view bytes);
/// The correct eight digits of the CRC.
std::string crc_digits(std::string_view bytes, std::size_t position);

}  // namespace bitbayes::container

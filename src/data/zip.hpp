// ZIP archives in memory: the central directory, and members that are stored or deflated. No ZIP64,
// no encryption.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace bitbayes::data {

struct ZipMember {
    std::string name;
    std::uint32_t flags, method, crc, packed_size, size, header_offset;
};

/// `bytes` at `offset`, little-endian, 1 to 8 of them; Error(kData) beyond the end.
std::uint64_t read_little(std::string_view bytes, std::size_t offset, std::size_t count,
                          const std::string& name);

/// Error(kData), naming the file `name`, for a malformed archive.
std::vector<ZipMember> zip_members(std::string_view archive, const std::string& name);

/// The unpacked member, its CRC checked; takes member.size bytes at most.
std::string unzip(std::string_view archive, const ZipMember& member, const std::string& name);

}  // namespace bitbayes::data

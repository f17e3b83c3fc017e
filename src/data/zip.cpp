#include "data/zip.hpp"

#include <zlib.h>

#include <algorithm>
#include <memory>

#include "bitbayes/types/error.hpp"

namespace bitbayes::data {

namespace {

constexpr std::size_t kEndSize = 22, kDirectorySize = 46, kLocalSize = 30;
constexpr std::uint32_t kNotHere = 0xffffffff;  // the number is in a ZIP64 record

[[noreturn]] void fail(const std::string& name, const std::string& what) {
    throw Error(ErrorCode::kData, name + ": " + what);
}

std::string_view checked_part(std::string_view bytes, std::size_t offset, std::size_t count,
                              const std::string& name) {
    if (offset > bytes.size() || count > bytes.size() - offset)
        fail(name, "truncated or damaged ZIP file");
    return bytes.substr(offset, count);
}

std::uint32_t read32(std::string_view bytes, std::size_t offset, const std::string& name) {
    return static_cast<std::uint32_t>(read_little(bytes, offset, 4, name));
}

std::string inflate_member(std::string_view packed, std::size_t size, const std::string& what) {
    z_stream z{};
    if (inflateInit2(&z, -MAX_WBITS) != Z_OK)
        throw Error(ErrorCode::kInternal, "zlib cannot start");
    const std::unique_ptr<z_stream, int (*)(z_stream*)> guard(&z, inflateEnd);
    z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
    z.avail_in = static_cast<uInt>(packed.size());
    std::string out;
    out.reserve(size);
    for (int result = Z_OK; result != Z_STREAM_END;) {
        char chunk[1 << 15];
        z.next_out = reinterpret_cast<Bytef*>(chunk);
        z.avail_out = sizeof chunk;
        result = inflate(&z, Z_NO_FLUSH);
        const std::size_t count = sizeof chunk - z.avail_out;
        if ((result != Z_OK && result != Z_STREAM_END) || count > size - out.size()) {
            fail(what, "damaged ZIP member");
        }
        out.append(chunk, count);
    }
    return out;
}

}  // namespace

std::uint64_t read_little(std::string_view bytes, std::size_t offset, std::size_t count,
                          const std::string& name) {
    const std::string_view part = checked_part(bytes, offset, count, name);
    std::uint64_t value = 0;
    for (std::size_t i = count; i-- > 0;) value = value << 8 | static_cast<unsigned char>(part[i]);
    return value;
}

std::vector<ZipMember> zip_members(std::string_view archive, const std::string& name) {
    const std::size_t end = archive.rfind("PK\5\6");
    if (end == archive.npos) fail(name, "not a ZIP file, or truncated");
    checked_part(archive, end, kEndSize, name);
    const auto count = read_little(archive, end + 10, 2, name);
    std::size_t at = read32(archive, end + 16, name);
    if (at == kNotHere || count == 0xffff) fail(name, "ZIP64 archives are not supported");
    std::vector<ZipMember> members;
    for (std::uint64_t i = 0; i < count; ++i) {
        const std::string_view entry = checked_part(archive, at, kDirectorySize, name);
        if (!entry.starts_with("PK\1\2")) fail(name, "damaged ZIP directory");
        const auto number = [&](std::size_t offset, std::size_t bytes) {
            return static_cast<std::uint32_t>(read_little(entry, offset, bytes, name));
        };
        const std::size_t name_size = number(28, 2);
        ZipMember member{std::string(checked_part(archive, at + kDirectorySize, name_size, name)),
                         number(8, 2),
                         number(10, 2),
                         number(16, 4),
                         number(20, 4),
                         number(24, 4),
                         number(42, 4)};
        if (std::max({member.packed_size, member.size, member.header_offset}) == kNotHere) {
            fail(name, "ZIP64 archives are not supported");
        }
        members.push_back(std::move(member));
        at += kDirectorySize + name_size + number(30, 2) + number(32, 2);
    }
    return members;
}

std::string unzip(std::string_view archive, const ZipMember& member, const std::string& name) {
    const std::string what = name + " (" + member.name + ")";
    const std::string_view local = checked_part(archive, member.header_offset, kLocalSize, name);
    if (!local.starts_with("PK\3\4")) fail(what, "damaged ZIP member");
    if (member.flags & 1) fail(what, "encrypted ZIP member");
    const std::size_t begin = member.header_offset + kLocalSize + read_little(local, 26, 2, name) +
                              read_little(local, 28, 2, name);
    const std::string_view packed = checked_part(archive, begin, member.packed_size, name);
    if (member.method != 0 && member.method != 8) fail(what, "packed with an unknown method");
    if (member.method == 0 && packed.size() != member.size) fail(what, "damaged ZIP member");
    std::string out =
        member.method == 0 ? std::string(packed) : inflate_member(packed, member.size, what);
    const auto* bytes = reinterpret_cast<const Bytef*>(out.data());
    if (out.size() != member.size || crc32_z(0, bytes, out.size()) != member.crc) {
        fail(what, "damaged ZIP member (CRC-32)");
    }
    return out;
}

}  // namespace bitbayes::data

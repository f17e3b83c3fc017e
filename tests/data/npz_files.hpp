// NPZ files as bytes.
#pragma once

#include <zlib.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace bitbayes::test {

inline std::string little(std::uint64_t value, int bytes) {
    std::string out;
    for (int i = 0; i < bytes; ++i) out += static_cast<char>(value >> (8 * i));
    return out;
}

/// header: the dictionary, e.g. "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }"
inline std::string npy_with_header(const std::string& header, std::string_view values,
                                   int version = 1) {
    std::string out = "\x93NUMPY";
    out += static_cast<char>(version);
    out += '\0';
    out += little(header.size() + 1, version == 1 ? 2 : 4) + header + "\n";
    return out.append(values);
}

inline std::string npy(const std::string& type, const std::string& shape, std::string_view values,
                       bool fortran_order = false, int version = 1) {
    return npy_with_header(std::string("{'descr': '") + type + "', 'fortran_order': " +
                               (fortran_order ? "True" : "False") + ", 'shape': " + shape + ", }",
                           values, version);
}

template <class T>
std::string bytes_of(const std::vector<T>& values) {
    return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

inline std::string reversed_items(std::string bytes, std::size_t item_size) {
    for (std::size_t i = 0; i < bytes.size(); i += item_size) {
        for (std::size_t j = 0; j < item_size / 2; ++j)
            std::swap(bytes[i + j], bytes[i + item_size - 1 - j]);
    }
    return bytes;
}

inline std::string raw_deflate(std::string_view bytes) {
    std::string out(bytes.size() + 128, '\0');
    z_stream z{};
    deflateInit2(&z, 9, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
    z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    z.avail_in = static_cast<uInt>(bytes.size());
    z.next_out = reinterpret_cast<Bytef*>(out.data());
    z.avail_out = static_cast<uInt>(out.size());
    deflate(&z, Z_FINISH);
    out.resize(z.total_out);
    deflateEnd(&z);
    return out;
}

/// As NumPy writes them: sizes of local headers are in a ZIP64 field, those of the directory are
/// plain.
inline std::string npz(const std::vector<std::pair<std::string, std::string>>& members,
                       bool deflated = false) {
    std::string out, directory;
    for (const auto& [name, bytes] : members) {
        const std::string packed = deflated ? raw_deflate(bytes) : bytes;
        const auto crc = crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size());
        const std::string start =
            little(0, 2) + little(deflated ? 8 : 0, 2) + little(0, 4) + little(crc, 4);
        const std::string extra =
            little(1, 2) + little(16, 2) + little(bytes.size(), 8) + little(packed.size(), 8);
        directory += std::string("PK\1\2") + little(45, 2) + little(45, 2) + start +
                     little(packed.size(), 4) + little(bytes.size(), 4) + little(name.size(), 2) +
                     little(0, 8) + little(0, 4) + little(out.size(), 4) + name;
        out += std::string("PK\3\4") + little(45, 2) + start + little(0xffffffff, 4) +
               little(0xffffffff, 4) + little(name.size(), 2) + little(extra.size(), 2) + name +
               extra + packed;
    }
    return out + directory + "PK\5\6" + little(0, 4) + little(members.size(), 2) +
           little(members.size(), 2) + little(directory.size(), 4) + little(out.size(), 4) +
           little(0, 2);
}

}  // namespace bitbayes::test

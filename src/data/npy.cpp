#include "data/npy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/text.hpp"
#include "bitbayes/types/error.hpp"
#include "data/zip.hpp"

namespace bitbayes::data {

namespace {

constexpr std::size_t kMaxDimensions = 64;  // NumPy's own limit

[[noreturn]] void fail(const std::string& name, const std::string& what,
                       const std::string& hint = "") {
    throw Error(ErrorCode::kData, name + ": " + what, hint);
}

std::string_view without_blanks_before(std::string_view text) {
    return text.substr(std::min(text.find_first_not_of(" \n"), text.size()));
}

/// The text after 'key': in the header, a Python dictionary.
std::string_view field(std::string_view header, const std::string& key, const std::string& name) {
    const std::string quoted_key = "'" + key + "'";
    const std::size_t at = header.find(quoted_key);
    if (at == header.npos) fail(name, "damaged NPY header: no " + quoted_key);
    std::string_view rest = without_blanks_before(header.substr(at + quoted_key.size()));
    if (!rest.starts_with(':')) fail(name, "damaged NPY header");
    return without_blanks_before(rest.substr(1));
}

void parse_type(std::string_view text, NpyArray& array) {
    if (!text.starts_with('\'')) fail(array.name, "a structured array", "save plain numbers");
    text.remove_prefix(1);
    const std::string_view type = text.substr(0, text.find('\''));
    if (type.find('O') != type.npos) {
        fail(array.name, "pickled Python objects are not read",
             "convert the array to numbers or strings");
    }
    const std::size_t size = type.size() > 2 ? parse_index(type.substr(2)).value_or(0) : 0;
    array.big_endian = type.starts_with('>');
    array.kind = size > 0 ? type[1] : '?';
    array.item_size = size * (array.kind == 'U' ? 4 : 1);
    const std::string_view sizes = array.kind == 'b' ? "1" : array.kind == 'f' ? "48" : "1248";
    const bool number = std::string_view("buif").find(array.kind) != std::string_view::npos &&
                        type.size() == 3 && sizes.find(type[2]) != sizes.npos;
    const bool string = (array.kind == 'U' || array.kind == 'S') && size < (1u << 20);
    if (!number && !string)
        fail(array.name, "arrays of type " + in_quotes(type) + " are not supported");
}

void parse_shape(std::string_view text, NpyArray& array) {
    const std::size_t end = text.find(')');
    if (!text.starts_with('(') || end == text.npos) fail(array.name, "damaged NPY header: shape");
    text = text.substr(1, end - 1);
    while (!trimmed(text).empty()) {
        const std::size_t comma = std::min(text.find(','), text.size());
        const auto size = parse_index(trimmed(text.substr(0, comma)));
        if (!size || array.shape.size() == kMaxDimensions) {
            fail(array.name, "damaged NPY header: shape");
        }
        array.shape.push_back(*size);
        text.remove_prefix(std::min(comma + 1, text.size()));
    }
}

void check_size(const NpyArray& array) {
    std::size_t expected = array.item_size;
    bool overflow = false;
    for (const std::size_t size : array.shape) {
        overflow |= __builtin_mul_overflow(expected, size, &expected);
    }
    if (overflow || expected != array.values.size()) {
        fail(array.name, fmt::format("truncated or damaged: {} bytes do not fit the shape ({})",
                                     array.values.size(), fmt::join(array.shape, ", ")));
    }
}

void append_utf8(std::string& out, std::uint64_t c) {
    const auto put = [&](std::uint64_t byte) { out += static_cast<char>(byte); };
    if (c < 0x80) return put(c);
    const int more = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
    put((0xff00u >> (more + 1) & 0xff) | c >> (6 * more));
    for (int i = more - 1; i >= 0; --i) put(0x80 | (c >> (6 * i) & 0x3f));
}

}  // namespace

std::uint64_t NpyArray::bits(std::size_t offset, std::size_t count) const {
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < count; ++i) {
        const std::size_t at = big_endian ? i : count - 1 - i;
        value = value << 8 | static_cast<unsigned char>(values[offset + at]);
    }
    return value;
}

double NpyArray::number(std::size_t i) const {
    const std::uint64_t raw = bits(i * item_size, item_size);
    if (kind == 'f' && item_size == 4) return std::bit_cast<float>(static_cast<std::uint32_t>(raw));
    if (kind == 'f') return std::bit_cast<double>(raw);
    return kind == 'i' ? static_cast<double>(integer(i)) : static_cast<double>(raw);
}

std::int64_t NpyArray::integer(std::size_t i) const {
    const std::size_t unused = 64 - 8 * item_size;
    return static_cast<std::int64_t>(bits(i * item_size, item_size) << unused) >> unused;
}

std::string NpyArray::text(std::size_t i) const {
    if (kind == 'U') return utf8(i);
    if (kind == 'S') {
        const std::string_view all = values.substr(i * item_size, item_size);
        return std::string(all.substr(0, all.find_last_not_of('\0') + 1));
    }
    if (kind == 'u') return std::to_string(bits(i * item_size, item_size));
    if (kind == 'i') return std::to_string(integer(i));
    const double value = number(i);
    const bool whole = value == std::floor(value) && std::abs(value) < 0x1p53;
    return whole ? std::to_string(static_cast<std::int64_t>(value)) : fmt::format("{}", value);
}

std::string NpyArray::utf8(std::size_t i) const {
    std::string out;
    for (std::size_t at = i * item_size; at < (i + 1) * item_size; at += 4) {
        const std::uint64_t c = bits(at, 4);
        if (c > 0x10ffff) fail(name, fmt::format("string {} is not Unicode", i));
        append_utf8(out, c);
    }
    return out.substr(0, out.find_last_not_of('\0') + 1);
}

NpyArray parse_npy(std::string_view bytes, const std::string& name) {
    if (!bytes.starts_with("\x93NUMPY")) fail(name, "not an NPY array");
    const std::uint64_t version = read_little(bytes, 6, 1, name);
    if (version < 1 || version > 3) fail(name, fmt::format("NPY version {} is unknown", version));
    const std::size_t length_size = version == 1 ? 2 : 4;
    const std::size_t length = read_little(bytes, 8, length_size, name);
    const std::size_t begin = 8 + length_size;
    if (length > bytes.size() - begin) fail(name, "truncated NPY header");
    const std::string_view header = bytes.substr(begin, length);

    NpyArray array;
    array.name = name;
    parse_type(field(header, "descr", name), array);
    array.fortran_order = field(header, "fortran_order", name).starts_with("True");
    parse_shape(field(header, "shape", name), array);
    array.values = bytes.substr(begin + length);
    check_size(array);
    return array;
}

}  // namespace bitbayes::data

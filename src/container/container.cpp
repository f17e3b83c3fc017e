#include "container/container.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>
#include <tuple>
#include <utility>

#include "base/atomic_file.hpp"
#include "base/text.hpp"
#include "bitbayes/types/error.hpp"
#include "container/json_text.hpp"

namespace bitbayes::container {
namespace {

using nlohmann::json;

static_assert(std::endian::native == std::endian::little,
              "tensors are written as they lie in memory");

constexpr std::size_t kPrefix = 8;  // bytes of the header length
constexpr std::size_t kLongestHeader = std::size_t{64} << 20;
constexpr std::size_t kMaxDimensions = 8;
constexpr std::size_t kDigits = 8;
constexpr std::string_view kCrcKey = "\"crc32\":\"";
constexpr std::string_view kNoCrc = "00000000";

struct TypeInfo {
    ElementType type;
    std::string_view name;
    std::size_t size;
};
constexpr std::array<TypeInfo, 6> kTypes = {{{ElementType::kU8, "U8", 1},
                                             {ElementType::kI16, "I16", 2},
                                             {ElementType::kI32, "I32", 4},
                                             {ElementType::kI64, "I64", 8},
                                             {ElementType::kF32, "F32", 4},
                                             {ElementType::kF64, "F64", 8}}};

const TypeInfo& info(ElementType type) {
    return *std::find_if(kTypes.begin(), kTypes.end(),
                         [type](const TypeInfo& t) { return t.type == type; });
}

[[noreturn]] void damaged(const std::string& name, const std::string& what) {
    throw Error(ErrorCode::kModel, fmt::format("{}: {}", name, what));
}

std::uint32_t crc_of(std::string_view bytes, std::uint32_t crc = 0) {
    return static_cast<std::uint32_t>(
        crc32_z(crc, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

std::uint64_t header_length(std::string_view bytes) {
    std::uint64_t length = 0;
    std::memcpy(&length, bytes.data(), kPrefix);
    return length;
}

/// A text, gzip, ZIP or IDX.
bool begins_like_data(std::string_view prefix) {
    const auto is_text = [](unsigned char c) { return c >= ' ' || (c >= '\t' && c <= '\r'); };
    return prefix.starts_with("\x1f\x8b") || prefix.starts_with("PK") ||
           prefix.starts_with(std::string_view("\0\0\x08", 3)) ||
           std::all_of(prefix.begin(), prefix.begin() + kPrefix, is_text);
}

/// `prefix` holds the first kPrefix bytes of a file of `size` bytes.
void check_header_length(std::string_view prefix, std::uint64_t size, const std::string& name) {
    if (size == 0) damaged(name, "the file is empty");
    if (size < kPrefix) damaged(name, fmt::format("cut off after {} bytes", size));
    const std::uint64_t length = header_length(prefix);
    if (length > kLongestHeader || length > size - kPrefix) {
        if (begins_like_data(prefix)) {
            throw Error(ErrorCode::kModel, name + ": not a model file, but it may be data",
                        "a command takes MODEL before DATA");
        }
        damaged(name,
                fmt::format("not a model file, or damaged: a header of {} bytes in a file of {}",
                            length, size));
    }
}

/// Prefix and header, with zeros for the CRC.
std::string make_header(const Metadata& metadata, std::span<const OutgoingTensor> tensors) {
    json header;
    header["__metadata__"] = metadata;
    header["__metadata__"]["crc32"] = kNoCrc;
    std::uint64_t end = 0;
    for (const auto& tensor : tensors) {
        std::uint64_t bytes = info(tensor.type).size;
        for (const std::uint64_t n : tensor.shape) bytes *= n;
        const std::uint64_t begin = std::exchange(end, end + bytes);
        header[tensor.name] = {{"dtype", info(tensor.type).name},
                               {"shape", tensor.shape},
                               {"data_offsets", {begin, end}}};
    }
    std::string text = header.dump(-1, ' ', false, json::error_handler_t::replace);
    text.resize((text.size() + 7) / 8 * 8, ' ');
    if (text.size() > kLongestHeader) {
        throw Error(ErrorCode::kModel, "names and history are too long for a model file");
    }
    const std::uint64_t length = text.size();
    return std::string(reinterpret_cast<const char*>(&length), kPrefix) + text;
}

struct Extent {
    std::uint64_t begin, end;
    bool operator<(const Extent& other) const {
        return std::tie(begin, end) < std::tie(other.begin, other.end);
    }
};

bool is_list_of_counts(const json& list, std::size_t longest) {
    return list.is_array() && list.size() <= longest &&
           std::all_of(list.begin(), list.end(),
                       [](const json& x) { return x.is_number_unsigned(); });
}

/// One entry of the header; its bytes are a part of `data`.
std::pair<TensorView, Extent> parse_tensor(const json& entry, std::string_view data,
                                           const std::string& where) {
    if (!entry.is_object() || entry.size() != 3 || !entry.contains("dtype") ||
        !entry.contains("shape") || !entry.contains("data_offsets") ||
        !entry["dtype"].is_string() || !is_list_of_counts(entry["shape"], kMaxDimensions) ||
        !is_list_of_counts(entry["data_offsets"], 2) || entry["data_offsets"].size() != 2) {
        damaged(where, "not described by dtype, shape and data_offsets");
    }
    const auto name = entry["dtype"].get<std::string>();
    const auto type = std::find_if(kTypes.begin(), kTypes.end(),
                                   [&name](const TypeInfo& t) { return t.name == name; });
    if (type == kTypes.end()) damaged(where, "unknown dtype");
    const Extent extent{entry["data_offsets"][0], entry["data_offsets"][1]};
    if (extent.begin > extent.end || extent.end > data.size())
        damaged(where, "outside of the file");
    TensorView tensor{type->type, entry["shape"], {}};
    std::uint64_t bytes = type->size;
    for (const auto n : tensor.shape) {
        if (__builtin_mul_overflow(bytes, n, &bytes)) damaged(where, "larger than any file");
    }
    if (bytes != extent.end - extent.begin) damaged(where, "shape and data_offsets do not agree");
    tensor.bytes = data.substr(extent.begin, bytes);
    return {std::move(tensor), extent};
}

void check_tiling(std::vector<Extent> extents, std::uint64_t size, const std::string& name) {
    std::sort(extents.begin(), extents.end());
    std::uint64_t position = 0;
    for (const auto& extent : extents) {
        if (extent.begin != position) damaged(name, "the tensors overlap or leave a gap");
        position = extent.end;
    }
    if (position != size) damaged(name, "the tensors do not reach the end of the file");
}

Metadata parse_metadata(const json& header, const std::string& name) {
    const auto found = header.find("__metadata__");
    if (found == header.end() || !found->is_object()) damaged(name, "the header has no metadata");
    Metadata metadata;
    for (const auto& [key, value] : found->items()) {
        if (!value.is_string()) damaged(name, "a metadata value is not a string");
        metadata.emplace(key, value.get<std::string>());
    }
    return metadata;
}

void check_crc(std::string_view bytes, const std::string& name) {
    const std::size_t position = find_crc_digits(bytes);
    if (position == std::string_view::npos)
        damaged(name, "not a model file, or damaged: no CRC-32");
    const auto stored = bytes.substr(position, kDigits);
    const auto actual = crc_digits(bytes, position);
    if (stored != actual) {
        damaged(name, fmt::format("damaged: CRC-32 of the content is {}, not as stored", actual));
    }
}

class InputFile {
  public:
    explicit InputFile(const std::string& path)
        : path_(path), fd_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
        if (fd_ < 0) fail(std::strerror(errno));
    }
    ~InputFile() { ::close(fd_); }
    InputFile(const InputFile&) = delete;
    InputFile& operator=(const InputFile&) = delete;

    std::uint64_t size() const {
        struct stat status {};
        if (::fstat(fd_, &status) != 0) fail(std::strerror(errno));
        if (!S_ISREG(status.st_mode)) fail("not a regular file");
        return static_cast<std::uint64_t>(status.st_size);
    }

    void read(std::span<char> out) {
        while (!out.empty()) {
            const ssize_t n = ::read(fd_, out.data(), std::min(out.size(), std::size_t{1} << 24));
            if (n < 0 && errno == EINTR) continue;
            if (n < 0) fail(std::strerror(errno));
            if (n == 0) damaged(path_, "cut off while it was read");
            out = out.subspan(static_cast<std::size_t>(n));
        }
    }

  private:
    [[noreturn]] void fail(const char* why) const {
        throw Error(ErrorCode::kIo, fmt::format("{}: cannot read: {}", path_, why));
    }

    std::string path_;
    int fd_;
};

}  // namespace

std::size_t element_size(ElementType type) { return info(type).size; }

std::function<void(const FileSink&)> rows_in_memory(const void* data, std::size_t rows,
                                                    std::size_t row_bytes, std::size_t stride) {
    return [=, bytes = static_cast<const char*>(data)](const FileSink& sink) {
        for (std::size_t row = 0; row < rows; ++row) sink({bytes + row * stride, row_bytes});
    };
}

void send_container(const FileSink& sink, const Metadata& metadata,
                    std::span<const OutgoingTensor> tensors) {
    std::string header = make_header(metadata, tensors);
    std::uint32_t crc = crc_of(header);
    const FileSink count = [&crc](std::span<const char> bytes) {
        crc = crc_of({bytes.data(), bytes.size()}, crc);
    };
    for (const OutgoingTensor& tensor : tensors) tensor.send(count);
    header.replace(find_crc_digits(header), kDigits, fmt::format("{:08x}", crc));
    sink(header);
    for (const OutgoingTensor& tensor : tensors) tensor.send(sink);
}

void write_container(const std::string& path, const Metadata& metadata,
                     std::span<const OutgoingTensor> tensors, Existing existing) {
    write_atomically(
        path, [&](const FileSink& sink) { send_container(sink, metadata, tensors); }, existing);
}

std::string container_bytes(const Metadata& metadata, std::span<const OutgoingTensor> tensors) {
    std::string bytes;
    send_container([&](std::span<const char> part) { bytes.append(part.begin(), part.end()); },
                   metadata, tensors);
    return bytes;
}

Container parse_container(std::string_view bytes, const std::string& name) {
    check_header_length(bytes, bytes.size(), name);
    check_crc(bytes, name);
    const auto text = bytes.substr(kPrefix, header_length(bytes));
    const auto data = bytes.substr(kPrefix + text.size());
    constexpr int kDepth = 3;  // header, tensor, shape
    const json header = parse_json(text, kDepth, name, "the header");
    if (!header.is_object()) damaged(name, "the header is not a JSON object");
    Container container{parse_metadata(header, name), {}};
    std::vector<Extent> extents;
    for (const auto& [key, entry] : header.items()) {
        if (key == "__metadata__") continue;
        auto [tensor, extent] =
            parse_tensor(entry, data, fmt::format("{}: tensor {}", name, in_quotes(key)));
        container.tensors.emplace(key, std::move(tensor));
        extents.push_back(extent);
    }
    check_tiling(std::move(extents), data.size(), name);
    return container;
}

std::string read_container_file(const std::string& path) {
    InputFile file(path);
    const std::uint64_t size = file.size();
    std::string bytes(std::min<std::uint64_t>(size, kPrefix), '\0');
    file.read(bytes);
    check_header_length(bytes, size, path);
    bytes.resize(size);
    file.read(std::span(bytes).subspan(kPrefix));
    return bytes;
}

std::size_t find_crc_digits(std::string_view bytes) {
    if (bytes.size() < kPrefix) return std::string_view::npos;
    const auto header = bytes.substr(
        0, kPrefix + std::min<std::uint64_t>(header_length(bytes), bytes.size() - kPrefix));
    const std::size_t found = header.find(kCrcKey, kPrefix);
    if (found == std::string_view::npos ||
        header.find(kCrcKey, found + 1) != std::string_view::npos ||
        header.size() - found < kCrcKey.size() + kDigits) {
        return std::string_view::npos;
    }
    return found + kCrcKey.size();
}

std::string crc_digits(std::string_view bytes, std::size_t position) {
    const std::uint32_t before = crc_of(kNoCrc, crc_of(bytes.substr(0, position)));
    return fmt::format("{:08x}", crc_of(bytes.substr(position + kDigits), before));
}

}  // namespace bitbayes::container

#include "data/idx.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "bitbayes/types/error.hpp"
#include "data/classes.hpp"

namespace bitbayes::data {

namespace {

[[noreturn]] void fail(const Input& input, const std::string& what) {
    throw Error(ErrorCode::kData, input.name() + ": " + what);
}

std::string_view read_exactly(Input& input, std::size_t bytes) {
    const std::string_view read = input.peek(bytes);
    if (read.size() < bytes) fail(input, "truncated");
    input.consume(bytes);
    return read;
}

std::uint32_t big_endian(std::string_view bytes) {
    std::uint32_t value = 0;
    for (const char c : bytes) value = value << 8 | static_cast<unsigned char>(c);
    return value;
}

std::vector<std::size_t> read_shape(Input& input) {
    const std::uint32_t magic = big_endian(read_exactly(input, 4));
    const std::size_t dimensions = magic & 0xff;
    if (magic >> 8 != 8 || dimensions == 0) {
        fail(input, fmt::format("not an IDX file of unsigned bytes (magic 0x{:08x})", magic));
    }
    std::vector<std::size_t> shape;
    for (std::size_t i = 0; i < dimensions; ++i)
        shape.push_back(big_endian(read_exactly(input, 4)));
    return shape;
}

std::size_t product(const Input& input, const std::vector<std::size_t>& shape) {
    std::size_t total = 1;
    for (const std::size_t size : shape) {
        if (__builtin_mul_overflow(total, size, &total)) fail(input, "sizes beyond all bounds");
    }
    return total;
}

void add_labels(Dataset& data, Input& input) {
    const IdxArray labels = read_idx_array(input);
    if (labels.shape.size() != 1) {
        fail(input, fmt::format("{} dimensions, where labels have one", labels.shape.size()));
    }
    if (labels.values.size() != data.rows) {
        fail(input, fmt::format("{} labels for the {} images of {}", labels.values.size(),
                                data.rows, data.name));
    }
    LabelBuilder builder;
    for (const std::uint8_t label : labels.values) builder.add(std::to_string(label));
    builder.finish(data);
}

bool contains(std::string_view text, std::string_view part) { return text.find(part) != text.npos; }

/// The IDX file of a split and a kind in a folder, empty if there is none; a plain file wins over
/// its .gz.
std::string find_role(const std::vector<std::string>& paths, bool train, const char* kind) {
    std::string found;
    for (const auto& path : paths) {
        const std::string name = std::filesystem::path(path).filename();
        const bool split =
            train ? contains(name, "train") : contains(name, "t10k") || contains(name, "test");
        if (!split || !contains(name, kind)) continue;
        if (!found.empty() && path != found + ".gz") {
            throw Error(ErrorCode::kData,
                        fmt::format("{} and {} hold the same part of the data", found, path),
                        "name the two files to use as IMAGES,LABELS");
        }
        if (found.empty()) found = path;
    }
    return found;
}

Dataset read_pair(const std::string& images, const std::string& labels, std::size_t max_memory) {
    Input image_input(images, max_memory), label_input(labels, max_memory);
    return read_idx(image_input, &label_input);
}

}  // namespace

std::vector<std::string> idx_files(const std::string& folder) {
    std::vector<std::string> paths;
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
        const std::string name = entry.path().filename();
        if (contains(name, "ubyte") || contains(name, "idx")) paths.push_back(entry.path());
    }
    if (error) throw Error(ErrorCode::kIo, folder + ": " + error.message());
    std::sort(paths.begin(), paths.end());
    return paths;
}

IdxArray read_idx_array(Input& input) {
    if (input.peek(1).empty()) fail(input, "empty");
    IdxArray array{read_shape(input), {}};
    const std::size_t total = product(input, array.shape);
    // The size in the header is not trusted: memory grows with the bytes that arrive.
    while (array.values.size() < total) {
        if (input.buffered().empty() && !input.fill()) {
            fail(input, fmt::format("truncated: {} of {} bytes", array.values.size(), total));
        }
        const auto bytes = input.buffered().substr(0, total - array.values.size());
        array.values.insert(array.values.end(), bytes.begin(), bytes.end());
        input.consume(bytes.size());
        input.check_memory(array.values.size());
    }
    if (!input.peek(1).empty())
        fail(input, fmt::format("more than the {} bytes that it announces", total));
    return array;
}

Dataset read_idx(Input& images, Input* labels) {
    IdxArray array = read_idx_array(images);
    if (array.shape.size() < 2) {
        throw Error(ErrorCode::kData, images.name() + ": one dimension: labels, not images",
                    "give IMAGES,LABELS");
    }
    Dataset data;
    data.name = images.name();
    data.kind = DataKind::kImages;
    data.rows = array.shape[0];
    if (array.values.empty()) fail(images, "no rows");
    data.features = array.values.size() / data.rows;
    if (array.shape.size() == 3) data.image = {array.shape[1], array.shape[2]};
    data.values = std::move(array.values);
    if (labels) add_labels(data, *labels);
    return data;
}

Dataset read_idx(std::string_view images, std::string_view labels, const std::string& name) {
    Input image_input(images, name), label_input(labels, name + " (labels)");
    return read_idx(image_input, labels.empty() ? nullptr : &label_input);
}

LoadedData read_idx_folder(const std::string& folder, std::size_t max_memory) {
    const auto paths = idx_files(folder);
    std::array<std::string, 4> role;  // training images and labels, then test images and labels
    for (std::size_t i = 0; i < 4; ++i)
        role[i] = find_role(paths, i < 2, i % 2 == 0 ? "images" : "labels");
    const bool has_test = !role[2].empty() || !role[3].empty();
    for (std::size_t i = 0; i < (has_test ? 4 : 2); ++i) {
        if (!role[i].empty()) continue;
        throw Error(ErrorCode::kData,
                    fmt::format("{}: no IDX file of {} {}", folder, i < 2 ? "training" : "test",
                                i % 2 == 0 ? "images" : "labels"),
                    "such files have train, t10k or test, and images or labels in their names");
    }
    LoadedData data;
    data.train = read_pair(role[0], role[1], max_memory);
    if (!has_test) return data;
    data.test = read_pair(role[2], role[3], max_memory);
    if (data.test.features != data.train.features) {
        throw Error(ErrorCode::kData,
                    fmt::format("{}: images of {} bytes, where those of {} have {}", role[2],
                                data.test.features, role[0], data.train.features));
    }
    unite_classes(data.train, data.test);
    return data;
}

}  // namespace bitbayes::data

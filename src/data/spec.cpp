#include "data/spec.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <memory>
#include <numeric>
#include <vector>

#include "base/text.hpp"
#include "bitbayes/types/error.hpp"
#include "data/format.hpp"
#include "data/idx.hpp"
#include "data/named.hpp"
#include "data/teacher.hpp"

namespace bitbayes::data {

namespace {

bool exists(const std::string& path) {
    std::error_code error;
    return std::filesystem::exists(path, error);
}

std::pair<std::size_t, std::size_t> parse_range(const std::string& data, std::string_view range) {
    const std::size_t colon = std::min(range.find(':'), range.size());
    const auto first = parse_index(range.substr(0, colon));
    const auto last = colon < range.size() ? parse_index(range.substr(colon + 1)) : std::nullopt;
    if (!first || !last || *first >= *last) {
        throw Error(ErrorCode::kUsage,
                    fmt::format("{}: {} is no range of rows", data, in_quotes(range)),
                    "DATA#A:B is rows A to B-1, counted from 0");
    }
    return {*first, *last};
}

/// IMAGES,LABELS, split where both parts exist.
std::optional<std::pair<std::string, std::string>> split_pair(const std::string& source) {
    const std::size_t first = source.find(',');
    if (first == source.npos) return std::nullopt;
    for (std::size_t comma = first; comma != source.npos; comma = source.find(',', comma + 1)) {
        std::pair parts(source.substr(0, comma), source.substr(comma + 1));
        if (exists(parts.first) && exists(parts.second)) return parts;
    }
    return std::pair(source.substr(0, first), source.substr(first + 1));
}

/// "mnist:tset": the name of data that are there, with a part that no data have.
void check_part(const std::string& source) {
    const std::size_t colon = source.rfind(':');
    if (colon == source.npos) return;
    const std::string data = source.substr(0, colon);
    std::error_code error;
    if (!find_set(data) && !std::filesystem::is_directory(data, error)) return;
    throw Error(ErrorCode::kIo, fmt::format("{}: {}", source, std::strerror(ENOENT)),
                fmt::format("the parts of data with a test set are {0}:train and {0}:test", data));
}

Dataset read_file(const std::string& path, const ReadOptions& options) {
    auto input = std::make_unique<Input>(path, options.max_memory);
    const Format format = detect_format(*input, options);
    return read_dataset(std::move(input), format, options);
}

LoadedData load_source(const std::string& source, const ReadOptions& options) {
    if (find_set(source)) return read_idx_folder(named_folder(source), options.max_memory);
    if (source.starts_with("teacher:")) return load_teacher(source, options.max_memory);
    std::error_code error;
    if (std::filesystem::is_directory(source, error))
        return read_idx_folder(source, options.max_memory);
    if (source != "-" && !exists(source)) {
        if (const auto pair = split_pair(source)) {
            Input images(pair->first, options.max_memory), labels(pair->second, options.max_memory);
            return {read_idx(images, &labels), {}};
        }
        check_part(source);
    }
    return {read_file(source, options), {}};
}

void slice(Dataset& data, const DataSpec& spec) {
    if (!spec.rows) return;
    const auto [first, last] = *spec.rows;
    if (last > data.rows) {
        throw Error(ErrorCode::kData,
                    fmt::format("{}: rows {}:{} of {}", data.name, first, last, data.rows));
    }
    std::vector<std::size_t> chosen(last - first);
    std::iota(chosen.begin(), chosen.end(), first);
    data = data.select(chosen);
}

void check_split(const LoadedData& loaded, const DataSpec& spec) {
    if (spec.split == Split::kWhole || loaded.has_test()) return;
    throw Error(ErrorCode::kUsage, fmt::format("{} has no {} split", spec.source,
                                               spec.split == Split::kTrain ? "train" : "test"));
}

}  // namespace

DataSpec parse_spec(const std::string& data) {
    DataSpec spec{data, Split::kWhole, std::nullopt};
    if (exists(data)) return spec;
    const std::size_t hash = data.rfind('#');
    if (hash != data.npos) {
        spec.rows = parse_range(data, std::string_view(data).substr(hash + 1));
        spec.source.erase(hash);
    }
    if (exists(spec.source)) return spec;
    for (const auto& [suffix, split] :
         {std::pair(":train", Split::kTrain), std::pair(":test", Split::kTest)}) {
        if (!spec.source.ends_with(suffix)) continue;
        spec.source.erase(spec.source.size() - std::string_view(suffix).size());
        spec.split = split;
        break;
    }
    return spec;
}

std::vector<std::string> files_of(const std::string& data) {
    const std::string source = parse_spec(data).source;
    if (source == "-") return {"/dev/stdin"};
    if (find_set(source)) return idx_files(named_folder(source));
    std::error_code error;
    if (std::filesystem::is_directory(source, error)) return idx_files(source);
    if (exists(source)) return {source};
    const auto pair = split_pair(source);
    return pair ? std::vector{pair->first, pair->second} : std::vector{source};
}

LoadedData load_data(const std::string& data, const ReadOptions& options) {
    const auto spec = parse_spec(data);
    LoadedData loaded = load_source(spec.source, options);
    check_split(loaded, spec);
    if (spec.split == Split::kTest) loaded.train = std::move(loaded.test);
    if (spec.split != Split::kWhole) loaded.test = {};
    slice(loaded.train, spec);
    return loaded;
}

Dataset load_dataset(const std::string& data, const ReadOptions& options, Split preferred) {
    const auto spec = parse_spec(data);
    LoadedData loaded = load_source(spec.source, options);
    check_split(loaded, spec);
    const Split split = spec.split == Split::kWhole ? preferred : spec.split;
    const bool test = loaded.has_test() && split == Split::kTest;
    Dataset chosen = std::move(test ? loaded.test : loaded.train);
    slice(chosen, spec);
    return chosen;
}

}  // namespace bitbayes::data

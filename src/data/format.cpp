#include "data/format.hpp"

#include <optional>

#include "base/text.hpp"
#include "bitbayes/types/error.hpp"
#include "data/csv.hpp"
#include "data/idx.hpp"
#include "data/libsvm.hpp"
#include "data/npz.hpp"

namespace bitbayes::data {

namespace {

std::optional<Format> named_format(std::string_view word) {
    if (word == "csv") return Format::kCsv;
    if (word == "libsvm") return Format::kLibsvm;
    if (word == "idx") return Format::kIdx;
    if (word == "npz") return Format::kNpz;
    return std::nullopt;
}

/// Waits for no more bytes than it takes to rule the format out, so that a stream's first line is
/// not held up.
bool starts_with(Input& input, std::string_view magic) {
    for (std::size_t i = 1; i <= magic.size(); ++i) {
        if (input.peek(i) != magic.substr(0, i)) return false;
    }
    return true;
}

std::optional<Format> format_of_content(Input& input) {
    if (starts_with(input, kIdxMagic)) return Format::kIdx;
    if (starts_with(input, "PK\3\4") || starts_with(input, "PK\5\6")) return Format::kNpz;
    return std::nullopt;
}

std::optional<Format> format_of_name(std::string_view name) {
    if (name.ends_with(".gz")) name.remove_suffix(3);
    if (name.ends_with(".svm")) return Format::kLibsvm;
    if (name.ends_with("ubyte")) return Format::kIdx;
    const std::size_t dot = name.rfind('.');
    return dot == name.npos ? std::nullopt : named_format(name.substr(dot + 1));
}

/// The first line that is more than blanks and a comment.
std::string_view first_line(Input& input) {
    for (std::size_t begin = 0, scanned = 0;;) {  // bytes before `scanned` hold no further line end
        const std::size_t end = input.buffered().find('\n', scanned);
        if (end == std::string_view::npos) {
            scanned = input.buffered().size();
            input.check_memory(scanned);
            input.check_line(scanned - begin);
            if (input.fill()) continue;
        }
        const std::string_view line = input.buffered().substr(begin, end - begin);
        const bool empty = trimmed(line.substr(0, line.find_first_of("#\r"))).empty();
        if (!empty || end == std::string_view::npos) return line;
        begin = scanned = end + 1;
    }
}

}  // namespace

Format detect_format(Input& input, const ReadOptions& options) {
    const auto wanted = named_format(options.format);
    if (!wanted && !options.format.empty()) {
        throw Error(ErrorCode::kUsage, "unknown format " + in_quotes(options.format),
                    "csv, libsvm, idx or npz");
    }
    if (input.peek(1).empty()) throw Error(ErrorCode::kData, input.name() + ": empty");
    if (wanted) return *wanted;
    if (const auto format = format_of_content(input)) return *format;
    const auto named = format_of_name(input.name());
    if (named && named != Format::kLibsvm) return *named;
    const std::string_view line = first_line(input);
    const bool libsvm = looks_like_libsvm(line);
    if (!named) return libsvm ? Format::kLibsvm : Format::kCsv;
    return libsvm || line.find_first_of(",;") == line.npos ? Format::kLibsvm : Format::kCsv;
}

std::unique_ptr<RowReader> open_rows(std::unique_ptr<Input> input, Format format,
                                     const ReadOptions& options) {
    if (format == Format::kLibsvm) {
        return std::make_unique<LibsvmReader>(std::move(input), options.known, options.cut_short);
    }
    return std::make_unique<CsvReader>(std::move(input), options);
}

Dataset read_dataset(std::unique_ptr<Input> input, Format format, const ReadOptions& options) {
    if (format == Format::kIdx) return read_idx(*input);
    if (format == Format::kNpz) return read_npz(*input);
    if (format == Format::kCsv) {
        const std::string name = input->name();
        const bool misnamed = options.format.empty() && format_of_name(name) == Format::kLibsvm;
        Dataset data = read_csv(std::move(input), options);
        if (misnamed) data.notes.push_back(name + ": read as CSV, which its rows are");
        return data;
    }
    return read_rows(*open_rows(std::move(input), format, options), options.known.features == 0);
}

}  // namespace bitbayes::data

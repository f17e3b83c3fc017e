// Which reader a file needs, by its content and its name.
#pragma once

#include <memory>
#include <string>

#include "bitbayes/types/reading.hpp"
#include "data/input.hpp"
#include "data/rows.hpp"

namespace bitbayes::data {

enum class Format { kCsv, kLibsvm, kIdx, kNpz };

/// Looks at the first bytes without consuming them. Error(kData) if there are none, Error(kUsage)
/// for an unknown options.format.
Format detect_format(Input& input, const ReadOptions& options);

inline bool is_text(Format format) { return format == Format::kCsv || format == Format::kLibsvm; }

/// For text formats.
std::unique_ptr<RowReader> open_rows(std::unique_ptr<Input> input, Format format,
                                     const ReadOptions& options);

/// The whole input, of any format.
Dataset read_dataset(std::unique_ptr<Input> input, Format format, const ReadOptions& options);

}  // namespace bitbayes::data

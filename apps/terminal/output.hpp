// Results go to stdout, and a failure to write them is an error; messages go to stderr and may get
// lost.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "bitbayes/types/dataset.hpp"
#include "terminal/common.hpp"

namespace bitbayes::cli {

using Json = nlohmann::ordered_json;

/// Fills file descriptors 0 to 2 where the caller closed them, so that no data file is opened under
/// one of these numbers; writing to a stdout that was closed still fails. Broken pipes and files
/// over the size limit become errors instead of signals.
void guard_standard_files();

/// Throws Error(kIo) if it cannot be written. A reader that is gone (`... | head`) is no error. On
/// a terminal, control characters but line ends are shown, not sent.
void write_result(std::string_view text);
/// Thrown when a reader is gone who was the only reason to go on.
struct OutputClosed {};
/// A part of a result that may be endless: throws OutputClosed if nobody reads it.
void stream_result(std::string_view text);
/// The object with --json, else the text.
void write_result(const Common& common, const Json& object, const std::string& text);
/// JSON in one line with its line end; bytes that are not UTF-8 become U+FFFD.
std::string to_line(const Json& object);

void write_talk(std::string_view text);
/// "bitbayes: note: TEXT" in one line (base/text.hpp), unless -q.
void note(const Common& common, const std::string& text);
/// Notes of the library, their option names as flags.
void note_texts(const Common& common, const std::vector<std::string>& texts);
/// The reader's notes on the data; with -v also its size.
void note_data(const Common& common, const Dataset& data);

/// "bitbayes: error: TEXT" in one line (base/text.hpp).
void write_error(const std::string& text);

/// "1 row", "2 rows"
std::string counted(std::uint64_t count, const std::string& noun);

/// 0.1234 -> "12.34 %"; "-" for NaN.
std::string percent(double fraction);

}  // namespace bitbayes::cli

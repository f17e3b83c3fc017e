// Bytes of a file, of stdin or of memory, as they arrive; gzip is recognised by content and
// unpacked.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

struct z_stream_s;

namespace bitbayes::data {

class Input {
  public:
    /// "-" is stdin. Error(kIo) if the file is missing or cannot be read. `max_memory`: see
    /// ReadOptions.
    explicit Input(const std::string& path, std::size_t max_memory = 0);
    /// `memory` must outlive this object.
    Input(std::string_view memory, std::string name, std::size_t max_memory = 0);
    ~Input();
    Input(const Input&) = delete;
    Input& operator=(const Input&) = delete;

    /// The name used in error messages.
    const std::string& name() const { return name_; }

    /// The bytes that have arrived and are not yet consumed. Views of them are valid until the next
    /// fill().
    std::string_view buffered() const { return std::string_view(buffer_).substr(begin_); }
    void consume(std::size_t bytes) { begin_ += bytes; }

    /// Waits for at least one more byte; false at the end. Error(kData) for damaged gzip.
    bool fill();
    /// True if fill() would not wait.
    bool ready() const;
    /// See ReadOptions::cut_short: then input that would have to be waited for is at its end.
    void end_when(std::function<bool()> cut_short) { cut_short_ = std::move(cut_short); }

    /// Error(kData) if a table of so many bytes is more than max_memory, or without that more than
    /// what the bytes read so far, before unpacking, can justify.
    void check_memory(std::size_t bytes) const;
    /// The same for a line of text: its cells take far more memory than its bytes.
    void check_line(std::size_t bytes) const;

    /// Fills until buffered() holds `bytes` bytes, or all that are left, and returns it.
    std::string_view peek(std::size_t bytes);

  private:
    bool load();
    ssize_t read_some(char* to) const;
    void detect_gzip();
    bool fill_plain();
    bool fill_gzip();

    std::string name_;
    std::size_t max_memory_;
    std::size_t raw_total_ = 0;  // bytes read, before unpacking
    int file_ = -1;
    std::function<bool()> cut_short_;
    std::string_view memory_;
    std::string raw_;  // read, not yet unpacked
    std::size_t raw_begin_ = 0;
    bool raw_end_ = false;

    struct InflateEnd {
        void operator()(z_stream_s* stream) const;
    };
    bool started_ = false;
    std::unique_ptr<z_stream_s, InflateEnd> gzip_;
    bool member_done_ = false;     // between two gzip members
    bool output_pending_ = false;  // the unpacker may hold bytes that did not fit

    std::string buffer_;
    std::size_t begin_ = 0;
};

/// All that is left of the input.
std::string read_all(Input& input);

/// Lines of text, without their ends (\n or \r\n) and without a UTF-8 byte order mark.
class LineReader {
  public:
    explicit LineReader(std::unique_ptr<Input> input, std::function<bool()> cut_short = {})
        : input_(std::move(input)), cut_short_(std::move(cut_short)) {
        input_->end_when(cut_short_);
    }

    /// The line is valid until the next call. False at the end.
    bool next(std::string_view& line);
    /// True if next() would not wait.
    bool ready();
    /// The input has ended before its time (ReadOptions::cut_short).
    bool cut_short() const { return cut_short_ && cut_short_(); }

    /// Number of the line that next() returned, from 1.
    std::size_t number() const { return number_; }
    const std::string& name() const { return input_->name(); }
    const Input& input() const { return *input_; }
    /// "FILE:LINE: ", for error messages.
    std::string where(std::size_t line) const;

  private:
    std::unique_ptr<Input> input_;
    std::function<bool()> cut_short_;
    std::size_t number_ = 0;
    std::size_t scanned_ = 0;  // buffered bytes known to hold no line end
};

}  // namespace bitbayes::data

#include "data/input.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/memory.hpp"
#include "bitbayes/types/error.hpp"

namespace bitbayes::data {

namespace {

constexpr std::size_t kChunk = 1 << 16;
constexpr std::size_t kPerLine = 4;  // bytes that each line counts as, so that even blank ones do
constexpr int kGzipOnly = 16 + MAX_WBITS;

int open_file(const std::string& path) {
    if (path == "-") return STDIN_FILENO;
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) throw Error(ErrorCode::kIo, fmt::format("{}: {}", path, std::strerror(errno)));
    return file;
}

/// `line`: the first one.
void check_is_text(std::string_view line, const std::string& name) {
    constexpr std::size_t kStart = 1024;
    if (line.starts_with("\xff\xfe") || line.starts_with("\xfe\xff")) {
        throw Error(ErrorCode::kData, name + ": a text in UTF-16", "save it as UTF-8");
    }
    if (line.substr(0, kStart).find('\0') != line.npos) {
        throw Error(
            ErrorCode::kData, name + ": a binary file, not a table of text",
            "DATA is CSV, LIBSVM, IDX or NPZ; where a command takes a model, it comes first");
    }
}

}  // namespace

void Input::InflateEnd::operator()(z_stream_s* stream) const {
    inflateEnd(stream);
    delete stream;
}

Input::Input(const std::string& path, std::size_t max_memory)
    : name_(path == "-" ? "<stdin>" : path), max_memory_(max_memory), file_(open_file(path)) {}

Input::Input(std::string_view memory, std::string name, std::size_t max_memory)
    : name_(std::move(name)), max_memory_(max_memory), memory_(memory) {}

Input::~Input() {
    if (file_ > STDIN_FILENO) ::close(file_);
}

/// At most kChunk bytes, once there are some; -1 for an error.
ssize_t Input::read_some(char* to) const {
    while (true) {
        const ssize_t count = ::read(file_, to, kChunk);
        if (count >= 0 || (errno != EINTR && errno != EAGAIN)) return count;
        if (errno == EINTR) continue;
        if (cut_short_ && cut_short_()) return 0;
        pollfd file{file_, POLLIN, 0};
        ::poll(&file, 1, -1);
    }
}

/// Waits for raw bytes; false at their end.
bool Input::load() {
    if (raw_end_) return false;
    raw_.erase(0, raw_begin_);
    raw_begin_ = 0;
    const std::size_t before = raw_.size();
    raw_.resize(before + kChunk);
    ssize_t count = 0;
    if (file_ < 0) {
        count = static_cast<ssize_t>(memory_.copy(raw_.data() + before, kChunk));
        memory_.remove_prefix(static_cast<std::size_t>(count));
    } else {
        count = read_some(raw_.data() + before);
        if (count < 0) {
            throw Error(ErrorCode::kIo, fmt::format("{}: {}", name_, std::strerror(errno)));
        }
    }
    raw_.resize(before + static_cast<std::size_t>(count));
    raw_total_ += static_cast<std::size_t>(count);
    raw_end_ = count == 0;
    return !raw_end_;
}

void Input::detect_gzip() {
    started_ = true;
    while (raw_.size() < 2 && load()) {
    }
    if (!raw_.starts_with("\x1f\x8b")) return;
    auto stream = std::make_unique<z_stream>();
    if (inflateInit2(stream.get(), kGzipOnly) != Z_OK) {
        throw Error(ErrorCode::kInternal, "zlib cannot start");
    }
    gzip_.reset(stream.release());
}

bool Input::fill() {
    if (!started_) detect_gzip();
    if (begin_ > buffer_.size() / 2) {
        buffer_.erase(0, begin_);
        begin_ = 0;
    }
    return gzip_ ? fill_gzip() : fill_plain();
}

bool Input::fill_plain() {
    if (raw_.empty() && !load()) return false;
    buffer_ += raw_;
    raw_.clear();
    return true;
}

bool Input::fill_gzip() {
    const std::size_t before = buffer_.size();
    buffer_.resize(before + kChunk);
    z_stream& z = *gzip_;
    z.next_out = reinterpret_cast<Bytef*>(buffer_.data() + before);
    z.avail_out = kChunk;
    while (z.avail_out == kChunk) {
        if (raw_begin_ == raw_.size() && !output_pending_ && !load()) {
            buffer_.resize(before);
            if (member_done_) return false;
            throw Error(ErrorCode::kData, name_ + ": truncated or damaged gzip");
        }
        if (std::exchange(member_done_, false)) inflateReset(&z);
        z.next_in = reinterpret_cast<Bytef*>(raw_.data() + raw_begin_);
        z.avail_in = static_cast<uInt>(raw_.size() - raw_begin_);
        const int result = inflate(&z, Z_NO_FLUSH);
        raw_begin_ = raw_.size() - z.avail_in;
        member_done_ = result == Z_STREAM_END;
        output_pending_ = z.avail_out == 0 && !member_done_;
        if (result != Z_OK && result != Z_STREAM_END && result != Z_BUF_ERROR) {
            throw Error(ErrorCode::kData, name_ + ": truncated or damaged gzip");
        }
    }
    buffer_.resize(before + kChunk - z.avail_out);
    return true;
}

void Input::check_memory(std::size_t bytes) const {
    constexpr std::size_t kAlways = 64 << 20, kPerByte = 200;
    const std::size_t limit = max_memory_ != 0 ? max_memory_ : kAlways + kPerByte * raw_total_;
    if (bytes <= limit) return;
    const std::string what =
        max_memory_ != 0
            ? fmt::format("{}: takes more than `max_memory`, {}", name_, bytes_text(limit))
            : fmt::format("{}: takes more than {}, all that {} of it can justify", name_,
                          bytes_text(limit), bytes_text(raw_total_));
    throw Error(ErrorCode::kData, fmt::format("{}: {} so far", what, bytes_text(bytes)),
                "allow more with `max_memory`, if the file is to be trusted");
}

void Input::check_line(std::size_t bytes) const {
    constexpr std::size_t kPerByte = 20;  // a view of a cell is 16 bytes, a cell is 1 byte or more
    check_memory(kPerByte * bytes);
}

bool Input::ready() const {
    if (file_ < 0 || raw_end_ || raw_begin_ < raw_.size() || output_pending_) return true;
    pollfd file{file_, POLLIN, 0};
    return ::poll(&file, 1, 0) > 0;
}

std::string_view Input::peek(std::size_t bytes) {
    while (buffered().size() < bytes && fill()) {
    }
    return buffered().substr(0, bytes);
}

std::string read_all(Input& input) {
    std::string all;
    do {
        all += input.buffered();
        input.consume(input.buffered().size());
        input.check_memory(all.size());
    } while (input.fill());
    return all;
}

bool LineReader::ready() {
    while (true) {
        const std::size_t end = input_->buffered().find('\n', scanned_);
        if (end != std::string_view::npos) return true;
        scanned_ = input_->buffered().size();
        input_->check_line(scanned_);
        if (!input_->ready()) return false;
        if (!input_->fill()) return true;
    }
}

bool LineReader::next(std::string_view& line) {
    std::size_t end = input_->buffered().find('\n', scanned_);
    while (end == std::string_view::npos) {
        scanned_ = input_->buffered().size();
        input_->check_line(scanned_);
        if (!input_->fill()) break;
        end = input_->buffered().find('\n', scanned_);
    }
    scanned_ = 0;
    if (input_->buffered().empty() || (end == std::string_view::npos && cut_short())) return false;
    line = input_->buffered().substr(0, end);
    input_->check_line(line.size());
    input_->check_memory(kPerLine * number_);
    input_->consume(std::min(input_->buffered().size(), line.size() + 1));
    if (number_ == 0) check_is_text(line, name());
    if (++number_ == 1 && line.starts_with("\xef\xbb\xbf")) line.remove_prefix(3);
    if (line.ends_with('\r')) line.remove_suffix(1);
    return true;
}

std::string LineReader::where(std::size_t line) const {
    return fmt::format("{}:{}: ", name(), line);
}

}  // namespace bitbayes::data

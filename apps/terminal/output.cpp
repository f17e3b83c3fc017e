#include "terminal/output.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstring>

#include "base/text.hpp"
#include "bitbayes/types/error.hpp"
#include "terminal/flags.hpp"
#include "terminal/ranks.hpp"

namespace bitbayes::cli {

namespace {

bool write_all(int file, std::string_view text) {
    while (!text.empty()) {
        const ssize_t written = ::write(file, text.data(), text.size());
        if (written < 0 && errno != EINTR) return false;
        if (written > 0) text.remove_prefix(static_cast<std::size_t>(written));
    }
    return true;
}

/// Results are data, so that they may hold anything; a terminal shows them.
std::string for_terminal(std::string_view text) {
    std::string shown;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        shown += printable(text.substr(0, end));
        if (end < text.size()) shown += '\n';
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return shown;
}

/// False if nobody reads any more.
bool write_output(std::string_view text) {
    if (!ranks().first()) return true;
    static const bool terminal = ::isatty(STDOUT_FILENO) == 1;
    if (terminal ? write_all(STDOUT_FILENO, for_terminal(text)) : write_all(STDOUT_FILENO, text)) {
        return true;
    }
    if (errno == EPIPE) return false;
    throw Error(ErrorCode::kIo, fmt::format("standard output: {}", std::strerror(errno)));
}

}  // namespace

void guard_standard_files() {
    const int flags[] = {O_WRONLY, O_RDONLY, O_RDWR};
    for (int file = 0; file < 3; ++file) {
        if (::fcntl(file, F_GETFD) == -1) ::open("/dev/null", flags[file]);
    }
    std::signal(SIGPIPE, SIG_IGN);
    std::signal(SIGXFSZ, SIG_IGN);
}

void write_result(std::string_view text) { write_output(text); }

void stream_result(std::string_view text) {
    if (!write_output(text)) throw OutputClosed();
}

std::string to_line(const Json& object) {
    return object.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

void write_result(const Common& common, const Json& object, const std::string& text) {
    write_result(common.json ? to_line(object) : text);
}

void write_talk(std::string_view text) {
    if (ranks().first()) write_all(STDERR_FILENO, text);
}

void note(const Common& common, const std::string& text) {
    if (!common.quiet) write_talk("bitbayes: note: " + one_line(text) + "\n");
}

void note_texts(const Common& common, const std::vector<std::string>& texts) {
    for (const auto& text : texts) note(common, with_flags(text));
}

void note_data(const Common& common, const Dataset& data) {
    note_texts(common, data.notes);
    if (common.verbose) {
        note(common, fmt::format("{}: {} rows, {} features, {} classes", data.name, data.rows,
                                 data.features, data.class_names.size()));
    }
}

void write_error(const std::string& text) {
    write_all(STDERR_FILENO, "bitbayes: error: " + one_line(text) + "\n");
}

std::string counted(std::uint64_t count, const std::string& noun) {
    return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string percent(double fraction) {
    return std::isnan(fraction) ? "-" : fmt::format("{:.2f} %", 100 * fraction);
}

}  // namespace bitbayes::cli

#include "options.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <sstream>

#include "base/memory.hpp"
#include "bitbayes/types/error.hpp"
#include "cuda/card.hpp"

namespace bitbayes::cli {

namespace {

template <class T>
bool parse_all(const std::string& text, T& value) {
    const char* end = text.data() + text.size();
    const auto [stop, failure] = std::from_chars(text.data(), end, value);
    return failure == std::errc() && stop == end;
}

/// Columns of help: what COLUMNS says, else those of the terminal, else 100. Lines of more than 120
/// are hard to read.
std::size_t help_width() {
    constexpr std::size_t kUsual = 100, kLeast = 60, kMost = 120;
    const char* columns = std::getenv("COLUMNS");
    std::size_t width = 0;
    winsize size{};
    if (columns == nullptr || !parse_all(std::string(columns), width) || width == 0) {
        const bool known = ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
        width = known ? size.ws_col : kUsual;
    }
    return std::clamp(width, kLeast, kMost);
}

/// Breaks lines at spaces so that they have at most `width` characters where words allow it.
std::string wrapped(const std::string& text, std::size_t width) {
    std::string result;
    std::size_t used = 0;  // of the last line
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find_first_of(" \n", at), text.size());
        if (used > 0 && used + 1 + (end - at) > width) {
            result += '\n';
            used = 0;
        }
        if (used > 0) result += ' ';
        result += text.substr(at, end - at);
        used += (used > 0 ? 1 : 0) + (end - at);
        if (end < text.size() && text[end] == '\n') {
            result += '\n';
            used = 0;
        }
        at = end + 1;
    }
    return result;
}

constexpr const char* kReading = "Reading";

constexpr const char* kDataHelp =
    "DATA: mnist | fashion-mnist | teacher:M[:SEED] | a folder with the four IDX files |\n"
    "  IMAGES,LABELS (IDX) | *.csv | *.libsvm | *.svm | *.npz, each also .gz | - (stdin).\n"
    "  Append :train or :test to choose a split, #A:B to choose rows A to B-1.";

}  // namespace

void add_common(CLI::App& command, Common& common) {
    command.add_flag("--json", common.json, "One JSON object on stdout, nothing else")
        ->group("Everywhere");
    add_choice(command, "--progress", common.progress, {"auto", "bar", "rows", "none"},
               "Progress on stderr; auto: bar on a terminal, else rows")
        ->group("Everywhere");
    auto* quiet = command.add_flag("-q,--quiet", common.quiet, "No progress and no notes");
    quiet->group("Everywhere");
    command.add_flag("-v,--verbose", common.verbose, "More notes")
        ->excludes(quiet)
        ->group("Everywhere");
    command.add_flag("--force", common.force, "Overwrite outputs that exist")->group("Everywhere");
}

void add_columns(CLI::App& command, const std::string& name, std::vector<std::string>& target,
                 const std::string& help) {
    command
        .add_option_function<std::string>(
            name, [&target](const std::string& text) { target = split_list(text); }, help)
        ->type_name("COL,...")
        ->group(kReading);
}

void add_id(CLI::App& command, ReadOptions& reading) {
    command
        .add_option(
            "--id", reading.id,
            "CSV: column that names the rows: not learned, copied to the answers of predict")
        ->type_name("COL")
        ->group(kReading);
}

void add_row_weight(CLI::App& command, ReadOptions& reading) {
    command
        .add_option("--row-weight", reading.row_weight,
                    "CSV: a column that says how many times each row counts, 0 or more")
        ->type_name("COL")
        ->group("Learning");
}

void add_reading(CLI::App& command, ReadOptions& reading) {
    add_choice(command, "--format", reading.format, {"csv", "libsvm", "idx", "npz"},
               "Format of DATA; default: by content and name")
        ->group(kReading);
    command
        .add_option("--label", reading.label,
                    "CSV: label column: last, first, INDEX (from 0) or NAME (default: the model's, "
                    "else last)")
        ->type_name("COL")
        ->group(kReading);
    add_columns(command, "--ignore", reading.ignore,
                "CSV: columns to leave out, by index (from 0) or name");
    add_choice(command, "--header", reading.header, {"yes", "no"},
               "CSV: is the first line a header? Default: if it has a word where a number belongs")
        ->group(kReading);
    if (command.get_option_no_throw("--max-memory") == nullptr) {  // `train` has one of its own
        command
            .add_option_function<std::string>(
                "--max-memory",
                [&reading](const std::string& text) {
                    reading.max_memory = parse_memory("--max-memory", text);
                },
                "Memory that DATA may take, e.g. 2G (default: what its size can justify)")
            ->type_name("BYTES")
            ->group(kReading);
    }
    command.footer(kDataHelp);
}

void add_card(CLI::App& command, std::string& backend, const char* help) {
    command
        .add_option_function<std::string>(
            "--backend",
            [&backend](const std::string& text) {
                if (text != "auto" && !cuda::card_number(text)) {
                    throw Error(ErrorCode::kUsage,
                                fmt::format("--backend: '{}' is not a GPU", text),
                                "auto, cuda or cuda:N");
                }
                backend = text;
            },
            help)
        ->type_name("auto|cuda[:N]")
        ->default_str(backend);
}

CLI::Option* add_threads(CLI::App& command, unsigned& threads) {
    const auto parse = [&threads](const std::string& text) {
        threads = static_cast<unsigned>(parse_whole("--threads", text, 0, 1024));
    };
    return command
        .add_option_function<std::string>("--threads", parse,
                                          "CPU threads to use; 0: all cores; results do not change")
        ->type_name("N")
        ->default_str(std::to_string(threads));
}

std::vector<std::string> split_list(const std::string& text) {
    std::vector<std::string> parts(1);
    for (const char c : text) {
        if (c == ',') {
            parts.emplace_back();
        } else {
            parts.back() += c;
        }
    }
    return parts;
}

std::uint64_t parse_whole(const std::string& option, const std::string& text, std::uint64_t low,
                          std::uint64_t high) {
    std::uint64_t value = 0;
    if (parse_all(text, value) && value >= low && value <= high) return value;
    const std::string upper = high == UINT64_MAX ? "" : fmt::format(" to {}", high);
    throw Error(ErrorCode::kUsage,
                fmt::format("{}: '{}' is not a whole number from {}{}", option, text, low, upper));
}

std::uint64_t parse_memory(const std::string& option, const std::string& text) {
    if (const auto bytes = parse_bytes(text)) return *bytes;
    throw Error(ErrorCode::kUsage,
                fmt::format("{}: '{}' is not an amount of memory like 512M or 2G", option, text));
}

double parse_fraction(const std::string& option, const std::string& text) {
    double value = 0;
    if (parse_all(text, value) && value > 0 && value < 1) return value;
    throw Error(ErrorCode::kUsage,
                fmt::format("{}: '{}' is not between 0 and 1 (both excluded)", option, text));
}

CLI::Option* add_whole(CLI::App& command, const std::string& name, std::uint64_t& target,
                       const std::string& help, std::uint64_t low, std::uint64_t high) {
    return command
        .add_option_function<std::string>(
            name,
            [&target, name, low, high](const std::string& text) {
                target = parse_whole(name, text, low, high);
            },
            help)
        ->type_name("N");
}

CLI::Option* add_positive(CLI::App& command, const std::string& name, double& target,
                          const std::string& help) {
    const auto parse = [&target, name](const std::string& text) {
        if (!parse_all(text, target) || !std::isfinite(target) || target <= 0) {
            throw Error(ErrorCode::kUsage,
                        fmt::format("{}: '{}' is not a number above 0", name, text));
        }
    };
    return command.add_option_function<std::string>(name, parse, help)->type_name("X");
}

CLI::Option* add_output(CLI::App& command, const std::string& name, std::string& target,
                        const std::string& help, const std::string& hint) {
    const std::string flag = name.substr(0, name.find(','));
    const auto take = [&target, flag, hint](const std::string& text) {
        if (text == "-") {
            throw Error(ErrorCode::kUsage, flag + ": '-' does not mean standard output here", hint);
        }
        target = text;
    };
    return command.add_option_function<std::string>(name, take, help)->type_name("FILE");
}

CLI::Option* add_choice(CLI::App& command, const std::string& name, std::string& target,
                        const std::vector<std::string>& choices, const std::string& help) {
    const auto words = fmt::format("{}", fmt::join(choices, "|"));
    const auto is_choice = [choices, words](const std::string& text) {
        const bool known = std::find(choices.begin(), choices.end(), text) != choices.end();
        return known ? std::string() : fmt::format("'{}' is not one of {}", text, words);
    };
    auto* option = command.add_option(name, target, help)->type_name(words);
    option->check(CLI::Validator(is_choice, ""));
    return target.empty() ? option : option->capture_default_str();
}

HelpFormatter::HelpFormatter() : width_(help_width()) {
    constexpr std::size_t kWide = 100;
    column_width(width_ >= kWide ? 40 : 32);
}

std::string HelpFormatter::in_second_column(const std::string& text) const {
    return wrapped(text, width_ - column_width_);
}

std::string HelpFormatter::make_description(const CLI::App* app) const {
    return wrapped(CLI::Formatter::make_description(app), width_);
}

std::string HelpFormatter::make_usage(const CLI::App* app, std::string name) const {
    std::string usage = get_label("Usage") + ":" + (name.empty() ? "" : " ") + name;
    for (const auto* option : app->get_options()) {
        if (option->get_positional()) usage += " " + make_option_usage(option);
    }
    for (const auto* option : app->get_options()) {
        if (!option->nonpositional() || !option->get_required()) continue;
        const auto& letters = option->get_snames();
        const auto flag =
            letters.empty() ? "--" + option->get_lnames().front() : "-" + letters.front();
        usage += fmt::format(" {} {}", flag, option->get_type_name());
    }
    usage += " [" + get_label("OPTIONS") + "]";
    if (!app->get_subcommands({}).empty()) usage += " " + get_label("SUBCOMMAND");
    return usage + "\n";
}

std::string HelpFormatter::make_subcommand(const CLI::App* command) const {
    std::ostringstream out;
    CLI::detail::format_help(out, command->get_display_name(true),
                             in_second_column(command->get_description()), column_width_);
    return out.str();
}

std::string HelpFormatter::make_option_desc(const CLI::Option* option) const {
    return in_second_column(CLI::Formatter::make_option_desc(option));
}

std::string HelpFormatter::make_option_opts(const CLI::Option* option) const {
    const auto type = option->get_type_name();
    const auto preset = option->get_default_str();
    std::string text = option->get_type_size() == 0 || type.empty() ? "" : " " + type;
    return preset.empty() ? text : text + " (" + preset + ")";
}

std::vector<std::string> choices_of(const CLI::Option& option) {
    std::string words = option.get_type_name();
    if (words.find('|') == std::string::npos) return {};
    std::replace(words.begin(), words.end(), '|', ',');
    auto choices = split_list(words);
    std::erase_if(choices, [](const std::string& word) {
        return std::isupper(static_cast<unsigned char>(word.front()));
    });
    return choices;
}

}  // namespace bitbayes::cli

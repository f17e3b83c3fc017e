// Options that several commands share, and strict parsing of their values.
#pragma once

#include <CLI/CLI.hpp>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "bitbayes/types/reading.hpp"
#include "terminal/common.hpp"

namespace bitbayes::cli {

/// Rows that `predict` and `update` process at a time.
inline constexpr std::size_t kChunkRows = 4096;

void add_common(CLI::App& command, Common& common);

/// --format, --label, --ignore, --header, --max-memory; also explains DATA at the end of the command's help.
void add_reading(CLI::App& command, ReadOptions& reading);
/// A list of columns.
void add_columns(CLI::App& command, const std::string& name, std::vector<std::string>& target,
                 const std::string& help);
/// --id, for commands that copy it to their answers or leave it out of learning.
void add_id(CLI::App& command, ReadOptions& reading);
/// --row-weight, for commands that learn.
void add_row_weight(CLI::App& command, ReadOptions& reading);

CLI::Option* add_threads(CLI::App& command, unsigned& threads);
/// --backend auto|cuda[:N].
void add_card(CLI::App& command, std::string& backend, const char* help);

/// "15,9" -> {"15", "9"}
std::vector<std::string> split_list(const std::string& text);

/// Whole numbers in decimal, from `low` to `high`; throws Error(kUsage) that names the option.
std::uint64_t parse_whole(const std::string& option, const std::string& text, std::uint64_t low,
                          std::uint64_t high);

/// Bytes, with a suffix K, M, G or T or without.
std::uint64_t parse_memory(const std::string& option, const std::string& text);

/// A number between 0 and 1, neither included.
double parse_fraction(const std::string& option, const std::string& text);

CLI::Option* add_whole(CLI::App& command, const std::string& name, std::uint64_t& target,
                       const std::string& help, std::uint64_t low = 0,
                       std::uint64_t high = UINT64_MAX);

/// A finite number above 0.
CLI::Option* add_positive(CLI::App& command, const std::string& name, double& target,
                          const std::string& help);

/// A file or folder to write; "-" is none, and Error(kUsage) has the hint.
CLI::Option* add_output(CLI::App& command, const std::string& name, std::string& target,
                        const std::string& help, const std::string& hint = "give it a name");

/// One of a few words, which help and completion show.
CLI::Option* add_choice(CLI::App& command, const std::string& name, std::string& target,
                        const std::vector<std::string>& choices, const std::string& help);

/// Help in two columns, as wide as the terminal. Of an option it shows the values and the default,
/// nothing else; the usage line names options that are required.
class HelpFormatter : public CLI::Formatter {
  public:
    HelpFormatter();
    std::string make_description(const CLI::App* app) const override;
    std::string make_usage(const CLI::App* app, std::string name) const override;
    std::string make_subcommand(const CLI::App* command) const override;
    std::string make_option_opts(const CLI::Option* option) const override;
    std::string make_option_desc(const CLI::Option* option) const override;

  private:
    std::string in_second_column(const std::string& text) const;

    std::size_t width_;
};

/// The words that an option takes, without those in capitals, which stand for others; empty if it
/// has no choice.
std::vector<std::string> choices_of(const CLI::Option& option);

}  // namespace bitbayes::cli

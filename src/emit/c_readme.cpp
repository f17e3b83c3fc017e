#include <fmt/format.h>

#include <algorithm>

#include "emit/c_pages.hpp"
#include "emit/c_plan.hpp"
#include "emit/c_raw.hpp"
#include "emit/c_text.hpp"
#include "emit/names.hpp"
#include "emit/network_text.hpp"

namespace bitbayes::emit {
namespace {

using packed::Network;
using packed::Quantiser;

std::string row_text(const Network& network, const std::string& name) {
    const Quantiser& quantiser = network.quantiser;
    const std::string text = fmt::format(
        "A row is an array of {0}_COLUMNS values of type `{1}_column` ({2}): all columns of the "
        "table, in its order, from 0. Each holds {3}.\n",
        upper_case(name), name, column_type(quantiser.type), value_formula(quantiser));
    return text + columns_text(network) + raw_text(network, name);
}

std::string use_text(const Network& network, const COptions& options) {
    std::string text = fmt::format(
        "```c\n{0}{1}#include \"{2}.h\"\n\n{2}_answer answer;\n{2}_classify(x, &answer);\n```\n\n"
        "`answer.predicted` is the class, or {3}_UNKNOWN (-1); `winner`, `margin` and `legal` say "
        "more. "
        "`{2}_predict(x)`, `{2}_margin(x)` and `{2}_legal(x)` give one of them, `{2}_scores(x, "
        "scores)` what they "
        "follow from.\n\n",
        options.single_header ? "/* in one file only */\n#define " + upper_case(options.name) : "",
        options.single_header ? "_IMPLEMENTATION\n" : "", options.name, upper_case(options.name));
    text += network.abstain_below > 0
                ? fmt::format("A margin below {} means \"don't know\".\n", network.abstain_below)
                : "It answers always: no margin was set below which it does not know.\n";
    text +=
        "An output pattern is legal if exactly one score is 0 or more; others are a sign of a row "
        "unlike those of "
        "the training.\n";
    if (options.arduino) {
        return text + "\nThe folder is an Arduino library; try the sketch examples/Demo.\n";
    }
    return text + "\nThe example, from this folder:\n\n    " + c_build_command(options) + "\n";
}

std::string cost_text(const Network& network) {
    const CFigures figures = c_figures(network);
    std::string text = fmt::format(
        "| what | |\n| --- | ---: |\n| FLASH, tables | {} bytes |\n| RAM, buffers on the stack "
        "during a call | {} bytes |\n"
        "| RAM, the caller's row | {} bytes |\n",
        figures.flash_bytes, figures.ram_bytes, figures.row_bytes);
    if (figures.raw_flash_bytes > 0) {
        text += fmt::format(
            "| FLASH, tables of the functions on raw values, if they are linked | {} bytes |\n",
            figures.raw_flash_bytes);
    }
    text += fmt::format("| additions of {}-bit words, at most | {} |\n", CPlan(network).bits,
                        figures.additions);
    if (figures.words > 0) {
        text += fmt::format("| words compared, their ones counted | {} |\n", figures.words);
    }
    return text +
           "\nOperations are those of one row. There are no variables outside of the stack, no "
           "recursion, no library calls and no floating point; C99, right on parts whose `int` has "
           "16 bits. Code takes 0.8 to 1.4 KiB more of FLASH on a Cortex-M3, 2 to 3.3 KiB on AVR, "
           "0.2 and 0.5 of them for "
           "raw values; "
           "frames of functions up to 200 bytes more of RAM. On AVR the tables stay in program "
           "memory and may take 32 KiB.\n";
}

}  // namespace

std::string c_readme(const Network& network, const COptions& options) {
    return fmt::format(
        "# {}\n\nA neural network with weights +1 and -1, as C99. Written by bitbayes from a model "
        "of seed {} after {} "
        "samples.\n\n{}\n## Columns\n\n{}\n## Use\n\n{}\n## Cost\n\n{}\n## Missing "
        "values\n\n{}\n## Verification\n\n"
        "`bitbayes export c --verify DATA` compiles these files with -Wall -Wextra -Werror "
        "-pedantic, -ffreestanding and "
        "compares class, margin, legality and every score of each row with the library.\n",
        options.name, network.seed, network.samples_seen, network_text(network),
        row_text(network, options.name), use_text(network, options), cost_text(network),
        missing_text(network.quantiser));
}

}  // namespace bitbayes::emit

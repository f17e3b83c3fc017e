#include <fmt/format.h>

#include "emit/c_learn.hpp"
#include "emit/c_plan.hpp"
#include "emit/names.hpp"
#include "emit/network_text.hpp"

namespace bitbayes::emit {
namespace {

constexpr const char* kUse = R"(```c
#include "{0}.h"

{0}_answer answer;
{0}_classify(x, &answer); /* by all that was learned so far */
{0}_learn(x, label);      /* one Bayes update; label is the number of a class, from 0 */
{0}_reset();              /* back to what was exported */
```

`answer.winner` is the class with the highest score; `{0}_predict(x)`, `{0}_margin(x)` and `{0}_legal(x)` give parts of
the answer. A score is the mean of an output over its standard deviation, {1}_SCORE_UNIT to one.

What is learned lies in `{0}_learned`; calls must not overlap. The first call sets it up. To keep it without power, store
its members `random`, `h1`{2}, and put them back at the start. `{0}_seed(N)` restarts the generator that rounds.

The example, from this folder:

    cc -std=c99 -O2 -I. example/main.c {0}.c -o example/main
)";

std::string cost_text(const LearnFigures& figures) {
    return fmt::format(
        "| what | |\n| --- | ---: |\n| FLASH, tables and the exported network | {} bytes |\n| RAM, "
        "what is learned and the work on a row | {} bytes |\n| RAM, the caller's row | {} bytes |\n"
        "| weights, one byte each | {} |\n\n"
        "No heap, no recursion, no library calls, no floating point, no division; C99, right on "
        "parts whose `int` has 16 bits.\n",
        figures.flash_bytes, figures.state_bytes, figures.row_bytes, figures.weights);
}

}  // namespace

std::string learn_readme(const device::Network& network, const std::string& name) {
    const auto& clipped = network.clipped;
    return fmt::format(
        "# {}\n\nA neural network with weights +1 and -1 that learns on the device, as C99. "
        "Written "
        "by bitbayes from a model of seed {} after {} samples.\n\n{}\n## Columns\n\n"
        "A row is an array of {}_COLUMNS values of type `{}_column` ({}): all columns of the "
        "table, "
        "in its order, from 0. Each holds {}.\n{}\n## Use\n\n{}\n## Cost\n\n{}\n## Missing "
        "values\n\n{}\n## Verification\n\n`bitbayes export c --learn --verify DATA` compiles these "
        "files, answers and learns every row, and compares all scores and every h after every row "
        "with the library. `bitbayes update MODEL DATA --like-device` learns rows as this code "
        "does.\n",
        name, clipped.seed, clipped.samples_seen, network_text(clipped), upper_case(name), name,
        column_type(clipped.quantiser.type), value_formula(clipped.quantiser),
        columns_text(clipped),
        fmt::format(kUse, name, upper_case(name), network.hidden > 0 ? " and `h2`" : ""),
        cost_text(learn_figures(network)), missing_text(clipped.quantiser));
}

}  // namespace bitbayes::emit

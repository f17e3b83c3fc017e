// README.md of a Verilog export.
#include <fmt/format.h>

#include "emit/network_text.hpp"
#include "emit/verilog_parts.hpp"

namespace bitbayes::emit {
namespace {

using packed::ColumnType;
using packed::Network;

std::string columns_in_words(ColumnType type) {
    switch (type) {
        case ColumnType::kBit:
            return "0 or 1: one bit";
        case ColumnType::kSign:
            return "-1 or +1: one bit, 1 is +1";
        case ColumnType::kU8:
            return "whole numbers of 8 bits without sign";
        case ColumnType::kI8:
            return "whole numbers of 8 bits, two's complement";
        case ColumnType::kI16:
            break;
    }
    return "whole numbers of 16 bits, two's complement";
}

constexpr const char* kFoldedPorts = R"(| port | |
| --- | --- |
| `clk`, `rst` | rising edge; reset is synchronous, one clock or more |
| `s_valid`, `s_ready`, `s_data` | a column per transfer (both high at an edge), all {columns} columns of an image in order |
| `m_valid`, `m_ready` | the answer, held until it is taken |
| `m_label` | index of the class |
| `m_margin` | score of the winner minus the runner-up; one output: size of the score |
| `m_legal` | exactly one score is 0 or more |
| `m_known` | the margin is at least {abstain}; if it is not, the answer is "don't know" |
| `score_valid`, `score` | the {outputs} scores, signed, in order, before the answer; may be left open |

{clocks}

The weights are in `{name}_*.hex` ({rom_bits} bits), read by `$readmemh`. Simulators and Yosys look for them in the working folder; the parameter
`ROM_PATH` of `{name}` (it ends with `/`) names another one. Vivado and Quartus also find them when they are added to the project.
`--parallel` sets the neurons per clock. {lanes}
)";

constexpr const char* kTreeClocks =
    R"(Columns that are 0 cost one clock, others one per group of {parallel} neurons: an image takes at most {latency} clocks from its
first column to its answer. The next image is taken in while the last answer waits.)";
constexpr const char* kTreeLanes =
    R"(A number that shares a factor with the fan-in of layer 2 lets several neurons at a time
go on to layer 2.)";

constexpr const char* kDenseClocks =
    R"(Dense layers go one after another through the same {parallel} accumulators. Columns that are 0 and hidden neurons that are -1 cost
one clock, others one per group of {parallel} neurons that read them: an image takes at most {latency} clocks from its first column
to its answer. The next image is taken in once layer 1 has read this one.)";
constexpr const char* kDenseLanes =
    R"(A number that divides the neurons of every dense layer leaves no bit of the ROM unused.)";

constexpr const char* kParallelPorts = R"(| port | |
| --- | --- |
| `clk`, `rst` | rising edge; reset is synchronous and only empties the pipeline |
| `in_valid`, `in_columns` | an image, all {columns} columns, column 0 in the lowest bits |
| `out_valid` | the answer, {latency} clocks later, for one clock |
| `out_label` | index of the class |
| `out_margin` | score of the winner minus the runner-up; one output: size of the score |
| `out_legal` | exactly one score is 0 or more |
| `out_known` | the margin is at least {abstain}; if it is not, the answer is "don't know" |
| `out_scores` | the {outputs} scores, signed, output 0 in the lowest bits |

One image per clock. Weights are constants in `{name}.v`.
)";

constexpr const char* kHead = R"(# {name}

A neural network with weights +1 and -1, as Verilog-2001. Written by bitbayes from a model of seed {seed} after {samples} samples.
The top module is `{name}`; every `{name}*.v` of this folder belongs to it.

{shape}
## Ports

)";

constexpr const char* kTail = R"(
The testbench in `test/` checks itself with rows whose answers are known and ends with a line that starts with PASS or FAIL:

    iverilog -g2001 -s {name}_tb -o {name}_tb.vvp *.v test/*.v && vvp -n {name}_tb.vvp
    verilator --binary --timing --top-module {name}_tb *.v test/*.v && obj_dir/V{name}_tb

`report.json` has clocks, ROM bits and what Yosys makes of it for an iCE40 (block RAMs counted without their contents).

## Columns

Each holds {formula}: {holds}.
{details}
{missing})";

}  // namespace

std::string verilog_readme(const Network& network, const std::string& name, const Form& form) {
    const bool dense = dense_layers(network) > 1;
    const std::string text =
        std::string(kHead) + (form.figures.folded ? kFoldedPorts : kParallelPorts) + kTail;
    const std::string clocks = fmt::format(fmt::runtime(dense ? kDenseClocks : kTreeClocks),
                                           fmt::arg("parallel", form.figures.parallel),
                                           fmt::arg("latency", form.figures.latency));
    return fmt::format(
        fmt::runtime(text), fmt::arg("name", name), fmt::arg("seed", network.seed),
        fmt::arg("samples", network.samples_seen), fmt::arg("shape", network_text(network)),
        fmt::arg("formula", value_formula(network.quantiser)),
        fmt::arg("details", columns_text(network)),
        fmt::arg("missing", missing_text(network.quantiser)),
        fmt::arg("holds", columns_in_words(network.quantiser.type)),
        fmt::arg("columns", network.quantiser.columns()), fmt::arg("outputs", network.outputs()),
        fmt::arg("abstain", network.abstain_below), fmt::arg("clocks", clocks),
        fmt::arg("lanes", dense ? kDenseLanes : kTreeLanes),
        fmt::arg("rom_bits", form.figures.rom_bits), fmt::arg("latency", form.figures.latency));
}

}  // namespace bitbayes::emit

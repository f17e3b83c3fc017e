// README.md of a Verilog export.
#include <fmt/format.h>

#include "emit/network_text.hpp"
#include "emit/verilog_parts.hpp"

namespace bitbayes::emit {
namespace {

using packed::ColumnType;
using packed::Network;

std::string columns_in_words(ColumnType type) {
    const auto [low, high] = packed::range_of(type);
    if (type == ColumnType::kSign) return "-1 or +1";
    return fmt::format("{} to {}", low, high);
}

constexpr const char* kPorts =
    R"(The ports are those of every network and of both forms: AXI-Stream, one column per beat in, one beat per row out.

| port | |
| --- | --- |
| `clk`, `rst` | rising edge; reset is synchronous, one clock or more |
| `s_tvalid`, `s_tready` | a beat is taken at an edge where both are high |
| `s_tdata[15:0]` | a column, in order, as a whole number in two's complement |
| `s_tlast` | with the last of the {columns} columns of a row |
| `m_tvalid`, `m_tready` | an answer, held until it is taken |
| `m_tdata[15:0]` | index of the class |
| `m_tdata[16]` | known: the margin is at least {abstain}; if it is not, the answer is "don't know" |
| `m_tdata[17]` | legal: exactly one score is 0 or more |
| `m_tdata[18]` | wrong length: the row did not have {columns} columns; it is not known, and class and margin mean nothing |
| `m_tdata[63:32]` | margin: score of the winner minus the runner-up; one output: size of the score |
| `m_tlast` | 1 |
| `score_valid`, `score[31:0]` | the {outputs} scores of a row, signed, in order, before its answer; may be left open |

Every `s_tlast` gets one answer, in the order of the rows. A row that ends too early, or goes on after column {columns}, ends at its `s_tlast`
like any other, and the next one starts clean. Inputs go to registers,
`s_tready` and answers come from registers, and a sink that stays away loses no answer.

{clocks}
)";

constexpr const char* kParallelText =
    R"(The form is parallel: all neurons of a layer work at once, and weights are constants in `{name}.v`. Layer 1 adds each column as it arrives,
the layers above are a pipeline. A row takes {cycles} clocks, as many as its columns need to come in{limit}; its answer comes
{latency} clocks after its first column, while the next rows come in.)";

constexpr const char* kFoldedText =
    R"(The form is folded: {parallel} neurons at a time. {clocks}

The weights are in `{name}_*.hex` ({rom_bits} bits), read by `$readmemh`. Simulators and Yosys look for them in the working folder; the parameter
`ROM_PATH` of `{name}` (it ends with `/`) names another one. Vivado and Quartus also find them when they are added to the project.
`--parallel` sets the neurons per clock. {lanes})";

constexpr const char* kTreeClocks =
    R"(Columns that are 0 cost one clock, others one per group of {parallel} neurons: a row takes at most {latency} clocks from its
first column to its answer. The next row is taken in while the last answer waits.)";
constexpr const char* kTreeLanes =
    R"(A number that shares a factor with the fan-in of layer 2 lets several neurons at a time
go on to layer 2.)";

constexpr const char* kDenseClocks =
    R"(Dense layers go one after another through the same {parallel} accumulators. Columns that are 0 and hidden neurons that are -1 cost
one clock, others one per group of {parallel} neurons that read them: a row takes at most {latency} clocks from its first column
to its answer. The next row is taken in once layer 1 has read this one.)";
constexpr const char* kDenseLanes =
    R"(A number that divides the neurons of every dense layer leaves no bit of the ROM unused.)";

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

`report.json` has clocks, ROM bits, what Yosys makes of it for an iCE40 (block RAMs counted without their contents), and cells and
highest clock frequency that nextpnr reaches on an HX8K.

## Columns

Each holds {formula}: {holds}.
{details}
{missing})";

std::string clocks_text(const Network& network, const std::string& name, const Form& form) {
    const VerilogFigures& figures = form.figures;
    const std::size_t columns = network.quantiser.columns();
    if (!figures.folded) {
        const bool scores = figures.cycles_per_image == network.outputs();
        return fmt::format(
            kParallelText, fmt::arg("name", name), fmt::arg("cycles", figures.cycles_per_image),
            fmt::arg("latency", figures.latency),
            fmt::arg("limit",
                     scores && columns < network.outputs() ? " or its scores to leave" : ""));
    }
    const bool dense = dense_layers(network) > 1;
    const std::string clocks =
        fmt::format(fmt::runtime(dense ? kDenseClocks : kTreeClocks),
                    fmt::arg("parallel", figures.parallel), fmt::arg("latency", figures.latency));
    return fmt::format(kFoldedText, fmt::arg("name", name), fmt::arg("parallel", figures.parallel),
                       fmt::arg("clocks", clocks), fmt::arg("rom_bits", figures.rom_bits),
                       fmt::arg("lanes", dense ? kDenseLanes : kTreeLanes));
}

}  // namespace

std::string verilog_readme(const Network& network, const std::string& name, const Form& form) {
    return fmt::format(fmt::runtime(std::string(kHead) + kPorts + kTail), fmt::arg("name", name),
                       fmt::arg("seed", network.seed), fmt::arg("samples", network.samples_seen),
                       fmt::arg("shape", network_text(network)),
                       fmt::arg("formula", value_formula(network.quantiser)),
                       fmt::arg("details", columns_text(network)),
                       fmt::arg("missing", missing_text(network.quantiser)),
                       fmt::arg("holds", columns_in_words(network.quantiser.type)),
                       fmt::arg("columns", network.quantiser.columns()),
                       fmt::arg("outputs", network.outputs()),
                       fmt::arg("abstain", network.abstain_below),
                       fmt::arg("clocks", clocks_text(network, name, form)));
}

}  // namespace bitbayes::emit

#include "emit/verilog.hpp"

#include <fmt/format.h>

#include <random>
#include <utility>

#include "bitbayes/types/error.hpp"
#include "emit/c_text.hpp"
#include "emit/names.hpp"
#include "emit/verilog_stream.hpp"
#include "packed/problem.hpp"

namespace bitbayes::emit {
namespace {

using packed::Network;

constexpr std::size_t kDefaultLanes = 64;

void check(const Network& network, const VerilogOptions& options) {
    check_name(options.name);
    if (options.parallel == std::size_t{0}) {
        throw Error(ErrorCode::kUsage, "0 neurons per clock are none", "--parallel 1 or more");
    }
    if (network.inputs() == 0) {
        throw Error(ErrorCode::kUsage, "a network without inputs cannot be written as Verilog");
    }
    for (const auto& layers : network.members) {
        std::size_t below = network.inputs();
        for (std::size_t l = 0; l < layers.size(); ++l) {
            const bool dense = l == 0 || (layers[l].reads_all && layers[l - 1].reads_all);
            if (dense != layers[l].reads_all || !packed::fits(layers[l], below)) {
                throw Error(ErrorCode::kUsage,
                            fmt::format("layer {} of this network does not fit", l + 1),
                            "Verilog is written for dense layers and trees on top of them");
            }
            below = layers[l].neurons;
        }
    }
}

Form form_of(const Network& network, const VerilogOptions& options) {
    check(network, options);
    const bool parallel = !options.parallel && network.weights() <= kMaxParallelWeights;
    const Form form =
        parallel ? parallel_form(network, options.name)
                 : folded_form(network, options.name, options.parallel.value_or(kDefaultLanes));
    check_ports(network, form);
    return form;
}

/// Blocks are written as bitbayes_..., the network itself as bitbayes_dut.
std::string renamed(std::string_view text, const std::string& name) {
    constexpr std::string_view kDut = "bitbayes_dut ", kPrefix = "bitbayes_";
    std::string result;
    while (!text.empty()) {
        if (text.starts_with(kDut)) {
            result += name + " ";
            text.remove_prefix(kDut.size());
        } else if (text.starts_with(kPrefix)) {
            result += name + "_";
            text.remove_prefix(kPrefix.size());
        } else {
            result += text.front();
            text.remove_prefix(1);
        }
    }
    return result;
}

std::string block(const std::string& part, const std::string& name) {
    return renamed(runtime_file("rtl/" + part + ".v"), name);
}

std::string testbench(const Network& network, const std::string& name, const Form& form) {
    return fmt::format(
               "// {0} checked with the rows of {0}_columns.txt and {0}_answers.txt.\n"
               "module {0}_tb;\n",
               name) +
           instance(name + "_test", "test",
                    {{"COLUMNS", std::to_string(network.quantiser.columns())},
                     {"OUTPUTS", std::to_string(network.outputs())},
                     {"CLOCKS", std::to_string(form.figures.latency)},
                     {"COLUMNS_FILE", fmt::format("\"./test/{}_columns.txt\"", name)},
                     {"ANSWERS_FILE", fmt::format("\"./test/{}_answers.txt\"", name)}},
                    {}) +
           "endmodule\n";
}

/// "// column 0: "age"", line by line; nothing if the table named no columns.
std::string column_comment(const packed::Network& network) {
    std::string text;
    for (std::size_t j = 0; j < network.table.names.size(); ++j) {
        text += fmt::format("// column {}: {}\n", j, c_string(network.table.names[j]));
    }
    return text;
}

}  // namespace

OwnedGoldenRows golden_rows(const packed::Network& network, std::vector<std::int16_t> columns) {
    OwnedGoldenRows golden{std::move(columns), {}};
    const std::size_t width = network.quantiser.columns();
    if (golden.columns.empty()) {
        const auto [low, high] = packed::range_of(network.quantiser.type);
        const bool sign = network.quantiser.type == packed::ColumnType::kSign;
        std::minstd_rand random;
        for (std::size_t n = 0; n < kTestbenchRows * width; ++n) {
            const int value = sign ? (random() % 2 != 0 ? 1 : -1)
                                   : low + static_cast<int>(random() % (high - low + 1u));
            golden.columns.push_back(static_cast<std::int16_t>(value));
        }
    }
    for (std::size_t begin = 0; begin < golden.columns.size(); begin += width) {
        const auto scores = network.scores(std::span(golden.columns).subspan(begin, width));
        golden.scores.insert(golden.scores.end(), scores.begin(), scores.end());
    }
    return golden;
}

VerilogFigures verilog_figures(const Network& network, const VerilogOptions& options) {
    return form_of(network, options).figures;
}

Files emit_verilog(const Network& network, const VerilogOptions& options,
                   const GoldenRows& golden) {
    const Form form = form_of(network, options);
    const std::string& name = options.name;
    Files files = form.roms;
    files[name + ".v"] = column_comment(network) + form.top;
    for (const std::string& part : form.blocks) {
        files[fmt::format("{}_{}.v", name, part)] = block(part, name);
    }
    files["test/" + name + "_test.v"] = block("test", name);
    files["test/" + name + "_tb.v"] = testbench(network, name, form);
    files["test/" + name + "_columns.txt"] = testbench_columns(network, golden.columns);
    files["test/" + name + "_answers.txt"] = testbench_answers(network, golden.scores);
    files["README.md"] = verilog_readme(network, name, form);
    check_files(name, files);
    return files;
}

std::string testbench_columns(const Network& network, std::span<const std::int16_t> columns) {
    const std::size_t per_row = network.quantiser.columns();
    std::string text;
    for (std::size_t n = 0; n < columns.size(); ++n) {
        text += fmt::format("{:04x}{}", static_cast<std::uint16_t>(columns[n]),
                            (n + 1) % per_row == 0 ? "\n" : " ");
    }
    return text;
}

std::string testbench_answers(const Network& network, std::span<const std::int64_t> scores) {
    std::string text;
    for (; !scores.empty(); scores = scores.subspan(network.outputs())) {
        const auto row = scores.first(network.outputs());
        const packed::Answer answer = Network::answer(row);
        text += fmt::format("{} {} {} {}", answer.class_index, answer.margin, int{answer.legal},
                            int{answer.margin >= network.abstain_below});
        for (const std::int64_t score : row) text += fmt::format(" {}", score);
        text += "\n";
    }
    return text;
}

}  // namespace bitbayes::emit

#include <memory>
#include <optional>

#include "bench_report.hpp"
#include "bitbayes/bitbayes.hpp"
#include "bitbayes/types/error.hpp"
#include "commands.hpp"
#include "cuda/card.hpp"
#include "options.hpp"
#include "terminal/machine.hpp"
#include "terminal/output.hpp"

namespace bitbayes::cli {

namespace {

struct Arguments {
    Common common;
    std::string what, network, data;
    std::uint64_t slices = 15, slice_ms = 50;
    std::string backend = "auto";
    std::vector<std::size_t> tree, dense;
    std::optional<std::uint64_t> batch;
    bool until_error = false;
};

/// Figures, and what made them.
Json with_build(Json figures) {
    figures.update({{"cpu", cpu_name()},
                    {"version", version()},
                    {"compiler", __VERSION__},
                    {"flags", BITBAYES_BUILD_FLAGS}});
    return figures;
}

/// Error(kUnavailable) if there is no such GPU; the CPU is no substitute where the GPU is measured.
void check_card_is_there(const std::string& backend) {
    try {
        cuda::open_card(*cuda::card_number(backend));
    } catch (const Error& error) {
        if (error.code() != ErrorCode::kUnavailable) throw;
        const std::string what = error.what();
        throw Error(error.code(), what.substr(0, what.find("; hint: ")),
                    "bitbayes backends says what runs here; bench train measures the CPU");
    }
}

void run(const Arguments& arguments) {
    const bool infer = arguments.what == "infer", dense = !arguments.dense.empty(),
               card = arguments.backend != "auto";
    if (infer && dense) {
        throw Error(ErrorCode::kUsage, "bench infer takes no --dense", "bench train --dense N,...");
    }
    if (!dense && (arguments.batch || arguments.until_error)) {
        throw Error(ErrorCode::kUsage, "--batch and --until-error are for dense networks",
                    "bench train --dense N,...");
    }
    if (!infer && !arguments.network.empty()) {
        throw Error(ErrorCode::kUsage, "bench train takes no NET", "bench infer NET DATA");
    }
    if (arguments.network.empty() != arguments.data.empty()) {
        throw Error(ErrorCode::kUsage, "NET without DATA", "bench infer NET DATA, or neither");
    }
    if (!card && !arguments.tree.empty()) {
        throw Error(ErrorCode::kUsage, "--tree is for --backend cuda",
                    "bench train --backend cuda");
    }
    if (dense && !arguments.tree.empty()) {
        throw Error(ErrorCode::kUsage, "--tree and --dense are networks of their own", "keep one");
    }
    if (card && (infer || arguments.until_error)) {
        throw Error(ErrorCode::kUsage, "--backend is for bench train, without --until-error",
                    "bench train --backend cuda");
    }
    if (card) check_card_is_there(arguments.backend);
    note(arguments.common, "measuring; other work on this machine makes the figures worse");
    const BenchOptions options{arguments.slices, static_cast<double>(arguments.slice_ms) / 1000};
    const auto write = [&](const auto& bench) {
        write_result(arguments.common, with_build(to_json(bench)), to_table(bench));
    };
    if (card) {
        const auto tree =
            arguments.tree.empty() ? std::vector<std::size_t>{301, 2501} : arguments.tree;
        write(bench_card({options, arguments.backend, tree, arguments.dense,
                          static_cast<std::size_t>(arguments.batch.value_or(100))}));
    } else if (infer) {
        write(bench_infer(arguments.network, arguments.data, options));
    } else if (dense) {
        write(bench_dense(
            {options, arguments.dense, arguments.batch.value_or(100), arguments.until_error}));
    } else {
        write(bench_train(options));
    }
}

}  // namespace

void add_bench(CLI::App& app) {
    auto arguments = std::make_shared<Arguments>();
    auto* command = app.add_subcommand(
        "bench", "Speed against the scalar reference and the machine's own peak");
    add_choice(*command, "WHAT", arguments->what, {"train", "infer"}, "What to measure")
        ->required();
    command->add_option("NET", arguments->network, "infer: a packed network (*.bbn)")
        ->type_name("");
    command->add_option("DATA", arguments->data, "infer: rows for it to answer")->type_name("");
    add_card(*command, arguments->backend,
             "train: a GPU, against its own peak and the CPU; auto: the CPU alone");
    const auto add_widths = [&](const char* name, std::vector<std::size_t>& target,
                                const char* help) {
        command
            ->add_option_function<std::string>(
                name,
                [&target, name](const std::string& text) {
                    for (const auto& width : split_list(text))
                        target.push_back(parse_whole(name, width, 1, 1 << 24));
                },
                help)
            ->type_name("N,...");
    };
    add_widths(
        "--tree", arguments->tree,
        "With --backend cuda: one network for each number of hidden neurons per tree (default: "
        "301,2501)");
    add_widths("--dense", arguments->dense,
               "train: a network with these dense hidden layers instead, e.g. 1024,1024");
    command
        ->add_option_function<std::string>(
            "--batch",
            [arguments](const std::string& text) {
                arguments->batch = parse_whole("--batch", text, 1, 1 << 20);
            },
            "With --dense: rows learned at once (default: 100)")
        ->type_name("N");
    command->add_flag("--until-error", arguments->until_error,
                      "With --dense: also train on MNIST until 3 % test error (minutes)");
    add_whole(*command, "--slices", arguments->slices,
              "Slices of time per figure, of which the best one counts", 1, 10000)
        ->default_str("15");
    add_whole(*command, "--slice-ms", arguments->slice_ms, "Length of a slice in milliseconds", 1,
              10000)
        ->default_str("50");
    add_common(*command, arguments->common);
    command->footer(
        "train: ns/weight is the time per weight and sample. Inputs are standard normal, with\n"
        "301 hidden neurons per tree and h as after 1,000 samples (\"sure\": normal with standard\n"
        "deviation 3). Every slice starts from the same h. BITBAYES_SIMD chooses the level of\n"
        "the headline figures.\n"
        "train --dense: 785 standard normal inputs, 10 outputs, from the prior, on one thread and\n"
        "on all, as a share of the FMA peak of so many threads. PyTorch learns a BinaryNet of the\n"
        "same shape on all cores.\n"
        "train --backend cuda: the paper's network, eight of them at once, and one of 20 million\n"
        "weights, beside the CPU on all cores. The peak is the GPU's FMA; waiting is the share\n"
        "of the time in which threads wait for other threads (trees only).\n"
        "infer: one thread. Without NET: random weights in the paper's shape, on MNIST's test\n"
        "images, or on synthetic ones if MNIST was not fetched. PyTorch is Debian's\n"
        "python3-torch.");
    command->callback([arguments] { run(*arguments); });
}

}  // namespace bitbayes::cli

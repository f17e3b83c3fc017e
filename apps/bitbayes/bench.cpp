#include <fmt/format.h>

#include <cmath>
#include <memory>

#include "bench/infer.hpp"
#include "bench/train.hpp"
#include "bitbayes/bitbayes.hpp"
#include "bitbayes/types/error.hpp"
#include "commands.hpp"
#include "options.hpp"
#include "terminal/machine.hpp"
#include "terminal/output.hpp"

namespace bitbayes::cli {

namespace {

struct Arguments {
    Common common;
    std::string what, network, data;
    std::uint64_t slices = 15, slice_ms = 50;
};

/// null on machines where there is nothing to measure.
Json number(double value) { return std::isfinite(value) ? Json(value) : Json(); }

Json to_json(const TrainBench& bench) {
    const auto& level = bench.simd_level;
    const double ns = bench.headline(level);
    Json rates = Json::object(), rows = Json::array();
    for (const FmaRate& rate : bench.fma) rates[rate.level] = rate.per_ns;
    for (const BenchRow& row : bench.rows) {
        rows.push_back({{"name", row.name},
                        {"level", row.level},
                        {"fan_in", row.fan_in},
                        {"update_share", row.update_share},
                        {"threads", row.threads},
                        {"trees", row.trees},
                        {"ns_per_weight", row.ns_per_weight}});
    }
    return {{"ns_per_weight", ns},
            {"fma_slots_per_16_weights", bench.fma_slots(level, ns)},
            {"fma_slots_per_16_weights_sure", bench.fma_slots(level, bench.sure(level))},
            {"speedup_vs_core", bench.headline("core") / ns},
            {"backprop_ns_per_weight", bench.backprop(level)},
            {"backprop_vs_mfb", bench.backprop(level) / ns},
            {"thread_scaling", number(bench.thread_scaling(10, 2))},
            {"thread_scaling_one_tree", number(bench.thread_scaling(1, 2))},
            {"fma_per_ns", bench.fma_per_ns(level)},
            {"simd_level", level},
            {"fma_per_ns_by_level", rates},
            {"cpu", cpu_name()},
            {"version", version()},
            {"compiler", __VERSION__},
            {"flags", BITBAYES_BUILD_FLAGS},
            {"rows", rows}};
}

std::string scaling_text(double scaling) {
    return std::isfinite(scaling) ? fmt::format("{:.2f}", scaling) : "-";
}

std::string to_table(const TrainBench& bench) {
    const auto& level = bench.simd_level;
    const double ns = bench.headline(level);
    std::string text = fmt::format("{}\n\n{:<8} {:>12}\n", cpu_name(), "level", "FMA per ns");
    for (const FmaRate& rate : bench.fma) {
        text += fmt::format("{:<8} {:>12.3f}\n", rate.level, rate.per_ns);
    }
    text += fmt::format("\n{:<8} {:<8} {:>6} {:>8} {:>7} {:>5} {:>9} {:>13}\n", "what", "level",
                        "fan-in", "updating", "threads", "trees", "ns/weight", "FMA slots/16");
    for (const BenchRow& row : bench.rows) {
        const double row_slots = bench.fma_slots(row.level, row.ns_per_weight);
        text += fmt::format("{:<8} {:<8} {:>6} {:>6.0f} % {:>7} {:>5} {:>9.4f} {:>13}\n", row.name,
                            row.level, row.fan_in, 100 * row.update_share, row.threads, row.trees,
                            row.ns_per_weight,
                            std::isfinite(row_slots) ? fmt::format("{:.1f}", row_slots) : "-");
    }
    return text + fmt::format(
                      "\n{}, fan-in 785, every neuron updating, one thread: {:.4f} ns per weight,\n"
                      "  {:.1f} FMA slots per 16 weights, {:.1f} times the double core\n"
                      "sure weights: {:.4f} ns per weight, {:.1f} FMA slots per 16 weights\n"
                      "BackProp: {:.4f} ns per weight, {:.2f} of the time of MFB-BackProp\n"
                      "two threads: {} times one (ten trees), {} times (one tree)\n",
                      level, ns, bench.fma_slots(level, ns), bench.headline("core") / ns,
                      bench.sure(level), bench.fma_slots(level, bench.sure(level)),
                      bench.backprop(level), bench.backprop(level) / ns,
                      scaling_text(bench.thread_scaling(10, 2)),
                      scaling_text(bench.thread_scaling(1, 2)));
}

Json to_json(const InferBench& bench) {
    const double torch = bench.speed("torch");
    Json rows = Json::array();
    for (const InferRow& row : bench.rows) {
        rows.push_back({{"name", row.name},
                        {"batch", row.batch},
                        {"images_per_second", row.images_per_second}});
    }
    const auto text = [](const std::string& words) { return words.empty() ? Json() : Json(words); };
    return {{"packed_vs_torch", number(bench.packed_speed() / torch)},
            {"packed_bit_vs_torch", number(bench.speed("packed bit") / torch)},
            {"packed_vs_mean", bench.packed_speed() / bench.speed("mean")},
            {"weight_bytes", {{"float32", bench.float_bytes()}, {"packed", bench.packed_bytes()}}},
            {"weight_bytes_ratio", bench.bytes_ratio()},
            {"network", bench.network},
            {"data", bench.data},
            {"torch_version", text(bench.torch.version)},
            {"torch_missing", text(bench.torch.missing)},
            {"simd_level", bench.level},
            {"cpu", cpu_name()},
            {"version", version()},
            {"compiler", __VERSION__},
            {"flags", BITBAYES_BUILD_FLAGS},
            {"rows", rows}};
}

std::string to_table(const InferBench& bench) {
    const double torch = bench.speed("torch");
    std::string text = fmt::format(
        "{}\nnetwork: {}, data: {}{}, level: {}, one thread\n\n", cpu_name(), bench.network,
        bench.data, bench.data == "synthetic" ? " (MNIST was not fetched)" : "", bench.level);
    text += fmt::format("{:<12} {:>6} {:>12} {:>12} {:>14}\n", "what", "batch", "images/s",
                        "us per image", "against torch");
    for (const InferRow& row : bench.rows) {
        const double ratio = row.images_per_second / torch;
        text += fmt::format("{:<12} {:>6} {:>12.0f} {:>12.2f} {:>14}\n", row.name, row.batch,
                            row.images_per_second, 1e6 / row.images_per_second,
                            std::isfinite(ratio) ? fmt::format("{:.1f}", ratio) : "-");
    }
    if (bench.torch.missing.empty()) {
        text += fmt::format("\ntorch: PyTorch {}, float32\n", bench.torch.version);
    } else {
        text += fmt::format("\nno PyTorch to compare with: {}\n", bench.torch.missing);
    }
    return text + fmt::format("weights: {} bytes as float32, {} packed: {:.1f} times fewer\n",
                              bench.float_bytes(), bench.packed_bytes(), bench.bytes_ratio());
}

void run(const Arguments& arguments) {
    const bool infer = arguments.what == "infer";
    if (!infer && !arguments.network.empty()) {
        throw Error(ErrorCode::kUsage, "bench train takes no NET", "bench infer NET DATA");
    }
    if (arguments.network.empty() != arguments.data.empty()) {
        throw Error(ErrorCode::kUsage, "NET without DATA", "bench infer NET DATA, or neither");
    }
    note(arguments.common, "measuring; other work on this machine makes the figures worse");
    const BenchOptions options{arguments.slices, static_cast<double>(arguments.slice_ms) / 1000};
    if (infer) {
        const InferBench bench = bench_infer(arguments.network, arguments.data, options);
        write_result(arguments.common, to_json(bench), to_table(bench));
    } else {
        const TrainBench bench = bench_train(options);
        write_result(arguments.common, to_json(bench), to_table(bench));
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
        "infer: one thread. Without NET: random weights in the paper's shape, on MNIST's test\n"
        "images, or on synthetic ones if MNIST was not fetched. PyTorch is Debian's\n"
        "python3-torch.");
    command->callback([arguments] { run(*arguments); });
}

}  // namespace bitbayes::cli

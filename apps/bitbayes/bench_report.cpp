#include "bench_report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <limits>
#include <optional>

#include "terminal/machine.hpp"

namespace bitbayes::cli {

namespace {

/// null on machines where there is nothing to measure.
Json number(double value) { return std::isfinite(value) ? Json(value) : Json(); }
Json number(const std::optional<double>& value) { return value ? Json(*value) : Json(); }
/// null if there is none.
Json text(const std::string& words) { return words.empty() ? Json() : Json(words); }

std::string scaling_text(double scaling) {
    return std::isfinite(scaling) ? fmt::format("{:.2f}", scaling) : "-";
}

std::string until_text(const UntilError& until) {
    if (!until.missing.empty()) {
        return fmt::format("no training until 3 % test error: {}\n", until.missing);
    }
    const auto seconds = [](const std::optional<double>& value) {
        return value ? fmt::format("{:.1f} s", *value) : "not reached";
    };
    return fmt::format("3 % test error on MNIST: clipped {}, mean {}, torch {}\n",
                       seconds(until.clipped), seconds(until.mean),
                       until.torch.missing.empty() ? seconds(until.torch.seconds) : "-");
}

}  // namespace

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
            {"rows", rows}};
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
            {"rows", rows}};
}

std::string to_table(const InferBench& bench) {
    const double torch = bench.speed("torch");
    std::string text = fmt::format(
        "{}\nnetwork: {}, data: {}{}, level: {}, one thread\n\n", cpu_name(), bench.network,
        bench.data, bench.data == "synthetic" ? " (MNIST was not fetched)" : "", bench.level);
    text += fmt::format("{:<12} {:>6} {:>12} {:>12} {:>14}\n", "what", "batch", "rows/s",
                        "us per row", "against torch");
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

Json to_json(const DenseBench& bench) {
    const DenseRow &one = bench.rows.front(), &all = bench.rows.back();
    Json rows = Json::array();
    for (const DenseRow& row : bench.rows) {
        rows.push_back({{"threads", row.threads},
                        {"ns_per_weight", row.ns_per_weight},
                        {"fma_per_ns", row.fma_per_ns},
                        {"fma_peak_share", bench.fma_peak_share(row)},
                        {"samples_per_second", bench.samples_per_second(row)},
                        {"epoch_seconds", bench.epoch_seconds(row)}});
    }
    const UntilError until = bench.until.value_or(UntilError{});
    return {{"ns_per_weight", one.ns_per_weight},
            {"ns_per_weight_all_threads", all.ns_per_weight},
            {"fma_peak_share", bench.fma_peak_share(one)},
            {"fma_peak_share_all_threads", bench.fma_peak_share(all)},
            {"samples_per_second", bench.samples_per_second(all)},
            {"epoch_seconds", bench.epoch_seconds(all)},
            {"torch_epoch_seconds", number(bench.torch.seconds)},
            {"speedup_vs_torch", number(bench.speedup_vs_torch())},
            {"torch_missing", text(bench.torch.missing)},
            {"torch_version", text(bench.torch.version)},
            {"seconds_to_3_percent", number(until.clipped)},
            {"seconds_to_3_percent_mean", number(until.mean)},
            {"torch_seconds_to_3_percent", number(until.torch.seconds)},
            {"seconds_missing", text(until.missing)},
            {"dense", bench.widths},
            {"batch", bench.batch},
            {"weights", bench.weights},
            {"fma_per_sample", bench.fma_per_sample},
            {"threads", all.threads},
            {"simd_level", bench.simd_level},
            {"rows", rows}};
}

std::string to_table(const DenseBench& bench) {
    std::string text = fmt::format("{}\n785-{}-10, batch {}, level: {}\n\n", cpu_name(),
                                   fmt::join(bench.widths, "-"), bench.batch, bench.simd_level);
    text += fmt::format("{:<8} {:>7} {:>9} {:>12} {:>10} {:>9}\n", "what", "threads", "ns/weight",
                        "of FMA peak", "samples/s", "s/epoch");
    for (const DenseRow& row : bench.rows) {
        text += fmt::format("{:<8} {:>7} {:>9.4f} {:>10.1f} % {:>10.0f} {:>9.2f}\n", "learn",
                            row.threads, row.ns_per_weight, 100 * bench.fma_peak_share(row),
                            bench.samples_per_second(row), bench.epoch_seconds(row));
    }
    if (bench.torch.seconds) {
        text += fmt::format("{:<8} {:>7} {:>9} {:>12} {:>10} {:>9.2f}\n", "torch",
                            bench.torch.threads, "-", "-", "-", *bench.torch.seconds);
        text += fmt::format("\n{:.1f} times as fast as a BinaryNet in PyTorch {}\n",
                            bench.speedup_vs_torch(), bench.torch.version);
    } else {
        text += fmt::format("\nno PyTorch to compare with: {}\n", bench.torch.missing);
    }
    return bench.until ? text + until_text(*bench.until) : text;
}

/// Of the time in which threads of a row wait for others; NaN where it was not measured.
double waiting_share(const CardRow& row) {
    return row.clocks ? row.clocks->waiting / row.clocks->all()
                      : std::numeric_limits<double>::quiet_NaN();
}

Json to_json(const std::optional<RowClocks>& clocks) {
    if (!clocks) return nullptr;
    Json parts = {{"all", clocks->all()}};
    for (std::size_t k = 0; k < kRowPartNames.size(); ++k)
        parts[kRowPartNames[k]] = clocks->part[k];
    return parts;
}

Json to_json(const CardBench& bench) {
    Json rows = Json::array();
    for (const CardRow& row : bench.rows) {
        rows.push_back({{"network", row.network},
                        {"weights", row.weights},
                        {"weights_updated", row.updated},
                        {"learners", row.learners},
                        {"where", row.where},
                        {"ns_per_weight", row.ns_per_weight},
                        {"epoch_seconds", row.epoch_seconds()},
                        {"weight_updates_per_second", row.updates_per_second()},
                        {"fp32_peak_share", bench.peak_share(row)},
                        {"waiting_share", number(waiting_share(row))},
                        {"clocks_per_row", to_json(row.clocks)},
                        {"cpu_epoch_seconds", number(row.cpu_epoch_seconds())}});
    }
    const CardRow& first = bench.rows.front();
    return {{"backend", "cuda"},
            {"card", bench.card},
            {"epoch_seconds", first.epoch_seconds()},
            {"weight_updates_per_second", first.updates_per_second()},
            {"fp32_peak_share", bench.peak_share(first)},
            {"waiting_share", number(waiting_share(first))},
            {"cpu_epoch_seconds", first.cpu_epoch_seconds()},
            {"speedup_vs_cpu", first.cpu_ns_per_weight / first.ns_per_weight},
            {"together_speedup", number(bench.together())},
            {"fma_per_ns", bench.fma_per_ns},
            {"threads", bench.threads},
            {"simd_level", bench.simd_level},
            {"rows", rows}};
}

std::string to_table(const CardBench& bench) {
    const auto cell = [](double value, const char* format) {
        return std::isfinite(value) ? fmt::format(fmt::runtime(format), value) : "-";
    };
    std::string text = fmt::format("{}, {:.0f} FMA per ns; CPU: {}, {}, {} threads\n\n", bench.card,
                                   bench.fma_per_ns, cpu_name(), bench.simd_level, bench.threads);
    text +=
        fmt::format("{:<20} {:>8} {:>9} {:>11} {:>9} {:>8} {:>11} {:>6}\n", "network", "learners",
                    "s/epoch", "G updates/s", "of peak", "waiting", "CPU s/epoch", "times");
    for (const CardRow& row : bench.rows) {
        text += fmt::format(
            "{:<20} {:>8} {:>9.3f} {:>11.1f} {:>9} {:>8} {:>11} {:>6}\n", row.network, row.learners,
            row.epoch_seconds(), row.updates_per_second() / 1e9,
            cell(100 * bench.peak_share(row), "{:.1f} %"),
            cell(100 * waiting_share(row), "{:.0f} %"), cell(row.cpu_epoch_seconds(), "{:.2f}"),
            cell(row.cpu_ns_per_weight / row.ns_per_weight, "{:.1f}"));
    }
    text += "\n";
    for (const CardRow& row : bench.rows)
        text += fmt::format("{} x {}: {}\n", row.learners, row.network, row.where);
    for (const CardRow& row : bench.rows) {
        if (!row.clocks) continue;
        text += fmt::format("{}, clocks of a row: {:.0f}", row.network, row.clocks->all());
        for (std::size_t k = 0; k < kRowPartNames.size(); ++k)
            text += fmt::format(", {} {:.0f}", kRowPartNames[k], row.clocks->part[k]);
        text += "\n";
    }
    return text;
}

}  // namespace bitbayes::cli

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "export.hpp"
#include "terminal/report.hpp"
#include "tools/synthesis.hpp"

namespace bitbayes::cli {
namespace {

constexpr std::array kSimulators{tools::Simulator::kVerilator, tools::Simulator::kIcarus};
constexpr double kVerilatorSeconds = 240, kIcarusSeconds = 60, kSynthesisSeconds = 60;

/// For the testbench: the first rows to be verified, else random rows.
emit::OwnedGoldenRows golden_rows(const ExportJob& job) {
    std::vector<std::int16_t> columns;
    if (job.verify) {
        const std::size_t rows = std::min(emit::kTestbenchRows, job.verify->rows());
        const auto first = std::span(job.verify->values).first(rows * job.verify->columns);
        columns.assign(first.begin(), first.end());
    }
    return emit::golden_rows(job.network, std::move(columns));
}

/// Rows that a simulator leaves out, unless it ran out of time, count as different.
Verification compare(const ExportJob& job, tools::Simulator simulator,
                     const tools::Simulation& simulation) {
    const auto answer_to = [&](std::size_t r) {
        const auto& row = simulation.rows[r];
        return ExportedAnswer{row.answer, row.known ? std::int64_t{row.answer.class_index} : -1,
                              row.scores};
    };
    Verification result =
        compare_rows(job, tools::name_of(simulator), simulation.rows.size(), answer_to);
    const bool cut_short = !simulation.out_of_time && result.rows < job.verify->rows();
    if (cut_short || (result.rows == 0 && job.verify->rows() > 0)) {
        if (result.differences == 0) {
            result.first = fmt::format("row {}: {}", result.rows,
                                       cut_short ? simulation.last_line : "no answer in time");
        }
        result.differences += job.verify->rows() - result.rows;
        result.rows = job.verify->rows();
    }
    return result;
}

/// Mean and maximum of the rows without pauses.
Json measured_clocks(const tools::Simulation& simulation) {
    std::size_t rows = 0, sum = 0, largest = 0;
    for (const auto& row : simulation.rows) {
        if (row.clocks == 0) continue;
        ++rows;
        sum += row.clocks;
        largest = std::max(largest, row.clocks);
    }
    if (rows == 0) return {};
    return {{"mean", static_cast<double>(sum) / static_cast<double>(rows)}, {"max", largest}};
}

Json yosys_json(const tools::Synthesis& synthesis) {
    if (!synthesis.problem.empty()) return {};
    return {{"version", synthesis.version},
            {"device", "ice40"},
            {"steps", "synth_ice40, block RAMs without their contents"},
            {"luts", synthesis.luts()},
            {"flip_flops", synthesis.flip_flops()},
            {"block_rams", synthesis.block_rams()},
            {"cells", synthesis.cells}};
}

Json nextpnr_json(const tools::Placement& placement) {
    const bool placed = placement.problem.empty();
    return {{"version", placement.version.empty() ? Json() : Json(placement.version)},
            {"device", tools::Placement::kDevice},
            {"fmax_mhz", placed ? Json(placement.fmax_mhz) : Json()},
            {"cells", placed ? Json(placement.cells) : Json()},
            {"problem", placed ? Json() : Json(placement.problem)}};
}

Json report_json(const ExportJob& job, const emit::VerilogFigures& figures,
                 const tools::Ice40& ice40) {
    Json report{{"form", figures.folded ? "folded" : "parallel"},
                {"parallel", figures.folded ? Json(figures.parallel) : Json()},
                {"weights", job.network.weights()},
                {"cycles_per_image", figures.cycles_per_image},
                {"cycles_per_image_measured", Json()},
                {"latency", figures.latency},
                {"rom_bits", figures.rom_bits},
                {"yosys", yosys_json(ice40.synthesis)},
                {"nextpnr", nextpnr_json(ice40.placement)}};
    if (!ice40.synthesis.problem.empty()) report["yosys_problem"] = ice40.synthesis.problem;
    return report;
}

std::string report_table(const emit::VerilogFigures& figures, const Json& measured,
                         const tools::Ice40& ice40) {
    const auto& [synthesis, placement] = ice40;
    std::string text = table_row(
        "form", figures.folded ? fmt::format("folded, {} neurons per clock", figures.parallel)
                               : "parallel");
    std::string cycles =
        figures.folded
            ? fmt::format("{} per row at most", figures.cycles_per_image)
            : fmt::format("{} per row, latency {}", figures.cycles_per_image, figures.latency);
    if (figures.folded && !measured.is_null()) {
        cycles += fmt::format("; verified rows {:.0f} on average, {} at most",
                              measured["mean"].get<double>(), measured["max"].get<std::size_t>());
    }
    text += table_row("cycles", cycles);
    text += table_row("ROM", fmt::format("{} bits", figures.rom_bits));
    return text +
           table_row("iCE40 (Yosys)",
                     synthesis.problem.empty()
                         ? fmt::format("{} LUTs, {} flip-flops, {} block RAMs", synthesis.luts(),
                                       synthesis.flip_flops(), synthesis.block_rams())
                         : "- (" + synthesis.problem + ")") +
           table_row(fmt::format("{} (nextpnr)", tools::Placement::kDevice),
                     placement.problem.empty() ? fmt::format("{:.0f} MHz", placement.fmax_mhz)
                                               : "- (" + placement.problem + ")");
}

}  // namespace

Exported export_verilog(const ExportJob& job) {
    for (const auto simulator : kSimulators) {
        if (job.verify) tools::require(simulator);
    }
    const emit::VerilogOptions options{job.name, job.parallel};
    const auto golden = golden_rows(job);
    auto files = emit::emit_verilog(job.network, options, {golden.columns, golden.scores});
    const StagedExport staged(job.folder, job.inputs, files);
    const auto written = tools::verilog_export(staged.path(), job.name, files);
    const auto figures = emit::verilog_figures(job.network, options);
    const auto ice40 = tools::synthesise(written, kSynthesisSeconds);
    Exported exported{report_json(job, figures, ice40), "", {}};
    Json& measured = exported.report["cycles_per_image_measured"];
    for (const auto simulator : kSimulators) {
        if (!job.verify) break;
        const bool icarus = simulator == tools::Simulator::kIcarus;
        const auto simulation = tools::simulate(simulator, written, job.network,
                                                {job.verify->values, job.verify->scores},
                                                icarus ? kIcarusSeconds : kVerilatorSeconds);
        if (figures.folded && !icarus) measured = measured_clocks(simulation);
        exported.verifications.push_back(compare(job, simulator, simulation));
    }
    exported.text = report_table(figures, measured, ice40);
    files["report.json"] = exported.report.dump(2) + "\n";
    staged.publish();
    return exported;
}

}  // namespace bitbayes::cli

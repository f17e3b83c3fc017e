#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <random>

#include "emit/verilog_tools.hpp"
#include "export.hpp"
#include "report.hpp"

namespace bitbayes::cli {
namespace {

constexpr std::size_t kGoldenRows = 16;
constexpr std::array kSimulators{emit::Simulator::kVerilator, emit::Simulator::kIcarus};
constexpr double kVerilatorSeconds = 240, kIcarusSeconds = 60, kYosysSeconds = 60;

/// For the testbench: the first rows to be verified, else rows of any columns.
VerifyRows golden_rows(const ExportJob& job) {
    VerifyRows golden;
    golden.columns = job.network.quantiser.columns();
    golden.outputs = job.network.outputs();
    if (job.verify) {
        const std::size_t rows = std::min(kGoldenRows, job.verify->rows());
        const auto values = std::span(job.verify->values).first(rows * golden.columns);
        golden.values.assign(values.begin(), values.end());
    } else {
        const auto [low, high] = packed::range_of(job.network.quantiser.type);
        const bool sign = job.network.quantiser.type == packed::ColumnType::kSign;
        std::minstd_rand random;
        for (std::size_t n = 0; n < kGoldenRows * golden.columns; ++n) {
            const int value = sign ? (random() % 2 != 0 ? 1 : -1)
                                   : low + static_cast<int>(random() % (high - low + 1u));
            golden.values.push_back(static_cast<std::int16_t>(value));
        }
    }
    for (std::size_t begin = 0; begin < golden.values.size(); begin += golden.columns) {
        const auto scores =
            job.network.scores(std::span(golden.values).subspan(begin, golden.columns));
        golden.scores.insert(golden.scores.end(), scores.begin(), scores.end());
    }
    return golden;
}

/// Rows that a simulator leaves out without being stopped differ.
Verification compare(const ExportJob& job, emit::Simulator simulator,
                     const emit::Simulation& simulation) {
    const auto answer_to = [&](std::size_t r) {
        const auto& row = simulation.rows[r];
        return ExportedAnswer{row.answer, row.known ? std::int64_t{row.answer.class_index} : -1,
                              row.scores};
    };
    Verification result =
        compare_rows(job, emit::name_of(simulator), simulation.rows.size(), answer_to);
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
Json measured_clocks(const emit::Simulation& simulation) {
    std::size_t rows = 0, sum = 0, most = 0;
    for (const auto& row : simulation.rows) {
        if (row.clocks == 0) continue;
        ++rows;
        sum += row.clocks;
        most = std::max(most, row.clocks);
    }
    if (rows == 0) return {};
    return {{"mean", static_cast<double>(sum) / static_cast<double>(rows)}, {"max", most}};
}

Json yosys_json(const emit::Synthesis& synthesis) {
    if (!synthesis.problem.empty()) return {};
    return {{"version", synthesis.version},
            {"device", "ice40"},
            {"steps", "synth_ice40, block RAMs without their contents"},
            {"luts", synthesis.luts()},
            {"flip_flops", synthesis.flip_flops()},
            {"block_rams", synthesis.block_rams()},
            {"cells", synthesis.cells}};
}

Json report_json(const ExportJob& job, const emit::VerilogFigures& figures,
                 const emit::Synthesis& synthesis) {
    Json report{{"form", figures.folded ? "folded" : "parallel"},
                {"parallel", figures.folded ? Json(figures.parallel) : Json()},
                {"weights", job.network.weights()},
                {"cycles_per_image", figures.cycles_per_image},
                {"cycles_per_image_measured", Json()},
                {"latency", figures.latency},
                {"rom_bits", figures.rom_bits},
                {"yosys", yosys_json(synthesis)}};
    if (!synthesis.problem.empty()) report["yosys_problem"] = synthesis.problem;
    return report;
}

std::string report_table(const emit::VerilogFigures& figures, const Json& measured,
                         const emit::Synthesis& synthesis) {
    std::string text = table_row(
        "form", figures.folded ? fmt::format("folded, {} neurons per clock", figures.parallel)
                               : "parallel");
    std::string cycles = figures.folded
                             ? fmt::format("{} per image at most", figures.cycles_per_image)
                             : fmt::format("1 per image, latency {}", figures.latency);
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
                         : "- (" + synthesis.problem + ")");
}

}  // namespace

Exported export_verilog(const ExportJob& job) {
    for (const auto simulator : kSimulators) {
        if (job.verify) emit::require(simulator);
    }
    const emit::VerilogOptions options{job.name, job.parallel};
    const VerifyRows golden = golden_rows(job);
    write_files(job.folder,
                emit::emit_verilog(job.network, options, {golden.values, golden.scores}));
    const auto figures = emit::verilog_figures(job.network, options);
    const auto synthesis = emit::synthesise(job.folder, job.name, kYosysSeconds);
    Exported exported{report_json(job, figures, synthesis), "", {}};
    Json& measured = exported.report["cycles_per_image_measured"];
    for (const auto simulator : kSimulators) {
        if (!job.verify) break;
        const bool icarus = simulator == emit::Simulator::kIcarus;
        const auto simulation = emit::simulate(simulator, job.folder, job.name, job.network,
                                               {job.verify->values, job.verify->scores},
                                               icarus ? kIcarusSeconds : kVerilatorSeconds);
        if (figures.folded && !icarus) measured = measured_clocks(simulation);
        exported.verifications.push_back(compare(job, simulator, simulation));
    }
    exported.text = report_table(figures, measured, synthesis);
    write_files(job.folder, {{"report.json", exported.report.dump(2) + "\n"}});
    return exported;
}

}  // namespace bitbayes::cli

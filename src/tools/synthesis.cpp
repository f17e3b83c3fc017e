#include "tools/synthesis.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "tools/temporary_folder.hpp"

namespace bitbayes::tools {
namespace {

using nlohmann::json;

json parsed(const std::string& text) {
    const auto begin = text.find('{');
    return json::parse(begin == std::string::npos ? "" : text.substr(begin), nullptr, false);
}

/// "NAME: 12" pairs of an object; `value` finds the number.
template <typename Value>
Cells cells_of(const json& report, const std::string& place, const Value& value) {
    Cells cells;
    const json::json_pointer counts(place);
    if (!report.is_object() || !report.contains(counts)) return cells;
    for (const auto& [kind, entry] : report[counts].items()) {
        const json number = value(entry);
        if (number.is_number_unsigned()) cells[kind] = number.get<std::size_t>();
    }
    return cells;
}

/// The steps of `synth_ice40`, but block RAMs without their contents, which do not affect any
/// count: filling them takes minutes for a ROM of megabits.
std::string synthesis_script(const VerilogExport& exported) {
    std::string script = "read_verilog";
    for (const auto& file : sources(exported, false)) script += " " + file;
    return script + fmt::format(
                        "; synth_ice40 -top {0} -run begin:map_ram"
                        "; memory_libmap -lib +/ice40/brams.txt"
                        "; setparam -unset INIT t:$__ICE40_RAM4K_"
                        "; techmap -map +/ice40/brams_map.v"
                        "; synth_ice40 -top {0} -run map_ffram: -json net.json"
                        "; tee -o stat stat -json",
                        exported.name);
}

Synthesis run_yosys(const VerilogExport& exported, const TemporaryFolder& work, double seconds) {
    Synthesis result;
    if (!work.run({"yosys", "-V"}, "version", seconds)) {
        result.problem = "yosys is not here (apt-get install yosys)";
        return result;
    }
    result.version = last_line(work.read("version"));
    work.copy(exported.folder, exported.files);
    const auto status = work.run({"yosys", "-q", "-p", synthesis_script(exported)}, "log", seconds);
    if (status == kKilled) {
        result.problem = fmt::format("synthesis takes more than {} s", seconds);
    } else if (status != 0) {
        work.check_room();
        result.problem = complaint(work.read("log"));
    } else {
        result.cells = cells_of(parsed(work.read("stat")), "/design/num_cells_by_type",
                                [](const json& entry) { return entry; });
    }
    return result;
}

/// "Info:  ICESTORM_LC:  9000/ 7680  117%" of nextpnr's log.
std::string too_many(const std::string& log) {
    std::istringstream in(log);
    for (std::string line; std::getline(in, line);) {
        std::string info, kind;
        std::size_t used = 0, there = 0;
        char slash = 0;
        std::istringstream words(line);
        if (words >> info >> kind >> used >> slash >> there && slash == '/' && used > there) {
            kind.pop_back();
            return fmt::format("does not fit {}: {} of {} {}", Placement::kDevice, used, there,
                               kind);
        }
    }
    return "";
}

double highest_frequency(const json& report) {
    double fmax = 0;
    if (!report.is_object() || !report.contains("fmax")) return fmax;
    for (const auto& [clock, entry] : report["fmax"].items()) {
        fmax = entry.value("achieved", 0.0);
    }
    return fmax;
}

/// The seed makes the figures the same every time. Ports may lie anywhere.
std::vector<std::string> nextpnr_words() {
    return {"nextpnr-ice40",
            "--hx8k",
            "--package",
            "ct256",
            "--json",
            "net.json",
            "--report",
            "placed",
            "--seed",
            "1",
            "--timing-allow-fail",
            "--pcf-allow-unconstrained"};
}

Placement run_nextpnr(const Synthesis& synthesis, const TemporaryFolder& work, double seconds) {
    Placement result;
    if (!work.run({"nextpnr-ice40", "--version"}, "version", seconds)) {
        result.problem = "nextpnr-ice40 is not here (apt-get install nextpnr-ice40)";
        return result;
    }
    result.version = last_line(work.read("version"));
    if (!synthesis.problem.empty()) {
        result.problem = "nothing to place: " + synthesis.problem;
        return result;
    }
    const auto status = work.run(nextpnr_words(), "log", seconds);
    const json report = parsed(work.read("placed"));
    if (status == kKilled) {
        result.problem = fmt::format("placing takes more than {} s", seconds);
    } else if (status != 0) {
        work.check_room();
        result.problem = too_many(work.read("log"));
        if (result.problem.empty()) result.problem = complaint(work.read("log"));
    } else {
        result.fmax_mhz = highest_frequency(report);
        result.cells = cells_of(report, "/utilization",
                                [](const json& entry) { return entry.value("used", json()); });
    }
    return result;
}

}  // namespace

std::size_t Synthesis::count(const std::string& kind) const {
    std::size_t sum = 0;
    for (const auto& [name, number] : cells) sum += name.starts_with(kind) ? number : 0;
    return sum;
}

Ice40 synthesise(const VerilogExport& exported, double seconds) {
    const TemporaryFolder work;
    Ice40 result;
    result.synthesis = run_yosys(exported, work, seconds);
    result.placement = run_nextpnr(result.synthesis, work, seconds);
    return result;
}

}  // namespace bitbayes::tools

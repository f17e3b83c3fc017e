#include "tools/verilog_tools.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "bitbayes/types/error.hpp"
#include "tools/process.hpp"
#include "tools/temporary_folder.hpp"

namespace bitbayes::tools {
namespace {

namespace fs = std::filesystem;

constexpr double kLongestBuild = 600;
constexpr int kKilled = 128 + 9;

std::string text_of(const fs::path& path) {
    std::stringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
}

std::string last_line(std::string text) {
    while (text.ends_with('\n')) text.pop_back();
    return text.substr(text.rfind('\n') + 1);
}

/// All blocks, including those for simulation if `with_test`.
std::vector<std::string> sources(const fs::path& folder, const std::string& name, bool with_test) {
    std::vector<std::string> found;
    for (const auto& entry : fs::directory_iterator(folder)) {
        const std::string file = entry.path().filename().string();
        const bool own = file == name + ".v" || file.starts_with(name + "_");
        if (file.ends_with(".v") && own) found.push_back(file);
    }
    std::sort(found.begin(), found.end());
    if (with_test) {
        for (const char* part : {"_tb.v", "_test.v"}) found.push_back("test/" + name + part);
    }
    return found;
}

/// Runs a tool that must succeed.
void build(std::vector<std::string> words, const fs::path& folder, const fs::path& log) {
    const auto status = run({words, folder, "/dev/null", log, kLongestBuild});
    if (status != 0) {
        throw Error(ErrorCode::kInternal,
                    fmt::format("{} refuses the Verilog: {}", words[0], last_line(text_of(log))));
    }
}

/// Builds the simulation; returns the program.
std::vector<std::string> simulation(Simulator simulator, const fs::path& folder,
                                    const std::string& name, const fs::path& work) {
    const std::string top = name + "_tb";
    const fs::path program = work / top;
    std::vector<std::string> words;
    if (simulator == Simulator::kIcarus) {
        words = {"iverilog", "-g2001", "-s", top, "-o", program};
    } else {
        words = {"verilator", "--binary", "--timing", "-O3",          "-CFLAGS", "-O1", "-j",
                 "2",         "--Mdir",   work,       "--top-module", top,       "-o",  top};
    }
    for (const auto& file : sources(folder, name, true)) words.push_back(file);
    build(words, folder, work / "build.log");
    if (simulator == Simulator::kIcarus) return {"vvp", "-n", program};
    return {program};
}

/// "row CLASS MARGIN LEGAL KNOWN CLOCKS SCORES... end"
bool parse(const std::string& line, std::size_t outputs, SimulatedRow& row) {
    std::istringstream in(line);
    std::string start, end;
    in >> start >> row.answer.class_index >> row.answer.margin >> row.answer.legal >> row.known >>
        row.clocks;
    row.scores.resize(outputs);
    for (auto& score : row.scores) in >> score;
    in >> end;
    return start == "row" && end == "end" && !in.fail();
}

std::map<std::string, std::size_t> cells_of(const std::string& statistics) {
    const auto begin = statistics.find('{');
    const auto json = nlohmann::json::parse(
        begin == std::string::npos ? "" : statistics.substr(begin), nullptr, false);
    std::map<std::string, std::size_t> cells;
    if (!json.is_object() || !json.contains("design")) return cells;
    for (const auto& [kind, count] : json["design"]["num_cells_by_type"].items()) {
        cells[kind] = count.get<std::size_t>();
    }
    return cells;
}

/// The steps of `synth_ice40`, but block RAMs without their contents, which do not affect any
/// count: filling them takes minutes for a ROM of megabits.
std::string synthesis_script(const fs::path& folder, const std::string& name,
                             const fs::path& statistics) {
    std::string script = "read_verilog";
    for (const auto& file : sources(folder, name, false)) script += " " + file;
    return script + fmt::format(
                        "; synth_ice40 -top {0} -run begin:map_ram"
                        "; memory_libmap -lib +/ice40/brams.txt"
                        "; setparam -unset INIT t:$__ICE40_RAM4K_"
                        "; techmap -map +/ice40/brams_map.v"
                        "; synth_ice40 -top {0} -run map_ffram:; tee -o {1} stat -json",
                        name, statistics.string());
}

}  // namespace

const char* name_of(Simulator simulator) {
    return simulator == Simulator::kVerilator ? "verilator" : "iverilog";
}

void require(Simulator simulator) {
    const std::string tool = name_of(simulator);
    if (run({{tool, "-V"}})) return;
    throw Error(ErrorCode::kUnavailable, fmt::format("{} is not here", tool),
                fmt::format("apt-get install {}", tool));
}

Simulation simulate(Simulator simulator, const fs::path& folder, const std::string& name,
                    const packed::Network& network, const emit::GoldenRows& rows, double seconds) {
    require(simulator);
    const TemporaryFolder work;
    auto words = simulation(simulator, folder, name, work.path());
    const fs::path columns = work.path() / "columns.txt", answers = work.path() / "answers.txt";
    const fs::path said = work.path() / "said.txt";
    std::ofstream(columns) << emit::testbench_columns(network, rows.columns);
    std::ofstream(answers) << emit::testbench_answers(network, rows.scores);
    words.insert(words.end(),
                 {"+columns=" + columns.string(), "+answers=" + answers.string(), "+print"});
    const auto status = run({words, folder, "/dev/null", said, seconds});
    Simulation result;
    result.out_of_time = status == kKilled;
    std::ifstream in(said);
    SimulatedRow row;
    for (std::string line; std::getline(in, line);) {
        if (parse(line, network.outputs(), row)) result.rows.push_back(row);
        if (line.starts_with("PASS") || line.starts_with("FAIL")) result.last_line = line;
    }
    return result;
}

std::size_t Synthesis::count(const std::string& kind) const {
    std::size_t sum = 0;
    for (const auto& [name, number] : cells) sum += name.starts_with(kind) ? number : 0;
    return sum;
}

Synthesis synthesise(const fs::path& folder, const std::string& name, double seconds) {
    const TemporaryFolder work;
    const fs::path version = work.path() / "version", statistics = work.path() / "stat";
    Synthesis result;
    if (!run({{"yosys", "-V"}, ".", "/dev/null", version, seconds})) {
        result.problem = "yosys is not here (apt-get install yosys)";
        return result;
    }
    result.version = last_line(text_of(version));
    const std::string script = synthesis_script(folder, name, statistics);
    const auto log = work.path() / "log";
    const auto status = run({{"yosys", "-q", "-p", script}, folder, "/dev/null", log, seconds});
    if (status == kKilled) {
        result.problem = fmt::format("synthesis takes more than {} s", seconds);
    } else if (status != 0) {
        result.problem = last_line(text_of(log));
    } else {
        result.cells = cells_of(text_of(statistics));
    }
    return result;
}

}  // namespace bitbayes::tools

#include "tools/verilog_tools.hpp"

#include <fmt/format.h>

#include <sstream>

#include "base/text.hpp"
#include "bitbayes/types/error.hpp"
#include "tools/process.hpp"
#include "tools/temporary_folder.hpp"

namespace bitbayes::tools {
namespace {

namespace fs = std::filesystem;

constexpr double kLongestBuild = 600;

/// Builds the simulation; returns the words that run it.
std::vector<std::string> simulation(Simulator simulator, const VerilogExport& exported,
                                    const TemporaryFolder& work) {
    const std::string top = exported.name + "_tb";
    std::vector<std::string> words;
    if (simulator == Simulator::kIcarus) {
        words = {"iverilog", "-g2001", "-s", top, "-o", "program"};
    } else {
        // Make refuses to build in folders with blanks in their path, but only looks at CURDIR.
        words = {"verilator",    "-MAKEFLAGS", "CURDIR=.", "--binary",  "--timing", "-O3",
                 "-CFLAGS",      "-O1",        "-j",       "2",         "--Mdir",   "build",
                 "--top-module", top,          "-o",       "../program"};
    }
    for (const auto& file : sources(exported, true)) words.push_back(file);
    if (work.run(words, "build.log", kLongestBuild) != 0) {
        work.check_room();
        throw Error(ErrorCode::kInternal, fmt::format("{} refuses the Verilog: {}", words[0],
                                                      complaint(work.read("build.log"))));
    }
    const std::string program = work.path() / "program";
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

}  // namespace

std::string last_line(std::string text) {
    while (text.ends_with('\n')) text.pop_back();
    return one_line(text.substr(text.rfind('\n') + 1));
}

std::string complaint(const std::string& text) {
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) {
        if (line.find("rror") != line.npos || line.find("ERROR") != line.npos) {
            return one_line(line);
        }
    }
    return last_line(text);
}

std::vector<std::string> sources(const VerilogExport& exported, bool with_test) {
    std::vector<std::string> found;
    for (const std::string& file : exported.files) {
        if (file.ends_with(".v") && (with_test || !file.starts_with("test/"))) {
            found.push_back(file);
        }
    }
    return found;
}

const char* name_of(Simulator simulator) {
    return simulator == Simulator::kVerilator ? "verilator" : "iverilog";
}

void require(Simulator simulator) {
    const std::string tool = name_of(simulator);
    if (run({{tool, "-V"}})) return;
    throw Error(ErrorCode::kUnavailable, fmt::format("{} is not here", tool),
                fmt::format("apt-get install {}", tool));
}

VerilogExport verilog_export(const fs::path& folder, const std::string& name,
                             const emit::Files& files) {
    VerilogExport exported{folder, name, {}};
    for (const auto& [file, text] : files) exported.files.push_back(file);
    return exported;
}

Simulation simulate(Simulator simulator, const VerilogExport& exported,
                    const packed::Network& network, const emit::GoldenRows& rows, double seconds) {
    require(simulator);
    const TemporaryFolder work;
    work.copy(exported.folder, exported.files);
    auto words = simulation(simulator, exported, work);
    work.write("columns.txt", emit::testbench_columns(network, rows.columns));
    work.write("answers.txt", emit::testbench_answers(network, rows.scores));
    words.insert(words.end(), {"+columns=columns.txt", "+answers=answers.txt", "+print"});
    const auto status = work.run(words, "said.txt", seconds);
    if (status != 0 && status != kKilled) work.check_room();
    Simulation result;
    result.out_of_time = status == kKilled;
    std::istringstream in(work.read("said.txt"));
    SimulatedRow row;
    for (std::string line; std::getline(in, line);) {
        if (parse(line, network.outputs(), row)) result.rows.push_back(row);
        if (line.starts_with("PASS") || line.starts_with("FAIL")) result.last_line = line;
    }
    return result;
}

}  // namespace bitbayes::tools

// Verilog in a folder of its own, and the tools that read it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "emit/verilog.hpp"
#include "tools/process.hpp"
#include "tools/temporary_folder.hpp"
#include "tools/verilog_tools.hpp"

namespace bitbayes::test {

inline std::vector<std::int64_t> all_scores(const packed::Network& network,
                                            const std::vector<std::int16_t>& columns) {
    std::vector<std::int64_t> scores;
    const std::size_t width = network.quantiser.columns();
    for (std::size_t begin = 0; begin < columns.size(); begin += width) {
        const auto row = network.scores(std::span(columns).subspan(begin, width));
        scores.insert(scores.end(), row.begin(), row.end());
    }
    return scores;
}

class VerilogFolder {
  public:
    const std::filesystem::path& path() const { return folder_.path(); }

    /// Adds an export whose testbench has these rows.
    void add(const packed::Network& network, const emit::VerilogOptions& options,
             const std::vector<std::int16_t>& columns) {
        const auto scores = all_scores(network, columns);
        for (const auto& [file, text] : emit::emit_verilog(network, options, {columns, scores})) {
            add_file(file, text);
        }
    }
    void add_file(const std::string& file, const std::string& text) {
        std::filesystem::create_directories((path() / file).parent_path());
        std::ofstream(path() / file) << text;
        if (std::find(files_.begin(), files_.end(), file) != files_.end()) return;
        files_.push_back(file);
        if (!file.ends_with(".v")) return;
        sources_ += " " + file;
        if (!file.starts_with("test/")) design_ += " " + file;
    }
    /// The export of this name, with all files that were added.
    tools::VerilogExport exported(const std::string& name = "net") const {
        return {path(), name, files_};
    }
    /// All Verilog files; only those that are not tests.
    const std::string& sources() const { return sources_; }
    const std::string& design() const { return design_; }

    /// The output of a shell command, preceded by its exit status unless that is 0.
    std::string say(const std::string& command) const {
        const auto output = path() / "output";
        const int status =
            tools::run({{"sh", "-c", command}, path(), "/dev/null", output, 200}).value_or(127);
        std::stringstream text;
        if (status != 0) text << "exit status " << status << "\n";
        if (std::ifstream file(output); file.peek() != EOF) text << file.rdbuf();
        return text.str();
    }

  private:
    tools::TemporaryFolder folder_;
    std::vector<std::string> files_;
    std::string sources_, design_;
};

inline bool has_tool(const std::string& name) { return tools::run({{name, "-V"}}).has_value(); }

}  // namespace bitbayes::test

#define BITBAYES_NEED_TOOL(name) \
    if (!test::has_tool(name)) GTEST_SKIP() << "skipped: no " name "; see apt-hardware.txt"

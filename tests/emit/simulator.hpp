// A Verilog export in a folder of its own, and the tools that check it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "base/process.hpp"
#include "base/temporary_folder.hpp"
#include "emit/verilog.hpp"

namespace bitbayes::test {

class VerilogFolder {
  public:
    /// Adds an export to the folder, with its own rows as golden ones.
    void add(const packed::Network& network, const emit::VerilogOptions& options,
             const std::vector<std::int16_t>& columns) {
        std::vector<std::int64_t> scores;
        const std::size_t width = network.quantiser.columns();
        for (std::size_t begin = 0; begin < columns.size(); begin += width) {
            const auto row = network.scores(std::span(columns).subspan(begin, width));
            scores.insert(scores.end(), row.begin(), row.end());
        }
        for (const auto& [path, text] : emit::emit_verilog(network, options, {columns, scores})) {
            write(path, text);
            if (path.ends_with(".v") && path != "README.md") sources_.push_back(path);
        }
    }

    void write(const std::string& path, const std::string& text) const {
        std::ofstream(folder_.path() / path) << text;
    }
    void add_source(const std::string& path, const std::string& text) {
        write(path, text);
        sources_.push_back(path);
    }
    const std::vector<std::string>& sources() const { return sources_; }

    /// Exit status 0, and nothing but it was said: what the tool said otherwise.
    std::string complaints(std::vector<std::string> words) const {
        const auto status = run_tool(words);
        return status == 0 && said().empty() ? ""
                                             : "status " + std::to_string(status) + "\n" + said();
    }
    /// 127 if there is no such program.
    int run_tool(const std::vector<std::string>& words) const {
        return bitbayes::run({words, folder_.path(), "/dev/null", output().string(), 200})
            .value_or(127);
    }
    std::string said() const {
        std::stringstream text;
        text << std::ifstream(output()).rdbuf();
        return text.str();
    }
    /// `words` and then all sources.
    std::vector<std::string> with_sources(std::vector<std::string> words) const {
        words.insert(words.end(), sources_.begin(), sources_.end());
        return words;
    }

  private:
    std::filesystem::path output() const { return folder_.path() / "output"; }

    TemporaryFolder folder_;
    std::vector<std::string> sources_;
};

inline bool has_tool(const std::string& name) { return bitbayes::run({{name, "-V"}}).has_value(); }

}  // namespace bitbayes::test

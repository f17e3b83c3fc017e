// What `export` passes to the writers of each language.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bitbayes/model.hpp"
#include "emit/files.hpp"
#include "packed/network.hpp"
#include "terminal/common.hpp"
#include "terminal/output.hpp"
#include "tools/temporary_folder.hpp"

namespace bitbayes::cli {

/// Rows to be verified, as a device receives them, and the library's answers.
struct VerifyRows {
    std::size_t columns = 0, outputs = 0;
    std::vector<std::int16_t> values;     // row by row, quantised
    std::vector<std::int32_t> raw;        // row by row; empty if the quantiser has no raw values
    std::vector<std::int64_t> scores;     // row by row, one per output
    std::vector<packed::Answer> answers;  // one per row

    std::size_t rows() const { return answers.size(); }
    std::span<const std::int16_t> row(std::size_t r) const {
        return std::span(values).subspan(r * columns, columns);
    }
};

struct ExportJob {
    const Common& common;
    const packed::Network& network;
    std::string folder, name;
    std::vector<std::string> inputs;              // files that must stay
    bool single_header = false, arduino = false;  // C
    std::optional<std::size_t> parallel;          // Verilog
    std::optional<VerifyRows> verify;
};

/// One program's answers compared with the library's: class, margin, legality and every score.
struct Verification {
    std::string tool;             // "cc", "verilator", "iverilog"
    std::size_t rows = 0;         // compared
    std::size_t differences = 0;  // rows that differ
    std::string first;            // the first difference, in words
};

/// The answer of an export to one row.
struct ExportedAnswer {
    packed::Answer answer;
    std::int64_t predicted = 0;  // its class, or -1 for "don't know"
    std::span<const std::int64_t> scores;
    std::optional<std::int64_t> raw_predicted = std::nullopt;  // the same from raw values
};

/// Compares the first `rows` rows of job.verify.
Verification compare_rows(const ExportJob& job, const std::string& tool, std::size_t rows,
                          const std::function<ExportedAnswer(std::size_t row)>& answer_to);

/// For README.md.
std::string result_text(const Verification& verification);

struct Exported {
    Json report;                              // figures of the language, for --json
    std::string text;                         // the same as table rows
    std::vector<Verification> verifications;  // empty without --verify
};

/// C that learns, from a model.
struct LearnJob {
    const Model& model;
    std::string path;  // of the model
    std::string folder, name;
    std::vector<std::string> inputs;  // files that must stay
    std::optional<Dataset> verify;
};

/// The files in a temporary folder, where they are verified. Error(kUsage) if the export would
/// replace one of `inputs`.
class StagedExport {
  public:
    StagedExport(const std::string& folder, const std::vector<std::string>& inputs,
                 emit::Files& files);

    const std::filesystem::path& path() const { return work_.path(); }
    /// Replaces the export in the folder by the files and report.json or a longer README.md.
    void publish() const;

  private:
    std::string folder_;
    emit::Files& files_;
    tools::TemporaryFolder work_;
};

/// Verify the files, then write them. Error(kUnavailable) if a tool that --verify needs is missing.
Exported export_c(const ExportJob& job);
Exported export_learn(const LearnJob& job);
Exported export_verilog(const ExportJob& job);

}  // namespace bitbayes::cli

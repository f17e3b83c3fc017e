#include <fmt/format.h>

#include <algorithm>

#include "emit/c.hpp"
#include "export.hpp"
#include "terminal/report.hpp"
#include "tools/c_program.hpp"

namespace bitbayes::cli {
namespace {

emit::COptions options_of(const ExportJob& job) {
    emit::COptions options{job.name, job.single_header, job.arduino, {}};
    if (job.verify) {
        const auto rows = std::min(emit::kExampleRows, job.verify->rows());
        const auto first = std::span(job.verify->values).first(rows * job.verify->columns);
        options.example_rows.assign(first.begin(), first.end());
    }
    return options;
}

Verification verify(const ExportJob& job, const emit::COptions& options) {
    const auto got = tools::run_c(job.folder, options, job.network, job.verify->values);
    const std::size_t outputs = job.verify->outputs;
    return compare_rows(job, tools::c_compiler(), got.answers.size(), [&](std::size_t r) {
        return ExportedAnswer{got.answers[r], got.predicted[r],
                              std::span(got.scores).subspan(r * outputs, outputs)};
    });
}

Json to_json(const emit::CFigures& figures) {
    return {{"flash_bytes", figures.flash_bytes},
            {"ram_bytes", figures.ram_bytes},
            {"row_bytes", figures.row_bytes},
            {"additions", figures.additions},
            {"word_steps", figures.word_steps},
            {"dense_words", figures.dense_words},
            {"votes", figures.votes}};
}

std::string to_table(const emit::CFigures& figures) {
    const std::size_t words = figures.word_steps + figures.dense_words;
    std::string operations;
    if (figures.additions > 0) operations = fmt::format("{} additions, ", figures.additions);
    if (words > 0) operations += fmt::format("{} words compared, ", words);
    if (figures.votes > 0) operations += fmt::format("{} bits compared, ", figures.votes);
    operations.resize(operations.size() - 2);
    return table_row("FLASH", fmt::format("{} bytes of tables", figures.flash_bytes)) +
           table_row("RAM", fmt::format("{} bytes on the stack, {} bytes a row", figures.ram_bytes,
                                        figures.row_bytes)) +
           table_row("operations", operations);
}

}  // namespace

Exported export_c(const ExportJob& job) {
    const emit::COptions options = options_of(job);
    if (job.verify) tools::check_c_compiler();
    auto files = emit::emit_c(job.network, options);
    write_files(job, files);
    const emit::CFigures figures = emit::c_figures(job.network);
    Exported exported{to_json(figures), to_table(figures), {}};
    if (!job.verify) return exported;
    const Verification verification = verify(job, options);
    exported.verifications.push_back(verification);
    std::string& readme = files.at("README.md");
    readme += fmt::format("\nIts result: {} rows, {} differences.\n", verification.rows,
                          verification.differences);
    write_files(job, {{"README.md", readme}});
    return exported;
}

}  // namespace bitbayes::cli

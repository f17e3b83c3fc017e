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

Verification verify(const ExportJob& job, const emit::COptions& options,
                    const StagedExport& staged) {
    const auto got =
        tools::run_c(staged.path(), options, job.network, {job.verify->values, job.verify->raw});
    const std::size_t outputs = job.verify->outputs;
    return compare_rows(job, tools::c_compiler(), got.answers.size(), [&](std::size_t r) {
        ExportedAnswer answer{got.answers[r], got.predicted[r],
                              std::span(got.scores).subspan(r * outputs, outputs)};
        if (!got.raw_predicted.empty()) answer.raw_predicted = got.raw_predicted[r];
        return answer;
    });
}

Json to_json(const emit::CFigures& figures) {
    return {{"flash_bytes", figures.flash_bytes}, {"raw_flash_bytes", figures.raw_flash_bytes},
            {"ram_bytes", figures.ram_bytes},     {"row_bytes", figures.row_bytes},
            {"additions", figures.additions},     {"words", figures.words}};
}

std::string to_table(const emit::CFigures& figures) {
    std::string operations = fmt::format("{} additions of words at most", figures.additions);
    if (figures.words > 0) operations += fmt::format(", {} words compared", figures.words);
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
    const StagedExport staged(job.folder, job.inputs, files);
    const emit::CFigures figures = emit::c_figures(job.network);
    Exported exported{to_json(figures), to_table(figures), {}};
    if (job.verify) {
        exported.verifications.push_back(verify(job, options, staged));
        files.at("README.md") += result_text(exported.verifications[0]);
    }
    staged.publish();
    return exported;
}

}  // namespace bitbayes::cli

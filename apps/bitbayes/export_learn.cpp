#include <fmt/format.h>

#include <algorithm>

#include "device/learner.hpp"
#include "emit/c_learn.hpp"
#include "export.hpp"
#include "terminal/report.hpp"
#include "tools/c_program.hpp"
#include "update_like_device.hpp"

namespace bitbayes::cli {
namespace {

/// Each row with its label in front.
std::vector<std::int16_t> labelled(const DeviceRows& rows) {
    std::vector<std::int16_t> result;
    for (std::size_t r = 0; r < rows.size(); ++r) {
        const auto row = rows.row(r);
        result.push_back(static_cast<std::int16_t>(rows.labels[r]));
        result.insert(result.end(), row.begin(), row.end());
    }
    return result;
}

/// The library's twin learns the same rows.
Verification verify(const LearnJob& job, const device::Network& network, const DeviceRows& rows,
                    const StagedExport& staged) {
    const auto got =
        tools::run_learning_c(staged.path(), job.name, network, labelled(rows), device::kSeed);
    Verification result{tools::c_compiler(), rows.size(), 0, ""};
    device::Learner learner(network);
    const std::size_t outputs = network.outputs();
    for (std::size_t r = 0; r < rows.size(); ++r) {
        const auto scores = learner.scores(rows.row(r));
        learner.learn(rows.row(r), rows.labels[r]);
        const bool same_scores =
            std::equal(scores.begin(), scores.end(), got.scores.begin() + r * outputs);
        const bool same_h = learner.fingerprint() == got.fingerprints[r];
        if (same_scores && same_h) continue;
        if (result.differences == 0) {
            result.first = fmt::format("row {}: {}", r, same_scores ? "h" : "scores");
        }
        ++result.differences;
    }
    return result;
}

Json to_json(const emit::LearnFigures& figures) {
    return {{"flash_bytes", figures.flash_bytes},
            {"state_bytes", figures.state_bytes},
            {"row_bytes", figures.row_bytes},
            {"weights", figures.weights}};
}

std::string to_table(const emit::LearnFigures& figures) {
    return table_row("FLASH", fmt::format("{} bytes of tables", figures.flash_bytes)) +
           table_row("RAM", fmt::format("{} bytes, {} bytes a row", figures.state_bytes,
                                        figures.row_bytes)) +
           table_row("weights", fmt::format("{}, one byte each", figures.weights));
}

}  // namespace

Exported export_learn(const LearnJob& job) {
    const device::Network network = device_network_of(job.model, job.path);
    DeviceRows rows;
    std::vector<std::int16_t> example;
    if (job.verify) {
        tools::check_c_compiler();
        rows = device_rows(job.model, network, *job.verify);
        if (rows.size() > 0) example.assign(rows.row(0).begin(), rows.row(0).end());
    }
    auto files = emit::emit_learning_c(network, job.name, example);
    const StagedExport staged(job.folder, job.inputs, files);
    const emit::LearnFigures figures = emit::learn_figures(network);
    Exported exported{to_json(figures), to_table(figures), {}};
    if (job.verify) {
        exported.verifications.push_back(verify(job, network, rows, staged));
        files.at("README.md") += result_text(exported.verifications[0]);
    }
    staged.publish();
    return exported;
}

}  // namespace bitbayes::cli

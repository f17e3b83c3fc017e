#include "sweep/finish.hpp"

#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>

#include "base/atomic_file.hpp"
#include "bitbayes/types/error.hpp"
#include "model/model_file.hpp"
#include "sweep/page.hpp"
#include "sweep/results.hpp"
#include "sweep/train_run.hpp"

namespace bitbayes::cli::sweep {

namespace {

namespace fs = std::filesystem;

Error interrupted() {
    return Error(ErrorCode::kInterrupted, "interrupted before the best model was there",
                 "all runs are kept; the same command goes on");
}

/// Of processes that share the folder one finishes at a time.
Claim turn(const Finish& what, const std::function<bool()>& go_on) {
    while (go_on()) {
        if (auto claim = what.folder.claim("finish")) return std::move(*claim);
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
    throw interrupted();
}

/// The run whose model best.bb is, as the results say.
std::string best_before(const std::string& path) {
    std::ifstream file(path);
    const Json before = Json::parse(file, nullptr, false);
    if (!before.is_object() || !before.contains("best") || !before["best"].is_object()) return "";
    return before["best"].value("name", "");
}

/// Trained again, which gives the same bytes: keeping the model of every run would cost more.
void keep_best(const Finish& what, const Results& results, const std::function<bool()>& go_on) {
    const std::string model = what.request.folder + "/best.bb";
    const std::string table = what.request.folder + "/results.json";
    const Run& run = *results.rows[*results.best].run;
    std::error_code none;
    if (fs::exists(model) && best_before(table) == run.name) return;
    fs::remove(table, none);  // before best.bb becomes another one
    note(what.request.common,
         fmt::format("the best, {}, is trained again for {}",
                     settings_text(results, results.rows[*results.best]), model));
    const auto trained = train_run(what.data, run, what.threads, go_on);
    if (!trained) throw interrupted();
    model::save_model(model, *trained);
}

}  // namespace

Outcome finish_sweep(const Finish& what, const std::function<bool()>& go_on) {
    const Claim mine = turn(what, go_on);
    const Results results = collect(what.config, what.runs, what.folder);
    const std::string& folder = what.request.folder;
    if (results.best) keep_best(what, results, go_on);
    Outcome outcome{to_json(what.config, what.data, results), to_table(results), results.failed,
                    results.rows.size()};
    write_atomically(folder + "/results.csv", to_csv(results));
    report::write_report(page_of(what.config, what.data, results), folder);
    write_atomically(folder + "/results.json", outcome.object.dump(1) + "\n");
    what.folder.sweep_locks();
    note(what.request.common, fmt::format("the report is {}/report.html", folder));
    return outcome;
}

}  // namespace bitbayes::cli::sweep

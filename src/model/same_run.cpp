#include <fmt/format.h>

#include "bitbayes/types/error.hpp"
#include "model/model_file.hpp"
#include "options/options.hpp"

namespace bitbayes::model {
namespace {

std::string shown(const std::string& text) { return text.empty() ? "none" : text; }

void same_data(const char* what, const std::string& saved, const std::string& now) {
    if (saved == now) return;
    throw Error(ErrorCode::kUsage, fmt::format("the {} is not that of the checkpoint", what),
                "resume with the same data, hold-out and `seed`");
}

}  // namespace

TrainOptions as_saved(TrainOptions asked, const TrainOptions& saved) {
    if (asked.tree.automatic && asked.dense.empty()) {
        asked.tree = saved.tree;
        asked.dense = saved.dense;
    }
    if (asked.evidence.automatic) asked.evidence = saved.evidence;
    if (!asked.epochs) asked.epochs = saved.epochs;
    return asked;
}

void check_same_run(const RunSettings& saved, const RunSettings& now) {
    for (const TrainOption& option : kTrainOptions) {
        const std::string before = options::text(saved.options, option);
        const std::string here = options::text(now.options, option);
        if (option.on_resume == OnResume::kIsFree || before == here) continue;
        const bool grows = option.on_resume == OnResume::kMayGrow;
        if (grows && std::stoull(here) > std::stoull(before)) continue;
        throw Error(ErrorCode::kUsage,
                    fmt::format("`{}` is {} here but {} in the checkpoint", option.name,
                                shown(here), shown(before)),
                    grows ? "a resumed run may only ask for more"
                          : "resume with the options of the first run");
    }
    const Evidence& evidence = now.options.evidence;
    if (evidence.first != evidence.last && saved.options.epochs != now.options.epochs) {
        throw Error(ErrorCode::kUsage,
                    fmt::format("`evidence` {} was spread over {} epochs: more would change those "
                                "already learned",
                                options::text(now.options, options::find("evidence")),
                                options::text(saved.options, options::find("epochs"))),
                    "resume with as many `epochs`, or go on with `bitbayes update`");
    }
    same_data("training data", saved.data_fingerprint, now.data_fingerprint);
    same_data("test data", saved.test_fingerprint, now.test_fingerprint);
}

}  // namespace bitbayes::model

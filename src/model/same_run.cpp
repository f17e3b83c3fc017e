#include <fmt/format.h>
#include <fmt/ranges.h>

#include "bitbayes/error.hpp"
#include "model/model_file.hpp"

namespace bitbayes::model {
namespace {

void same(const std::string& option, const std::string& saved, const std::string& now) {
    if (saved == now) return;
    throw Error(ErrorCode::kUsage,
                fmt::format("{} is {} here but {} in the checkpoint", option, now, saved),
                "resume with the options of the first run");
}

std::string tree(const TrainOptions& options) {
    return options.tree.empty() ? "a single layer"
                                : fmt::format("{}", fmt::join(options.tree, ","));
}

std::string learning_rate(const TrainOptions& options) {
    return options.learning_rate > 0 ? fmt::to_string(options.learning_rate) : "the paper's";
}

const char* given(bool value) { return value ? "given" : "not given"; }

void same_data(const char* what, const std::string& saved, const std::string& now) {
    if (saved == now) return;
    throw Error(ErrorCode::kUsage, fmt::format("the {} is not that of the checkpoint", what),
                "resume with the same data, --test, --hold-out and --seed");
}

}  // namespace

void check_same_run(const RunSettings& saved, const RunSettings& now) {
    const TrainOptions& a = saved.options;
    const TrainOptions& b = now.options;
    same("--algorithm", learn::algorithm_name(a.algorithm), learn::algorithm_name(b.algorithm));
    same("--learning-rate", learning_rate(a), learning_rate(b));
    same("--tree", tree(a), tree(b));
    same("--seed", fmt::to_string(a.seed), fmt::to_string(b.seed));
    same("--preprocess", a.preprocess, b.preprocess);
    same("--no-bias", given(!a.bias), given(!b.bias));
    same("--dense-ok", given(a.dense_ok), given(b.dense_ok));
    same("--prior-scale", fmt::to_string(a.prior_scale), fmt::to_string(b.prior_scale));
    same("--evidence", fmt::to_string(a.evidence), fmt::to_string(b.evidence));
    same("--no-shuffle", given(!a.shuffle), given(!b.shuffle));
    same_data("training data", saved.data_fingerprint, now.data_fingerprint);
    same_data("test data", saved.test_fingerprint, now.test_fingerprint);
    if (b.epochs < a.epochs) {
        throw Error(ErrorCode::kUsage,
                    fmt::format("--epochs is {} here but {} in the checkpoint", b.epochs, a.epochs),
                    "a resumed run may only ask for more");
    }
}

}  // namespace bitbayes::model

#include "model/checkpoint.hpp"

#include <fmt/format.h>

#include <cstring>
#include <limits>

#include "bitbayes/error.hpp"
#include "model/json_text.hpp"

namespace bitbayes::model {
namespace {

using nlohmann::json;

constexpr const char* kConfusion = "checkpoint.confusion";

json evaluation_json(const Evaluation& e) {
    return {{"rows", e.rows},        {"error_map", e.error_map}, {"error_mean", e.error_mean},
            {"nll", e.nll},          {"brier", e.brier},         {"ece", e.ece},
            {"validity", e.validity}};
}

json history_json(const std::vector<EpochReport>& history) {
    json list = json::array();
    for (const auto& report : history) {
        list.push_back({{"epoch", report.epoch},
                        {"samples_seen", report.samples_seen},
                        {"seconds", report.seconds},
                        {"error_progressive", report.error_progressive},
                        {"test", report.test ? evaluation_json(*report.test) : json()}});
    }
    return list;
}

/// Threads and backend are left out: they do not decide the bytes.
json settings_json(const RunSettings& settings) {
    const TrainOptions& o = settings.options;
    return {{"algorithm", learn::algorithm_name(o.algorithm)},
            {"learning_rate", o.learning_rate},
            {"tree", o.tree},
            {"epochs", o.epochs},
            {"seed", o.seed},
            {"preprocess", o.preprocess},
            {"bias", o.bias},
            {"dense_ok", o.dense_ok},
            {"prior_scale", o.prior_scale},
            {"evidence", o.evidence},
            {"shuffle", o.shuffle},
            {"data_fingerprint", settings.data_fingerprint},
            {"test_fingerprint", settings.test_fingerprint}};
}

/// JSON has no NaN; it is written as null.
double real(const json& value) {
    return value.is_null() ? std::numeric_limits<double>::quiet_NaN() : value.get<double>();
}

/// Throws for a negative or fractional number, where get<std::uint64_t>() would convert.
std::uint64_t count(const json& value) { return value.get_ref<const json::number_unsigned_t&>(); }

const json::array_t& list(const json& value) { return value.get_ref<const json::array_t&>(); }

Evaluation read_evaluation(const json& from) {
    Evaluation e;
    e.rows = count(from.at("rows"));
    e.error_map = real(from.at("error_map"));
    e.error_mean = real(from.at("error_mean"));
    e.nll = real(from.at("nll"));
    e.brier = real(from.at("brier"));
    e.ece = real(from.at("ece"));
    e.validity = real(from.at("validity"));
    return e;
}

learn::TrainPosition read_position(const json& from) {
    learn::TrainPosition position;
    position.epochs_done = count(from.at("epochs_done"));
    position.sample = count(from.at("sample"));
    position.epoch_errors = count(from.at("epoch_errors"));
    position.epoch_seconds = real(from.at("epoch_seconds"));
    for (const json& entry : list(from.at("history"))) {
        EpochReport report{count(entry.at("epoch")),
                           count(entry.at("samples_seen")),
                           real(entry.at("seconds")),
                           real(entry.at("error_progressive")),
                           {}};
        if (!entry.at("test").is_null()) report.test = read_evaluation(entry.at("test"));
        position.history.push_back(std::move(report));
    }
    return position;
}

/// Checkpoints of before BackProp do not name it.
std::string algorithm_of(const json& settings) { return settings.value("algorithm", "mfb"); }

RunSettings read_settings(const json& from) {
    RunSettings settings;
    TrainOptions& o = settings.options;
    if (algorithm_of(from) == "backprop") o.algorithm = Algorithm::kBackprop;
    o.learning_rate = from.value("learning_rate", 0.0);
    o.tree.clear();
    for (const json& fan_in : list(from.at("tree"))) o.tree.push_back(count(fan_in));
    o.epochs = count(from.at("epochs"));
    o.seed = count(from.at("seed"));
    o.preprocess = from.at("preprocess").get<std::string>();
    o.bias = from.at("bias").get<bool>();
    o.dense_ok = from.at("dense_ok").get<bool>();
    o.prior_scale = real(from.at("prior_scale"));
    o.evidence = real(from.at("evidence"));
    o.shuffle = from.at("shuffle").get<bool>();
    settings.data_fingerprint = from.at("data_fingerprint").get<std::string>();
    settings.test_fingerprint = from.at("test_fingerprint").get<std::string>();
    return settings;
}

[[noreturn]] void damaged(const std::string& name, const char* what) {
    throw Error(ErrorCode::kModel, fmt::format("{}: {}", name, what));
}

/// Deals the tensor out to the evaluations of the history.
void read_confusion(const Container& container, const std::string& name, Checkpoint& checkpoint) {
    const std::uint64_t classes = checkpoint.model.classes();
    std::uint64_t evaluations = 0;
    for (const auto& report : checkpoint.position.history) evaluations += report.test.has_value();
    if (evaluations == 0) return;
    const auto found = container.tensors.find(kConfusion);
    if (found == container.tensors.end() || found->second.type != ElementType::kI64 ||
        found->second.shape != std::vector<std::uint64_t>{evaluations, classes, classes}) {
        damaged(name, "the confusion matrices do not fit the history");
    }
    const char* source = found->second.bytes.data();
    for (auto& report : checkpoint.position.history) {
        if (!report.test) continue;
        report.test->confusion.assign(classes, std::vector<std::uint64_t>(classes));
        for (auto& row : report.test->confusion) {
            std::memcpy(row.data(), source, classes * sizeof(std::uint64_t));
            source += classes * sizeof(std::uint64_t);
        }
    }
}

}  // namespace

void encode_run(const learn::TrainPosition& position, const RunSettings& settings,
                std::size_t classes, EncodedModel& out, std::vector<std::uint64_t>& confusion) {
    const json run = {
        {"epochs_done", position.epochs_done},       {"sample", position.sample},
        {"epoch_errors", position.epoch_errors},     {"epoch_seconds", position.epoch_seconds},
        {"history", history_json(position.history)}, {"settings", settings_json(settings)}};
    out.metadata["checkpoint"] = run.dump();
    std::uint64_t evaluations = 0;
    for (const auto& report : position.history) {
        if (!report.test) continue;
        ++evaluations;
        for (const auto& row : report.test->confusion) {
            confusion.insert(confusion.end(), row.begin(), row.end());
        }
    }
    if (confusion.size() != evaluations * classes * classes) {
        throw Error(ErrorCode::kInternal, "a confusion matrix has not one row per class");
    }
    if (evaluations == 0) return;
    const std::size_t bytes = confusion.size() * sizeof(std::uint64_t);
    out.tensors.insert(out.tensors.begin(),  // before narrower types, so that all stay aligned
                       {kConfusion,
                        ElementType::kI64,
                        {evaluations, classes, classes},
                        reinterpret_cast<const std::byte*>(confusion.data()),
                        1,
                        bytes,
                        bytes});
}

void decode_run(const Container& container, const std::string& name, Checkpoint& checkpoint) {
    const auto found = container.metadata.find("checkpoint");
    if (found == container.metadata.end()) {
        throw Error(ErrorCode::kModel, name + ": a model, but not a checkpoint",
                    "`bitbayes update` goes on from a model");
    }
    constexpr int kDepth = 4;  // run, history, epoch, evaluation
    const json run = parse_json(found->second, kDepth, name, "checkpoint");
    try {
        checkpoint.position = read_position(run);
        checkpoint.settings = read_settings(run.at("settings"));
        if (algorithm_of(run.at("settings")) !=
            learn::algorithm_name(checkpoint.model.algorithm())) {
            damaged(name, "the settings of the checkpoint name another algorithm");
        }
    } catch (const json::exception&) {
        damaged(name, "checkpoint lacks a value, or has one of another kind");
    }
    if (checkpoint.position.history.size() != checkpoint.position.epochs_done) {
        damaged(name, "the history does not fit the number of epochs done");
    }
    read_confusion(container, name, checkpoint);
}

}  // namespace bitbayes::model

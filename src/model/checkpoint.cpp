#include "model/checkpoint.hpp"

#include <fmt/format.h>

#include <array>
#include <cstring>
#include <limits>

#include "bitbayes/types/error.hpp"
#include "container/json_text.hpp"
#include "options/options.hpp"

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

/// So that files of versions before an option was added can be read.
bool may_be_missing(const TrainOption& option) {
    return option.later || options::text(TrainOptions{}, option).empty();
}

/// Options that do not affect the bytes of the model are left out.
json settings_json(const RunSettings& settings) {
    json result{{"data_fingerprint", settings.data_fingerprint},
                {"test_fingerprint", settings.test_fingerprint}};
    for (const TrainOption& option : kTrainOptions) {
        if (option.on_resume == OnResume::kIsFree) continue;
        const std::string text = options::text(settings.options, option);
        if (!text.empty()) result[std::string(option.name)] = text;
    }
    return result;
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

training::TrainPosition read_position(const json& from) {
    training::TrainPosition position;
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

RunSettings read_settings(const json& from) {
    RunSettings settings;
    for (const TrainOption& option : kTrainOptions) {
        if (option.on_resume == OnResume::kIsFree) continue;
        const std::string name(option.name);
        if (may_be_missing(option) && !from.contains(name)) continue;
        options::set(settings.options, option, from.at(name).get<std::string>(), name);
    }
    settings.data_fingerprint = from.at("data_fingerprint").get<std::string>();
    settings.test_fingerprint = from.at("test_fingerprint").get<std::string>();
    return settings;
}

[[noreturn]] void damaged(const std::string& name, const char* what) {
    throw Error(ErrorCode::kModel, fmt::format("{}: {}", name, what));
}

using ConfusionEntry = std::array<std::uint64_t, 4>;  // evaluation, truth, answer, count

/// The entries of the tensor, whose shape is [entries, 4], or in older files [evaluations, classes,
/// classes]; empty if it has another.
std::vector<ConfusionEntry> confusion_entries(const container::TensorView& tensor,
                                              std::uint64_t evaluations, std::uint64_t classes) {
    std::vector<ConfusionEntry> entries;
    if (tensor.type != container::ElementType::kI64) return entries;
    if (tensor.shape.size() == 2 && tensor.shape[1] == std::tuple_size_v<ConfusionEntry>) {
        entries.resize(tensor.shape[0]);
        std::memcpy(entries.data(), tensor.bytes.data(), tensor.bytes.size());
    }
    if (tensor.shape == std::vector<std::uint64_t>{evaluations, classes, classes}) {
        for (std::uint64_t at = 0; at < evaluations * classes * classes; ++at) {
            std::uint64_t times = 0;
            std::memcpy(&times, tensor.bytes.data() + at * sizeof times, sizeof times);
            if (times == 0) continue;
            entries.push_back(
                {at / classes / classes, at / classes % classes, at % classes, times});
        }
    }
    return entries;
}

/// Distributes the entries of the tensor over the evaluations of the history.
void read_confusion(const container::Container& file, const std::string& name,
                    std::uint64_t classes, std::vector<EpochReport>& history) {
    std::vector<Evaluation*> evaluations;
    for (auto& report : history) {
        if (!report.test) continue;
        report.test->confusion = Confusion(classes);
        evaluations.push_back(&*report.test);
    }
    const auto found = file.tensors.find(kConfusion);
    bool fits = evaluations.empty() || found != file.tensors.end();
    std::vector<std::uint64_t> rows(evaluations.size());
    if (found != file.tensors.end()) {
        for (const auto& [evaluation, truth, answer, times] :
             confusion_entries(found->second, rows.size(), classes)) {
            fits = fits && evaluation < rows.size() && truth < classes && answer < classes;
            if (!fits) break;
            evaluations[evaluation]->confusion.add(static_cast<std::uint32_t>(truth),
                                                   static_cast<std::uint32_t>(answer), times);
            rows[evaluation] += times;
        }
    }
    for (std::size_t i = 0; i < rows.size(); ++i) fits = fits && rows[i] == evaluations[i]->rows;
    if (!fits) damaged(name, "the confusion matrices do not fit the history");
}

json run_of(const container::Container& file, const std::string& name) {
    const auto found = file.metadata.find("checkpoint");
    if (found == file.metadata.end()) {
        throw Error(ErrorCode::kModel, name + ": a model, but not a checkpoint",
                    "`bitbayes update` goes on from a model");
    }
    constexpr int kDepth = 4;  // run, history, epoch, evaluation
    return container::parse_json(found->second, kDepth, name, "checkpoint");
}

/// The result of `read`; JSON of another shape is reported as damage.
template <class Read>
auto read_run(const json& run, const std::string& name, const Read& read) {
    try {
        return read(run);
    } catch (const json::exception&) {
        damaged(name, "checkpoint lacks a value, or has one of another kind");
    }
}

}  // namespace

void encode_run(const training::TrainPosition& position, const RunSettings& settings,
                EncodedModel& out, std::vector<std::uint64_t>& confusion) {
    const json run = {
        {"epochs_done", position.epochs_done},       {"sample", position.sample},
        {"epoch_errors", position.epoch_errors},     {"epoch_seconds", position.epoch_seconds},
        {"history", history_json(position.history)}, {"settings", settings_json(settings)}};
    out.metadata["checkpoint"] = run.dump();
    std::uint64_t evaluations = 0;
    for (const auto& report : position.history) {
        if (!report.test) continue;
        for (const auto& [pair, times] : report.test->confusion.entries()) {
            confusion.insert(confusion.end(), {evaluations, pair.first, pair.second, times});
        }
        ++evaluations;
    }
    if (evaluations == 0) return;
    constexpr std::size_t width = std::tuple_size_v<ConfusionEntry>;
    const std::size_t bytes = confusion.size() * sizeof(std::uint64_t);
    out.tensors.insert(out.tensors.begin(),  // before narrower types, so that all stay aligned
                       {kConfusion,
                        container::ElementType::kI64,
                        {confusion.size() / width, width},
                        container::rows_in_memory(confusion.data(), 1, bytes, bytes)});
}

training::TrainPosition decode_position(const container::Container& file, const std::string& name,
                                        std::size_t classes) {
    auto position = read_run(run_of(file, name), name, read_position);
    if (position.history.size() != position.epochs_done) {
        damaged(name, "the history does not fit the number of epochs done");
    }
    read_confusion(file, name, classes, position.history);
    return position;
}

RunSettings decode_settings(const container::Container& file, const std::string& name) {
    if (const std::string& format = file.metadata.at("format_version");
        format == "1" || format == "2") {
        throw Error(
            ErrorCode::kUsage,
            fmt::format("{}: a checkpoint of format {}, whose steps an older version computed "
                        "in another way: this run cannot go on with the same bytes",
                        name, format),
            "it still loads as a model: go on with `bitbayes update`, or train anew");
    }
    try {
        return read_run(run_of(file, name), name,
                        [](const json& run) { return read_settings(run.at("settings")); });
    } catch (const Error& error) {
        if (error.code() == ErrorCode::kModel) throw;
        damaged(name, fmt::format("checkpoint: {}", error.what()).c_str());
    }
}

}  // namespace bitbayes::model

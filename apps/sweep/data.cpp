#include "sweep/data.hpp"

#include <fmt/format.h>

#include "bitbayes/read.hpp"
#include "bitbayes/types/error.hpp"
#include "data/split.hpp"
#include "options/options.hpp"
#include "rows/labels.hpp"

namespace bitbayes::cli::sweep {

namespace {

constexpr double kHoldOut = 0.2;  // where the file does not say how to test

void check_column(const Config& config, const char* key, const std::string& column, bool read) {
    if (column.empty() || read) return;
    throw Error(ErrorCode::kUsage,
                fmt::format("{}: {}: {} has no column '{}'", config.name, key, config.data, column),
                "only CSV files have such columns");
}

LoadedData load(const Config& config, const Common& common) {
    TrainOptions options;
    for (const auto& [option, value] : config.options) {
        options::set(options, *option, value, std::string(option->name));
    }
    ReadOptions reading = config.reading;
    reading.max_memory = options.max_memory;
    LoadedData data = load_data(config.data, reading);
    note_data(common, data.train);
    check_column(config, "group", reading.group, !data.train.groups.empty());
    check_column(config, "row_weight", reading.row_weight, !data.train.weights.empty());
    if (data.has_test() && (config.hold_out || config.folds > 0)) {
        throw Error(ErrorCode::kUsage,
                    fmt::format("{}: {} has a test split: {} has nothing to do", config.name,
                                config.data, config.hold_out ? "hold_out" : "folds"),
                    "leave it out, or choose the rows with :train");
    }
    if (!config.test.empty()) {
        reading.known = Rows(data.train).columns();
        data.test = load_dataset(config.test, reading);
    }
    if (data.has_test()) {
        note_data(common, data.test);
        labels_among(data.test, data.train.class_names);  // before any run finds an unknown class
    }
    return data;
}

}  // namespace

Data::Data(const Config& config, const Common& common)
    : shared_(std::make_shared<LoadedData>(load(config, common))),
      all_(*shared_),
      hold_out_(config.hold_out),
      folds_(config.folds) {
    if (!all_.has_test() && folds_ == 0 && !hold_out_) hold_out_ = kHoldOut;
    if (hold_out_) split(TrainOptions{}.seed);  // fails here, not in every run, if it is no row
    identity_["data"] = data::fingerprint(all_.train);
    if (all_.has_test()) identity_["test"] = data::fingerprint(all_.test);
    if (hold_out_) identity_["hold_out"] = *hold_out_;
    if (folds_ > 0) identity_["folds"] = folds_;
    if (!all_.train.groups.empty()) identity_["group"] = config.reading.group;
}

std::shared_ptr<const LoadedData> Data::split(std::uint64_t seed) const {
    if (!hold_out_) return shared_;
    const std::lock_guard lock(mutex_);
    auto found = splits_[seed].lock();
    if (!found) {
        found = std::make_shared<LoadedData>(data::hold_out(all_.train, *hold_out_, seed));
        splits_[seed] = found;
    }
    return found;
}

}  // namespace bitbayes::cli::sweep

#include "sweep/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <span>

#include "base/sha256.hpp"
#include "base/text.hpp"
#include "bitbayes/train.hpp"
#include "bitbayes/types/error.hpp"
#include "learn/architecture.hpp"
#include "options/options.hpp"
#include "sweep/expand.hpp"
#include "terminal/flags.hpp"
#include "training/memory.hpp"
#include "training/trainer.hpp"

namespace bitbayes::cli::sweep {

namespace {

Json settings_of(const Data& data, const TrainOptions& options) {
    Json settings = data.identity();
    for (const TrainOption& option : kTrainOptions) {
        if (option.on_resume == OnResume::kIsFree) continue;
        settings[std::string(option.name)] = options::text(options, option);
    }
    return settings;
}

std::string name_of(const Json& settings) {
    constexpr std::size_t kDigits = 16;
    Sha256 hash;
    hash.add(std::as_bytes(std::span<const char>(settings.dump())));
    return hash.hex().substr(0, kDigits);
}

/// On raw columns: preprocessing may make more inputs of them, in all runs alike.
void estimate(const Data& data, Run& run) {
    const Rows rows(data.rows());
    const TrainOptions options = training::decided(run.options, rows);
    const std::size_t classes = data.rows().class_names.size();
    const std::size_t inputs = rows.features() + (options.bias ? 1 : 0);
    const std::size_t outputs = classes == 2 ? 1 : std::max<std::size_t>(1, classes);
    const auto& fan_ins = options.tree.fan_ins;
    const auto architecture =
        options.dense.empty() ? learn::Architecture::tree(inputs, fan_ins, outputs)
                              : learn::Architecture::dense(inputs, options.dense, fan_ins, outputs);
    const auto times = static_cast<double>(std::max<std::uint64_t>(1, data.folds()));
    run.cost = static_cast<double>(architecture.weights()) * static_cast<double>(rows.size()) *
               static_cast<double>(*options.epochs) * times;
    run.memory = training::memory_of_run(rows, architecture, options);
    run.card_memory = training::card_memory_of_run(rows, architecture, options);
}

Run plan_run(const Data& data, const TrainOptions& options) {
    const Json settings = settings_of(data, options);
    Run run{name_of(settings), settings, options, {}};
    try {
        estimate(data, run);
    } catch (const Error& error) {
        run.problem = plain(error.what());
    }
    return run;
}

std::string quoted(const std::string& word) {
    constexpr const char* kPlain =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:,#@%+=";
    if (!word.empty() && word.find_first_not_of(kPlain) == word.npos) return word;
    std::string text = "'";
    for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return text + "'";
}

std::string reading_flags(const ReadOptions& reading) {
    std::string text;
    const auto add = [&](const char* flag, const std::string& value) {
        if (!value.empty()) text += fmt::format(" {} {}", flag, quoted(value));
    };
    add("--format", reading.format);
    add("--header", reading.header);
    add("--label", reading.label);
    add("--id", reading.id);
    add("--group", reading.group);
    add("--row-weight", reading.row_weight);
    add("--ignore", fmt::format("{}", fmt::join(reading.ignore, ",")));
    add("--categorical", fmt::format("{}", fmt::join(reading.categorical, ",")));
    return text;
}

}  // namespace

std::string plain(const std::string& message) {
    std::string text = message;
    std::erase(text, '`');
    return one_line(text);
}

std::vector<Run> plan_runs(const Config& config, const Data& data) {
    std::vector<Run> runs;
    std::set<std::string> names;
    for (const Settings& settings : expand(config)) {
        TrainOptions options = default_options(data.rows());
        for (const auto& [option, value] : settings) {
            options::set(options, *option, value, std::string(option->name));
        }
        Run run = plan_run(data, options);
        if (names.insert(run.name).second) runs.push_back(std::move(run));
    }
    const auto good = [](const Run& run) { return run.problem.empty(); };
    if (std::none_of(runs.begin(), runs.end(), good)) {
        throw Error(ErrorCode::kUsage,
                    fmt::format("{}: no run can be done: {}", config.name, runs.front().problem));
    }
    return runs;
}

std::string flags_of(const Run& run) {
    const TrainOptions defaults;
    std::string text;
    for (const TrainOption& option : kTrainOptions) {
        const std::string value = options::text(run.options, option);
        if (value == options::text(defaults, option)) continue;
        if (!text.empty()) text += ' ';
        if (option.name == "tree" && value == "single") {
            text += "--single";
        } else if (default_of_flag(option, defaults) != nullptr) {
            text += flag_of(option);
        } else {
            text += fmt::format("{} {}", flag_of(option), quoted(value));
        }
    }
    return text;
}

std::string command_of(const Config& config, const Data& data, const Run& run) {
    std::string text = "bitbayes train " + quoted(config.data);
    if (!config.test.empty()) text += " --test " + quoted(config.test);
    if (data.hold_out() > 0) text += fmt::format(" --hold-out {}", data.hold_out());
    if (data.folds() > 0) text += fmt::format(" --cv {}", data.folds());
    const std::string flags = flags_of(run);
    return text + reading_flags(config.reading) + (flags.empty() ? "" : " ") + flags;
}

}  // namespace bitbayes::cli::sweep

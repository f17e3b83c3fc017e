#include "sweep/config.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>

#include "base/text.hpp"
#include "bitbayes/types/error.hpp"
#include "options/options.hpp"
#include "sweep/toml_reader.hpp"

namespace bitbayes::cli::sweep {

namespace {

/// A value that has passed the checks of the option.
std::string checked(const Reader& reader, const TrainOption& option, const toml::node& node) {
    TrainOptions scratch;
    const std::string text = reader.value(option.name, node);
    if (option.name == "class_weight" && !text.empty() && text != "balanced") {
        reader.refuse(node, "class_weight is \"balanced\" in a sweep",
                      "`train` takes a file of weights");
    }
    options::set(scratch, option, text,
                 fmt::format("{}: {}", reader.where(node.source()), option.name));
    return text;
}

using Field = std::function<void(const std::string& key, const toml::node&)>;
using Fields = std::map<std::string, Field>;

void read_fields(const Reader& reader, const toml::table& table, const Fields& fields) {
    std::vector<std::string> known;
    for (const auto& [key, field] : fields) known.push_back(key);
    for (const auto& [key, node] : entries(table)) {
        const auto field = fields.find(key);
        if (field == fields.end()) reader.refuse_key(*node, key, known);
        field->second(key, *node);
    }
}

Field into(const Reader& reader, std::string& target) {
    return
        [&](const std::string& key, const toml::node& node) { target = reader.string(key, node); };
}

/// An option by its name, with '-' or '_'.
const TrainOption& option_of(const Reader& reader, const std::string& key, const toml::node& node) {
    std::string name = key;
    std::replace(name.begin(), name.end(), '-', '_');
    std::vector<std::string> known;
    for (const TrainOption& option : kTrainOptions) {
        if (name == "threads") break;
        if (option.name == name) return option;
        known.emplace_back(option.name);
    }
    if (name == "threads") reader.refuse(node, "threads is an option of `bitbayes sweep`");
    if (name.starts_with("no_")) {
        reader.refuse(node, fmt::format("{} is not known here", in_quotes(key)),
                      fmt::format("{} = false", name.substr(3)));
    }
    reader.refuse_key(node, key, known);
}

/// The same, if results depend on it.
const TrainOption& varied_option(const Reader& reader, const std::string& key,
                                 const toml::node& node) {
    const TrainOption& option = option_of(reader, key, node);
    if (option.on_resume == OnResume::kIsFree) {
        reader.refuse(node, fmt::format("{} does not change results", key), "move it to [options]");
    }
    return option;
}

Settings read_settings(const Reader& reader, const toml::table& table) {
    Settings settings;
    for (const auto& [key, node] : entries(table)) {
        const TrainOption& option = option_of(reader, key, *node);
        settings.emplace_back(&option, checked(reader, option, *node));
    }
    return settings;
}

std::vector<std::string> read_values(const Reader& reader, const TrainOption& option,
                                     const toml::node& node) {
    const auto* list = node.as_array();
    if (list == nullptr) reader.refuse(node, fmt::format("{} is a list of values", option.name));
    if (list->empty()) reader.refuse(node, fmt::format("{} needs at least one value", option.name));
    std::vector<std::string> values;
    for (const toml::node& each : *list) values.push_back(checked(reader, option, each));
    return values;
}

std::vector<GridAxis> read_grid(const Reader& reader, const toml::table& table) {
    std::vector<GridAxis> grid;
    for (const auto& [key, node] : entries(table)) {
        const TrainOption& option = varied_option(reader, key, *node);
        grid.push_back({&option, read_values(reader, option, *node)});
    }
    return grid;
}

DrawRange read_range(const Reader& reader, const TrainOption& option, const toml::table& table) {
    if (std::holds_alternative<std::string TrainOptions::*>(option.member)) {
        reader.refuse(table, fmt::format("{} is a text: it is drawn from a list", option.name));
    }
    DrawRange range{&option, {}};
    bool low = false, high = false;
    const auto end = [&](double& target, bool& given) -> Field {
        return [&](const std::string& key, const toml::node& node) {
            checked(reader, option, node);
            target = reader.number(key, node);
            given = true;
        };
    };
    read_fields(reader, table,
                {{"low", end(range.low, low)},
                 {"high", end(range.high, high)},
                 {"log", [&](const std::string& key, const toml::node& node) {
                      if (!node.is_boolean()) {
                          reader.refuse(node, fmt::format("{} is true or false", key));
                      }
                      range.log = node.as_boolean()->get();
                  }}});
    if (!low || !high || !(range.low < range.high)) {
        reader.refuse(table, fmt::format("{} is drawn from low to a higher high", option.name));
    }
    if (range.log && range.low <= 0) reader.refuse(table, "log = true needs low above 0");
    return range;
}

std::vector<DrawRange> read_draw(const Reader& reader, const toml::table& table) {
    std::vector<DrawRange> draw;
    for (const auto& [key, node] : entries(table)) {
        const TrainOption& option = varied_option(reader, key, *node);
        const auto* range = node->as_table();
        draw.push_back(range != nullptr ? read_range(reader, option, *range)
                                        : DrawRange{&option, read_values(reader, option, *node)});
    }
    return draw;
}

std::vector<Settings> read_runs(const Reader& reader, const toml::node& node) {
    const auto* list = node.as_array();
    if (list == nullptr || !list->is_array_of_tables()) {
        reader.refuse(node, "runs is a list of tables, each begun by [[runs]]");
    }
    std::vector<Settings> runs;
    for (const toml::node& each : *list) {
        for (const auto& [key, value] : entries(*each.as_table())) {
            varied_option(reader, key, *value);
        }
        runs.push_back(read_settings(reader, *each.as_table()));
    }
    return runs;
}

void read_reading(const Reader& reader, const toml::table& table, ReadOptions& reading) {
    const auto one = [&](std::string& target) -> Field {
        return [&](const std::string& key, const toml::node& node) {
            target = reader.scalar(key, node);
        };
    };
    const auto list = [&](std::vector<std::string>& target) -> Field {
        return [&](const std::string& key, const toml::node& node) {
            target = reader.scalars(key, node);
        };
    };
    const auto choice = [&](std::string& target, std::vector<std::string> words) -> Field {
        return [&reader, &target, words](const std::string& key, const toml::node& node) {
            target = reader.string(key, node);
            if (std::find(words.begin(), words.end(), target) != words.end()) return;
            reader.refuse(node, fmt::format("{}: {} is not one of {}", key, in_quotes(target),
                                            fmt::join(words, ", ")));
        };
    };
    read_fields(reader, table,
                {{"format", choice(reading.format, {"csv", "libsvm", "idx", "npz"})},
                 {"header", choice(reading.header, {"yes", "no"})},
                 {"label", one(reading.label)},
                 {"id", one(reading.id)},
                 {"group", one(reading.group)},
                 {"row_weight", one(reading.row_weight)},
                 {"ignore", list(reading.ignore)},
                 {"categorical", list(reading.categorical)}});
}

/// What the keys at the top of the file, and its tables, do.
Fields top_fields(const Reader& reader, Config& config) {
    using Key = const std::string&;
    using Node = const toml::node&;
    return {
        {"data", into(reader, config.data)},
        {"test", into(reader, config.test)},
        {"hold_out",
         [&](Key key, Node node) {
             config.hold_out = reader.number(key, node);
             if (*config.hold_out > 0 && *config.hold_out < 1) return;
             reader.refuse(node, "hold_out is a number between 0 and 1");
         }},
        {"folds", [&](Key key, Node node) { config.folds = reader.whole(key, node, 2); }},
        {"draws", [&](Key key, Node node) { config.draws = reader.whole(key, node, 1); }},
        {"draw_seed", [&](Key key, Node node) { config.draw_seed = reader.whole(key, node, 0); }},
        {"best",
         [&](Key key, Node node) {
             config.best = reader.string(key, node);
             const std::vector<std::string> known(std::begin(kFigures), std::end(kFigures));
             if (std::find(known.begin(), known.end(), config.best) != known.end()) return;
             reader.refuse_key(node, config.best, known);
         }},
        {"reading",
         [&](Key key, Node node) {
             read_reading(reader, reader.table(key, node), config.reading);
         }},
        {"options",
         [&](Key key, Node node) {
             config.options = read_settings(reader, reader.table(key, node));
         }},
        {"grid",
         [&](Key key, Node node) { config.grid = read_grid(reader, reader.table(key, node)); }},
        {"draw",
         [&](Key key, Node node) { config.draw = read_draw(reader, reader.table(key, node)); }},
        {"runs", [&](Key, Node node) { config.runs = read_runs(reader, node); }},
    };
}

/// What no single line is wrong about.
void check_whole(const Config& config) {
    const auto refuse = [&](const char* what, const char* hint) {
        throw Error(ErrorCode::kUsage, fmt::format("{}: {}", config.name, what), hint);
    };
    if (config.data.empty()) refuse("data is missing", "data = \"FILE.csv\"");
    if (!config.test.empty() + config.hold_out.has_value() + (config.folds > 0) > 1) {
        refuse("test, hold_out and folds exclude each other", "keep one");
    }
    if (config.draws > 0 && config.draw.empty()) {
        refuse("draws is given, but not what to draw", "a table [draw]");
    }
    if (config.draws == 0 && !config.draw.empty()) {
        refuse("[draw] needs the number of draws", "draws = 20, at the top");
    }
    for (const GridAxis& axis : config.grid) {
        for (const DrawRange& range : config.draw) {
            if (axis.option != range.option) continue;
            throw Error(ErrorCode::kUsage, fmt::format("{}: {} stands in [grid] and in [draw]",
                                                       config.name, axis.option->name));
        }
    }
}

}  // namespace

Config parse_config(std::string_view text, const std::string& name) {
    const auto parsed = toml::parse(text, std::string_view(name));
    Config config;
    config.name = name;
    const Reader reader(name);
    if (!parsed) {
        throw Error(ErrorCode::kUsage,
                    fmt::format("{}: {}", reader.where(parsed.error().source()),
                                printable(parsed.error().description())),
                    "is it TOML? texts stand in quotes");
    }
    read_fields(reader, parsed.table(), top_fields(reader, config));
    check_whole(config);
    return config;
}

Config read_config(const std::string& path) {
    constexpr std::size_t kMaxBytes = 1 << 20;
    std::ifstream file(path, std::ios::binary);
    std::string text(kMaxBytes + 1, '\0');
    if (file) file.read(text.data(), static_cast<std::streamsize>(text.size()));
    if (file.bad() || (file.gcount() == 0 && !file.eof())) {
        throw Error(ErrorCode::kIo, path + ": cannot be read");
    }
    text.resize(static_cast<std::size_t>(file.gcount()));
    if (text.size() > kMaxBytes) {
        throw Error(ErrorCode::kUsage, path + ": more than 1 MB is not a sweep's file");
    }
    return parse_config(text, path);
}

std::vector<const TrainOption*> Config::varied() const {
    std::vector<const TrainOption*> list;
    for (const TrainOption& option : kTrainOptions) {
        const auto is = [&](const auto& each) { return each.option == &option; };
        const auto sets = [&](const Settings& run) {
            return std::any_of(run.begin(), run.end(),
                               [&](const Setting& each) { return each.first == &option; });
        };
        if (std::any_of(grid.begin(), grid.end(), is) ||
            std::any_of(draw.begin(), draw.end(), is) ||
            std::any_of(runs.begin(), runs.end(), sets)) {
            list.push_back(&option);
        }
    }
    return list;
}

}  // namespace bitbayes::cli::sweep

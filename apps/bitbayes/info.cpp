#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bitbayes/model.hpp"
#include "bitbayes/types/error.hpp"
#include "commands.hpp"
#include "container/container.hpp"
#include "learn/importance.hpp"
#include "model/members_file.hpp"
#include "model/model_file.hpp"
#include "options.hpp"
#include "options/options.hpp"
#include "packed/packed_file.hpp"
#include "packed_report.hpp"
#include "terminal/report.hpp"

namespace bitbayes::cli {

namespace {

constexpr std::size_t kPosteriorBits = 32;  // h is a float
constexpr float kSure = 3;  // |h| above it: the sign is wrong with probability below 0.25 %

struct Arguments {
    Common common;
    std::string model;
    bool columns = false;
};

struct LayerFigures {
    double certainty = 0;   // mean |tanh h|
    double share_sure = 0;  // share of weights with |h| > kSure
};

/// Of a layer in all members. NaN for the real weights of BackProp.
LayerFigures figures_of(const std::vector<learn::ModelState>& members, std::size_t l) {
    if (!members.front().rule().has_posterior) return {std::nan(""), std::nan("")};
    LayerFigures sum;
    double weights = 0;
    for (const auto& model : members) {
        const learn::LayerPosterior& layer = model.posterior.layers[l];
        for (std::size_t neuron = 0; neuron < layer.shape.neurons; ++neuron) {
            for (const float h : layer.row(neuron)) {
                sum.certainty += std::abs(std::tanh(static_cast<double>(h)));
                sum.share_sure += std::abs(h) > kSure ? 1 : 0;
            }
        }
        weights += static_cast<double>(layer.shape.weights());
    }
    return {sum.certainty / weights, sum.share_sure / weights};
}

/// What the metadata of a file says.
struct Loaded {
    std::vector<learn::ModelState> members;
    std::string format_version, library_version;      // of the program that wrote it
    std::optional<training::TrainPosition> position;  // of a checkpoint

    const learn::ModelState& first() const { return members.front(); }
    std::size_t weights() const { return members.size() * first().architecture.weights(); }
};

Loaded load(const std::string& bytes, const std::string& path) {
    const auto metadata = container::parse_container(bytes, path).metadata;
    Loaded loaded{model::parse_members(bytes, path), metadata.at("format_version"),
                  metadata.at("library_version"), std::nullopt};
    if (metadata.contains("checkpoint")) {
        loaded.position = model::parse_position(bytes, path);
    }
    return loaded;
}

Json label_noise_json(const learn::LabelNoise& noise) {
    if (noise.eps.empty()) return {};
    return {{"automatic", noise.automatic}, {"eps", noise.eps}};
}

/// "auto, 0.013", or with several outputs "auto, 0.002 to 0.013".
std::string label_noise_text(const learn::LabelNoise& noise) {
    if (noise.eps.empty()) return "0";
    const auto [least, most] = std::minmax_element(noise.eps.begin(), noise.eps.end());
    std::string text = noise.automatic ? "auto, " : "";
    text += fmt::format("{:.3g}", *least);
    if (*least != *most) text += fmt::format(" to {:.3g}", *most);
    return text;
}

Json to_json(const Loaded& loaded) {
    const auto& [members, format_version, library_version, position] = loaded;
    const learn::ModelState& model = loaded.first();
    const std::size_t weights = loaded.weights();
    Json object{{"architecture", architecture_text(model.architecture)},
                {"features", model.preprocessing.features()},
                {"inputs", model.architecture.inputs},
                {"classes", model.classes()},
                {"class_names", model.class_names},
                {"preprocess",
                 {{"name", model.preprocessing.name()}, {"reason", model.preprocessing.reason}}},
                {"bias", model.preprocessing.bias},
                {"members", members.size()},
                {"weights", weights},
                {"bits", {{"posterior", kPosteriorBits * weights}, {"clipped", weights}}},
                {"samples_seen", model.samples_seen},
                {"seed", model.seed},
                {"algorithm", options::name_of(model.algorithm())},
                {"evidence", model.algorithm() == Algorithm::kMfb ? Json(model.evidence) : Json()},
                {"learning_rate", learning_rate_json(model)},
                {"memory", model.memory ? Json(*model.memory) : Json()},
                {"label_noise", label_noise_json(model.label_noise)},
                {"format_version", format_version},
                {"library_version", library_version}};
    object["checkpoint"] =
        position ? Json{{"epochs_done", position->epochs_done}, {"sample", position->sample}}
                 : Json();
    object["layers"] = Json::array();
    for (std::size_t l = 0; l < model.posterior.layers.size(); ++l) {
        const auto& layer = model.posterior.layers[l];
        const auto figures = figures_of(members, l);
        const bool dense = layer.shape.connectivity == learn::Connectivity::kDense;
        object["layers"].push_back({{"neurons", layer.shape.neurons},
                                    {"fan_in", layer.shape.fan_in},
                                    {"connectivity", dense ? "dense" : "tree"},
                                    {"weights", layer.shape.weights()},
                                    {"bits", layer.shape.weights()},
                                    {"certainty", figures.certainty},
                                    {"share_sure", figures.share_sure}});
    }
    return object;
}

std::string to_table(const Loaded& loaded) {
    const auto& [members, format_version, library_version, position] = loaded;
    const learn::ModelState& model = loaded.first();
    const std::size_t weights = loaded.weights();
    const auto& preprocessing = model.preprocessing;
    std::string table = table_row("network", architecture_text(model.architecture));
    if (members.size() > 1) {
        table +=
            table_row("members", fmt::format("{}; the clipped ones add scores", members.size()));
    }
    table += table_row("features", std::to_string(preprocessing.features()));
    table += table_row("inputs", fmt::format("{}{}", model.architecture.inputs,
                                             preprocessing.bias ? ", the last one constant" : ""));
    table +=
        table_row("preprocess", fmt::format("{} ({})", preprocessing.name(), preprocessing.reason));
    table +=
        table_row("classes", fmt::format("{}: {}", model.classes(), names_text(model.class_names)));
    table += table_row("bits",
                       fmt::format("{} clipped, {} posterior", weights, kPosteriorBits * weights));
    table += table_row("samples seen", std::to_string(model.samples_seen));
    table += table_row("seed", std::to_string(model.seed));
    table += table_row("algorithm", algorithm_text(model));
    if (model.algorithm() == Algorithm::kMfb) {
        table += table_row("evidence", fmt::format("{}", model.evidence));
        table += table_row("memory", model.memory ? counted(*model.memory, "row") : "inf");
        table += table_row("label noise", label_noise_text(model.label_noise));
    }
    table += table_row("written by",
                       fmt::format("bitbayes {}, format {}", library_version, format_version));
    if (position) {
        table += table_row("checkpoint", fmt::format("{} epochs done, {} samples of the next",
                                                     position->epochs_done, position->sample));
    }
    constexpr const char* kRow = "{:<7}{:>10}{:>10}{:>12}{:>12}{:>11}{:>11}\n";
    table += "\n" + fmt::format(kRow, "layer", "neurons", "fan-in", "weights", "bits", "certainty",
                                "|h| > 3");
    for (std::size_t l = 0; l < model.posterior.layers.size(); ++l) {
        const auto& layer = model.posterior.layers[l];
        const auto figures = figures_of(members, l);
        table += fmt::format(kRow, l + 1, layer.shape.neurons, layer.shape.fan_in,
                             layer.shape.weights(), layer.shape.weights(),
                             percent(figures.certainty), percent(figures.share_sure));
    }
    return table;
}

struct ColumnFigures {
    std::string name;  // empty: the column has none
    std::size_t index = 0;
    const char* kind = "";
    std::size_t inputs = 0;
    double importance = 0;
};

const char* kind_of(const learn::ModelState& model, std::size_t column) {
    if (model.columns.features > column && model.columns.categorical(column)) return "words";
    if (model.preprocessing.columns.constant(column)) return "constant";
    return model.preprocessing.columns.integer[column] ? "whole numbers" : "numbers";
}

/// The most important column first.
std::vector<ColumnFigures> columns_of(const Loaded& loaded) {
    const learn::ModelState& model = loaded.first();
    const auto importance = Model(loaded.members).column_importance();
    const auto& names = model.columns.names;
    std::vector<ColumnFigures> columns;
    const auto& kept = model.preprocessing.kept;
    for (std::size_t j = 0; j < importance.size(); ++j) {
        const std::size_t index = kept ? kept->column[j] : j;
        columns.push_back({index < names.size() ? names[index] : "", index, kind_of(model, j),
                           learn::inputs_of_column(model.preprocessing, j).count, importance[j]});
    }
    std::stable_sort(columns.begin(), columns.end(),
                     [](const auto& a, const auto& b) { return a.importance > b.importance; });
    return columns;
}

Json columns_json(const std::vector<ColumnFigures>& columns) {
    Json list = Json::array();
    for (const ColumnFigures& column : columns) {
        list.push_back({{"name", column.name.empty() ? Json() : Json(column.name)},
                        {"index", column.index},
                        {"kind", column.kind},
                        {"inputs", column.inputs},
                        {"importance", column.importance}});
    }
    return list;
}

/// Feature `index` as a column of the training file, from 0: the label and others stand between.
std::size_t file_column(const TableColumns& table, std::size_t index) {
    std::size_t features = 0;
    for (std::size_t at = 0; at < table.roles.size(); ++at) {
        if (table.roles[at] == 'f' && features++ == index) return at;
    }
    return index;
}

/// What the numbers of columns without names are.
const char* column_heading(const learn::ModelState& model) {
    if (!model.columns.names.empty()) return "column";
    return model.preprocessing.sparse ? "column (from 0; LIBSVM counts from 1)" : "column (from 0)";
}

std::string columns_table(const std::vector<ColumnFigures>& columns,
                          const learn::ModelState& model) {
    constexpr const char* kRow = "{:>11}  {:<14}{:>7}  {}\n";
    std::string table =
        "\n" + fmt::format(kRow, "importance", "kind", "inputs", column_heading(model));
    for (const ColumnFigures& column : columns) {
        const auto name = column.name.empty()
                              ? fmt::format("{}", file_column(model.columns, column.index))
                              : names_text({column.name});
        table += fmt::format(kRow, percent(column.importance), column.kind, column.inputs, name);
    }
    return table;
}

void run_packed(const Arguments& arguments, const std::string& bytes) {
    const auto network = packed::parse_packed(bytes, arguments.model);
    const auto metadata = container::parse_container(bytes, arguments.model).metadata;
    const std::string& format = metadata.at("format_version");
    const std::string& library = metadata.at("library_version");
    Json object = packed_json(network);
    object["format_version"] = format;
    object["library_version"] = library;
    const auto written = fmt::format("bitbayes {}, packed format {}", library, format);
    std::string table = packed_table(network) + table_row("written by", written);
    if (!network.quantiser.step.empty()) {
        table += table_row("rounding", network.quantiser.binary
                                           ? "to whole steps, halves up"
                                           : "to whole steps, halves away from zero");
    }
    table += table_row("validity", network.outputs() == 1
                                       ? "always 1: two classes have one score"
                                       : "1 if exactly one score is 0 or more, else 0");
    write_result(arguments.common, object, table);
}

void run(const Arguments& arguments) {
    const std::string bytes = container::read_container_file(arguments.model);
    if (packed::is_packed(bytes, arguments.model)) {
        if (arguments.columns) {
            throw Error(ErrorCode::kUsage,
                        arguments.model + ": --columns is for models, this is a packed network",
                        "ask the model that it was packed from");
        }
        return run_packed(arguments, bytes);
    }
    const Loaded loaded = load(bytes, arguments.model);
    Json object = to_json(loaded);
    std::string table = to_table(loaded);
    if (arguments.columns) {
        const auto columns = columns_of(loaded);
        object["columns"] = columns_json(columns);
        table += columns_table(columns, loaded.first());
    }
    write_result(arguments.common, object, table);
}

}  // namespace

void add_info(CLI::App& app) {
    auto arguments = std::make_shared<Arguments>();
    auto* command =
        app.add_subcommand("info", "Architecture, sizes, samples seen, certainty per layer");
    command->add_option("MODEL", arguments->model, "A model, checkpoint or packed network")
        ->required()
        ->type_name("");
    command->add_flag("--columns", arguments->columns,
                      "Also how much the answers depend on each column of the data");
    add_common(*command, arguments->common);
    command->footer("Example:\n  bitbayes info data.bb --columns     # which columns matter most");
    command->callback([arguments] { run(*arguments); });
}

}  // namespace bitbayes::cli

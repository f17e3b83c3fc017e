// A stream whose labels swap halfway, learned by `update` with memories of different length: the
// figures and the picture of docs/drift.md.
//   drift FOLDER OUT    FOLDER holds spambase.csv.gz, optdigits.csv (both parts), a9a.libsvm.gz
//                       and letter.csv.gz;
// writes OUT/results.json and OUT/drift.svg.
#include <fmt/format.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <numeric>
#include <utility>

#include "base/philox.hpp"
#include "bitbayes/bitbayes.hpp"
#include "report/figure.hpp"

namespace {

using namespace bitbayes;
using Json = nlohmann::ordered_json;

constexpr std::size_t kWindow = 200;
struct Memory {
    std::optional<std::uint64_t> rows;
    bool drawn = false;
};
constexpr Memory kMemories[] = {{std::nullopt, true}, {30000}, {10000, true}, {3000},
                                {1000, true},         {300}};

struct Table {
    std::string name, file;
    std::size_t training, half;  // rows; a half of the stream may repeat rows of the other
    bool small = true;           // learned with every evidence
};
const Table kTables[] = {{"spambase", "spambase.csv.gz", 2300, 2200},
                         {"optdigits", "optdigits.csv", 2800, 2800},
                         {"a9a", "a9a.libsvm.gz", 10000, 4000},
                         {"letter", "letter.csv.gz", 10000, 5000, false}};

Dataset part(const Dataset& data, std::size_t first, std::size_t count) {
    std::vector<std::size_t> rows(count);
    std::iota(rows.begin(), rows.end(), first);
    for (std::size_t& row : rows) row %= data.rows;
    return data.select(rows);
}

/// Training rows, the stream's first half, and its second with labels 0 and 1 swapped.
struct Parts {
    Dataset training, before, after;

    Parts(const Table& table, const std::string& folder) {
        const Dataset file = load_dataset(folder + "/" + table.file);
        const auto order = Philox(1, Purpose::kShuffle).permutation(file.rows);
        const Dataset all = file.select(std::vector<std::size_t>(order.begin(), order.end()));
        training = part(all, 0, table.training);
        const Dataset rest = part(all, table.training, all.rows - table.training);
        before = part(rest, 0, table.half);
        after = part(rest, table.half, table.half);
        for (auto& label : after.labels) label = label < 2 ? 1 - label : label;
    }
};

/// The error in each window of rows, every row answered before it is learned.
std::vector<double> stream(Model& model, const Dataset& rows) {
    std::vector<double> errors;
    for (std::size_t first = 0; first + kWindow <= rows.rows; first += kWindow) {
        errors.push_back(model.update(part(rows, first, kWindow), 1).error_progressive);
    }
    return errors;
}

double mean(std::span<const double> values) {
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

/// Rows until a window has less than twice the former error.
Json rows_to_recover(const std::vector<double>& after, double former) {
    for (std::size_t k = 0; k < after.size(); ++k) {
        if (after[k] < 2 * former) return (k + 1) * kWindow;
    }
    return nullptr;
}

std::string name_of(std::optional<std::uint64_t> memory) {
    return memory ? fmt::format("{}", *memory) : "inf";
}

report::Panel panel_of(const std::string& name) {
    report::Panel panel;
    panel.title = name;
    panel.x.label = "rows of the stream";
    panel.y.label = "error";
    panel.y.low = 0;
    panel.y.percent = true;
    return panel;
}

report::Series series_of(std::optional<std::uint64_t> memory, std::size_t colour,
                         const std::vector<double>& errors) {
    report::Series series;
    series.name = "memory " + name_of(memory);
    series.colour = colour;
    for (std::size_t k = 0; k < errors.size(); ++k) {
        series.points.push_back({static_cast<double>((k + 1) * kWindow), errors[k], {}, {}});
    }
    return series;
}

void write(const std::string& path, const std::string& text) {
    std::ofstream file(path);
    file << text;
    if (!file.flush()) throw std::runtime_error(path + " cannot be written");
}

/// Adds a line to `results` for each memory, and to the panel if it is drawn.
void measure(const Table& table, const Parts& parts, std::uint64_t epochs, double evidence,
             Json& results, report::Panel* panel) {
    TrainOptions options;
    options.tree = {101};
    options.epochs = epochs;
    options.evidence = evidence;
    options.polish = 0;
    options.threads = 1;
    const Model trained = train(parts.training, options).model;
    for (const Memory& memory : kMemories) {
        Model model = trained.clone();
        model.set_memory(memory.rows);
        auto errors = stream(model, parts.before);
        const double former = mean(errors);
        const auto after = stream(model, parts.after);
        results.push_back({{"table", table.name},
                           {"epochs", epochs},
                           {"evidence", evidence},
                           {"memory", name_of(memory.rows)},
                           {"error_before", former},
                           {"rows_to_recover", rows_to_recover(after, former)},
                           {"error_rows_1600_to_2000", mean(std::span(after).subspan(8, 2))}});
        fmt::print("{}\n", results.back().dump());
        errors.insert(errors.end(), after.begin(), after.end());
        if (panel != nullptr && memory.drawn) {
            panel->series.push_back(series_of(memory.rows, panel->series.size(), errors));
        }
    }
}

void run(const std::string& folder, const std::string& out) {
    Json results = Json::array();
    report::Figure figure{"drift", "Labels that swap halfway", "", {}, 2};
    for (const Table& table : kTables) {
        const Parts parts(table, folder);
        report::Panel& panel = figure.panels.emplace_back(panel_of(table.name));
        for (const std::uint64_t epochs : {1, 10}) {
            for (const double evidence : {0.01, 0.1, 1.0, 10.0}) {
                const bool drawn = epochs == 10 && evidence == 1;
                if (!table.small && !drawn) continue;
                measure(table, parts, epochs, evidence, results, drawn ? &panel : nullptr);
            }
        }
    }
    write(out + "/drift.svg", report::to_svg(figure));
    std::string lines;
    for (const Json& line : results) lines += (lines.empty() ? "[" : ",\n ") + line.dump();
    write(out + "/results.json", lines + "]\n");
}

}  // namespace

int main(int count, char** arguments) try {
    if (count != 3) throw std::runtime_error("usage: drift FOLDER OUT");
    run(arguments[1], arguments[2]);
} catch (const std::exception& error) {
    fmt::print(stderr, "drift: {}\n", error.what());
    return 1;
}

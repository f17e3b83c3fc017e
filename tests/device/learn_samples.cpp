// Writes networks that learn, as C, with rows and what the library's twin knows after each update,
// for the tests on other processors: FOLDER/SAMPLE/ holds net.h, net.c and rows.h. Prints for each
// its name, bytes of tables and of state. Usage: learn_samples FOLDER DATA; the network of real data
// is left out if DATA does not exist.
#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <iostream>

#include "device/learner.hpp"
#include "device/sample_models.hpp"
#include "emit/c_learn.hpp"
#include "emit/c_text.hpp"

namespace {

using namespace bitbayes;
using Numbers = std::vector<std::int64_t>;

constexpr std::size_t kUpdates = 1000;

std::string table(const char* type, const char* name, const Numbers& values) {
    return fmt::format("static const {} {}[] DEVICE_FLASH = {{\n{}\n}};\n", type, name,
                       emit::number_lines(values));
}

/// Rows, learned in turn; scores before the first update, and what is known after each.
std::string rows_header(const device::Network& network, const Dataset& data) {
    const auto values = test::device_values(network, data);
    const std::size_t columns = network.clipped.quantiser.columns();
    device::Learner learner(network);
    Numbers scores, fingerprints;
    for (std::size_t n = 0; n < kUpdates; ++n) {
        const std::size_t r = n % data.rows;
        const auto row = std::span(values).subspan(r * columns, columns);
        if (n < data.rows) {
            const auto before = learner.scores(row);
            scores.insert(scores.end(), before.begin(), before.end());
        }
        learner.learn(row, data.labels[r]);
        fingerprints.push_back(learner.fingerprint());
    }
    return fmt::format("#define ROWS {}\n#define UPDATES {}\n", data.rows, kUpdates) +
           fmt::format("#define HAS_H2 {}\n", network.hidden > 0 ? 1 : 0) +
           table("int16_t", "rows", Numbers(values.begin(), values.end())) +
           table("uint8_t", "labels", Numbers(data.labels.begin(), data.labels.end())) +
           table("int16_t", "scores_of_rows", scores) +
           table("uint32_t", "fingerprints", fingerprints);
}

void write_sample(const std::filesystem::path& folder, const Model& model, const Dataset& data) {
    const auto network = clip::device_network(model.live().snapshot());
    std::filesystem::create_directories(folder);
    const auto files = emit::emit_learning_c(network, "net");
    std::ofstream(folder / "net.h") << files.at("net.h");
    std::ofstream(folder / "net.c") << files.at("net.c");
    std::ofstream(folder / "rows.h") << rows_header(network, data);
    const auto figures = emit::learn_figures(network);
    std::cout << fmt::format("{} {} {}\n", folder.filename().string(), figures.flash_bytes,
                             figures.state_bytes);
}

}  // namespace

int main(int, char** argv) {
    const std::filesystem::path target = argv[1];
    const std::string real = argv[2];
    for (const auto& shape : test::kDeviceShapes) {
        write_sample(target / shape.name, test::device_model(shape),
                     test::device_data(shape, 50, 3));
    }
    if (!std::filesystem::exists(real)) return 0;
    TrainOptions options;
    options.tree = {21};
    options.preprocess = "center";
    options.epochs = 1;
    options.polish = 0;
    const std::string digits = real + "/optdigits/optdigits.tra.csv.gz";
    write_sample(target / "optdigits", train(load_dataset(digits), options).model,
                 load_dataset(digits + "#0:100"));
}

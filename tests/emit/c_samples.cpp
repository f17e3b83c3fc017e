// Writes small exports with rows and what the library answers, for the tests on other processors:
// FOLDER/SAMPLE/ holds net.h, net.c and rows.h. Prints for each its name, FLASH and RAM as
// README.md states them, and its rows. Usage: c_samples FOLDER DATA; networks of real data are left
// out if DATA does not exist.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>

#include "bitbayes/bitbayes.hpp"
#include "emit/c.hpp"
#include "emit/c_text.hpp"
#include "packed/packed_answers.hpp"
#include "packed/random_network.hpp"

namespace {

using namespace bitbayes;
using packed::ColumnType;
using packed::Network;
using Numbers = std::vector<std::int64_t>;

constexpr std::size_t kRows = 12;
constexpr std::size_t kMaxRows = 99, kRowBytes = 16000;  // of real data: they must fit into 32 KiB

std::string table(const char* type, const char* name, const Numbers& values) {
    return fmt::format("static const {} {}[] DEVICE_FLASH = {{\n{}\n}};\n", type, name,
                       emit::number_lines(values));
}

/// Rows, their scores, and winner, predicted class, margin and legality of each.
std::string rows_header(const Network& network, const std::vector<std::int16_t>& rows) {
    const std::size_t columns = network.quantiser.columns();
    Numbers scores, answers;
    for (std::size_t r = 0; r < rows.size() / columns; ++r) {
        const auto row_scores = network.scores(std::span(rows).subspan(r * columns, columns));
        const auto answer = Network::answer(row_scores);
        scores.insert(scores.end(), row_scores.begin(), row_scores.end());
        const std::int64_t winner = answer.class_index;
        answers.insert(answers.end(), {winner, answer.margin < network.abstain_below ? -1 : winner,
                                       answer.margin, answer.legal ? 1 : 0});
    }
    return fmt::format("#define ROWS {}\n", rows.size() / columns) +
           table("int16_t", "rows", Numbers(rows.begin(), rows.end())) +
           table("int32_t", "scores_of_rows", scores) + table("int32_t", "answers", answers);
}

void write_sample(const std::filesystem::path& folder, const Network& network,
                  const std::vector<std::int16_t>& rows) {
    std::filesystem::create_directories(folder);
    const auto files = emit::emit_c(network, {"net", false, false, {}});
    std::ofstream(folder / "net.h") << files.at("net.h");
    std::ofstream(folder / "net.c") << files.at("net.c");
    std::ofstream(folder / "rows.h") << rows_header(network, rows);
    const auto figures = emit::c_figures(network);
    std::cout << fmt::format("{} {} {} {}\n", folder.filename().string(),
                             figures.flash_bytes + figures.raw_flash_bytes, figures.ram_bytes,
                             rows.size() / network.quantiser.columns());
}

void write_real(const std::filesystem::path& folder, const std::string& training,
                const std::string& test, const std::vector<std::size_t>& tree) {
    TrainOptions options;
    options.tree = tree;
    options.epochs = 1;
    const PackedNetwork packed(train(load_dataset(training, {}, Split::kTrain), options).model);
    const Dataset data = load_dataset(test);
    const std::size_t columns = packed.features();
    const std::size_t rows = std::min({kMaxRows, kRowBytes / (2 * columns), data.rows});
    std::vector<std::int16_t> values(rows * columns);
    packed::quantise_rows(packed.network(), data, 0, values);
    write_sample(folder, packed.network(), values);
}

}  // namespace

int main(int, char** argv) {
    const std::filesystem::path target = argv[1];
    const std::string real = argv[2];
    const std::vector<std::pair<std::string, test::NetworkShape>> shapes{
        {"digits", {ColumnType::kU8, 64, 3, 0, {11}, 10, 1, false, 2}},
        {"signs", {ColumnType::kSign, 21, 0, 0, {21}, 1, 1, false, 3}},
        {"bits", {ColumnType::kBit, 40, 3, 0, {5}, 4, 3, false, 2}},
        {"byte_ends", {ColumnType::kI8, 255, 1, 0, {}, 3, 1, true, 90}},
        {"wide", {ColumnType::kI16, 20, 1, 0, {4, 3}, 3, 1, true, 0}},
        {"wide_scores", {ColumnType::kI16, 20, 0, 0, {}, 1, 1, true, 40000}},
        {"compared", {ColumnType::kI16, 30, 2, 8, {15}, 1, 3, false, 0}},
        {"compared_bytes", {ColumnType::kI8, 6, 0, 3, {7}, 3, 1, false, 0}},
        {"dense", {ColumnType::kU8, 40, 3, 0, {}, 10, 1, false, 2, false, {24}}},
        {"dense_two", {ColumnType::kSign, 30, 0, 0, {}, 4, 1, false, 0, false, {64, 40}}},
        {"dense_tree", {ColumnType::kI16, 20, 1, 0, {5}, 4, 1, false, 1, false, {32}}},
        {"dense_committee", {ColumnType::kBit, 20, 1, 0, {3}, 1, 3, false, 1, false, {33, 16}}},
        {"adding", {ColumnType::kI8, 30, 2, 0, {7}, 4, 3, false, 2, false, {}, true}},
        {"adding_one_layer", {ColumnType::kI16, 12, 0, 0, {}, 1, 3, true, 9, false, {}, true}},
        {"adding_dense", {ColumnType::kBit, 20, 1, 0, {}, 5, 3, false, 1, false, {33, 16}, true}},
    };
    test::RandomNetwork random(1);
    for (const auto& [name, shape] : shapes) {
        const Network network = random.network(shape);
        write_sample(target / name, network, random.rows(network, kRows));
    }
    write_real(target / "teacher", "teacher:21", "teacher:21", {21});
    if (!std::filesystem::exists(real)) return 0;
    const auto data = [&](const char* file) { return real + "/" + file; };
    write_real(target / "optdigits", data("optdigits/optdigits.tra.csv.gz"),
               data("optdigits/optdigits.tes.csv.gz"), {9});
    write_real(target / "optdigits_one_layer", data("optdigits/optdigits.tra.csv.gz"),
               data("optdigits/optdigits.tes.csv.gz"), {});
    write_real(target / "semeion", data("semeion/semeion.csv.gz#0:1200"),
               data("semeion/semeion.csv.gz#1200:1593"), {4, 3});
    write_real(target / "a9a", data("a9a/a9a.libsvm.gz"), data("a9a/a9a.t.libsvm.gz"), {15});
    write_real(target / "spambase", data("spambase/spambase.csv.gz"),
               data("spambase/spambase.csv.gz"), {8});
}

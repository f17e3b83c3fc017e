// Writes small exports with rows and what the library answers, for the tests on other processors:
// FOLDER/SAMPLE/ holds net.h, net.c and rows.h. Prints for each its name, FLASH and RAM as README.md tells.
#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <iostream>

#include "emit/c.hpp"
#include "emit/c_text.hpp"
#include "packed/random_network.hpp"

namespace {

using namespace bitbayes;
using packed::ColumnType;
using packed::Network;
using Numbers = std::vector<std::int64_t>;

constexpr std::size_t kRows = 12;

std::string table(const char* type, const char* name, const Numbers& values) {
    return fmt::format("static const {} {}[] DEVICE_FLASH = {{\n{}\n}};\n", type, name,
                       emit::number_lines(values));
}

/// Rows, their scores, and winner, predicted class, margin and legality of each.
std::string rows_header(const Network& network, const std::vector<std::int16_t>& rows) {
    const std::size_t columns = network.quantiser.columns();
    Numbers scores, answers;
    for (std::size_t r = 0; r < kRows; ++r) {
        const auto row_scores = network.scores(std::span(rows).subspan(r * columns, columns));
        const auto answer = Network::answer(row_scores);
        scores.insert(scores.end(), row_scores.begin(), row_scores.end());
        const std::int64_t winner = answer.class_index;
        answers.insert(answers.end(), {winner, answer.margin < network.abstain_below ? -1 : winner,
                                       answer.margin, answer.legal ? 1 : 0});
    }
    return fmt::format("#define ROWS {}\n", kRows) +
           table("int16_t", "rows", Numbers(rows.begin(), rows.end())) +
           table("int32_t", "scores_of_rows", scores) + table("int32_t", "answers", answers);
}

}  // namespace

int main(int, char** argv) {
    const std::vector<std::pair<std::string, test::NetworkShape>> shapes{
        {"digits", {ColumnType::kU8, 64, 3, 0, {11}, 10, 1, false, 2}},
        {"signs", {ColumnType::kSign, 21, 0, 0, {21}, 1, 1, false, 3}},
        {"bits", {ColumnType::kBit, 40, 3, 0, {5}, 4, 3, false, 2}},
        {"byte_ends", {ColumnType::kI8, 255, 1, 0, {}, 3, 1, true, 90}},
        {"wide", {ColumnType::kI16, 20, 1, 0, {4, 3}, 3, 1, true, 0}},
        {"wide_scores", {ColumnType::kI16, 20, 0, 0, {}, 1, 1, true, 40000}},
        {"compared", {ColumnType::kI16, 30, 2, 8, {15}, 1, 3, false, 0}},
        {"compared_bytes", {ColumnType::kI8, 6, 0, 3, {7}, 3, 1, false, 0}},
    };
    test::RandomNetwork random(1);
    for (const auto& [name, shape] : shapes) {
        const Network network = random.network(shape);
        const std::filesystem::path folder = std::filesystem::path(argv[1]) / name;
        std::filesystem::create_directories(folder);
        const auto files = emit::emit_c(network, {"net", false, false, {}});
        std::ofstream(folder / "net.h") << files.at("net.h");
        std::ofstream(folder / "net.c") << files.at("net.c");
        std::ofstream(folder / "rows.h") << rows_header(network, random.rows(network, kRows));
        const auto figures = emit::c_figures(network);
        std::cout << name << ' ' << figures.flash_bytes << ' ' << figures.ram_bytes << '\n';
    }
}

// What a program that uses the installed library may expect: prints times in microseconds as JSON,
// and fails if answers of eight threads differ from those of one, or if a bad argument causes
// anything but an Error. Writes network.bbn and its answers for inference_program.cpp.
#include <bitbayes/bitbayes.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <functional>
#include <random>
#include <thread>
#include <vector>

namespace {

using namespace bitbayes;

std::mt19937 engine(1);

/// Bytes with as many zeros as MNIST has.
Dataset images(std::size_t rows, std::size_t features, std::uint32_t classes) {
    std::bernoulli_distribution ink(0.19);
    std::vector<std::uint8_t> values(rows * features);
    for (auto& value : values) value = ink(engine) ? static_cast<std::uint8_t>(1 + engine() % 255) : 0;
    Dataset data;
    data.name = "images";
    data.kind = DataKind::kImages;
    data.rows = rows;
    data.features = features;
    data.values = std::move(values);
    for (std::size_t r = 0; r < rows; ++r) data.labels.push_back(static_cast<std::uint32_t>(r) % classes);
    for (std::uint32_t k = 0; k < classes; ++k) data.class_names.push_back(std::to_string(k));
    return data;
}

std::vector<std::vector<double>> rows_of(const Dataset& data) {
    std::vector<std::vector<double>> rows(data.rows, std::vector<double>(data.features));
    for (std::size_t r = 0; r < data.rows; ++r) data.copy_row(r, rows[r]);
    return rows;
}

/// Time of one call, the best of several rounds over all rows.
double microseconds(const std::vector<std::vector<double>>& rows,
                    const std::function<void(const std::vector<double>&)>& call) {
    double best = HUGE_VAL;
    for (int round = 0; round < 15; ++round) {
        const auto start = std::chrono::steady_clock::now();
        for (const auto& row : rows) call(row);
        const std::chrono::duration<double, std::micro> passed = std::chrono::steady_clock::now() - start;
        best = std::min(best, passed.count() / static_cast<double>(rows.size()));
    }
    return best;
}

void require(bool condition, const char* what) {
    if (condition) return;
    std::fprintf(stderr, "failed: %s\n", what);
    std::exit(1);
}

void require_error(const char* what, const std::function<void()>& call) {
    try {
        call();
    } catch (const Error&) {
        return;
    }
    require(false, what);
}

void check_threads(const Model& model, const PackedNetwork& packed, const Dataset& data) {
    const auto rows = rows_of(data);
    const auto mean = model.predict(data, Mode::kMean, 1);
    const auto map = packed.predict(data, 1);
    std::vector<std::thread> threads;
    std::vector<int> wrong(8);
    for (std::size_t t = 0; t < 8; ++t) {
        threads.emplace_back([&, t] {
            for (std::size_t r = 0; r < rows.size(); ++r) {
                wrong[t] += model.predict(rows[r]) != mean[r];
                wrong[t] += model.predict(rows[r], Mode::kMap).margin != map[r].margin;
                wrong[t] += packed.predict(rows[r]).class_index != map[r].class_index;
            }
        });
    }
    for (auto& thread : threads) thread.join();
    require(std::count(wrong.begin(), wrong.end(), 0) == 8, "eight threads answer as one");
}

void check_arguments(Model& model, const Dataset& good) {
    Dataset bad = good;
    bad.labels[3] = 99;
    require_error("a label beyond class_names", [&] { train(bad); });
    require_error("a label beyond class_names", [&] { model.evaluate(bad); });
    bad = good;
    bad.labels.pop_back();
    require_error("too few labels", [&] { train(bad); });
    require_error("too few labels", [&] { model.update(bad); });
    bad = good;
    bad.rows *= 2;
    require_error("fewer values than rows", [&] { model.predict(bad); });
    bad = good;
    bad.values = SparseRows{{0, 1}, {static_cast<std::uint32_t>(good.features)}, {1}};
    bad.rows = 1;
    bad.labels = {0};
    require_error("a sparse column beyond the features", [&] { train(bad); });
    require_error("a short row", [&] { model.predict(std::vector<double>(3)); });
    require_error("a short row", [&] { model.learn(std::vector<double>(3), "0"); });
    require_error("NaN evidence", [&] { train(good, {.evidence = std::nan("")}); });
    require_error("negative evidence", [&] { train(good, {.evidence = -3}); });
    require_error("an unknown class", [&] { model.learn(std::vector<double>(good.features), "x"); });
}

}  // namespace

int main() {
    const Dataset large = images(60, 784, 10), small = images(100, 64, 10);
    const Model model = train(large, {.tree = {301}, .epochs = 1}).model;
    const PackedNetwork packed(model);
    Model little = train(small, {.tree = {21}, .epochs = 1}).model;

    const auto rows = rows_of(images(200, 784, 10)), small_rows = rows_of(small);
    volatile double sink = 0;
    const double packed_us = microseconds(rows, [&](const auto& row) { sink = packed.predict(row).margin; });
    const double map_us =
        microseconds(rows, [&](const auto& row) { sink = model.predict(row, Mode::kMap).margin; });
    const double mean_us =
        microseconds(small_rows, [&](const auto& row) { sink = little.predict(row).margin; });
    const double learn_us =
        microseconds(small_rows, [&](const auto& row) { sink = little.learn(row, "3").margin; });

    check_threads(model, packed, images(40, 784, 10));
    check_arguments(little, small);

    packed.save("network.bbn", true);
    std::ofstream answers("answers.txt");
    for (const Answer& answer : packed.predict(large)) answers << answer.class_index << " " << answer.margin << "\n";
    std::printf("{\"packed_us\": %.3f, \"map_us\": %.3f, \"mean_us\": %.3f, \"learn_us\": %.3f}\n", packed_us,
                map_us, mean_us, learn_us);
}

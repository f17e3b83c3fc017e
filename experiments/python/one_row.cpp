// Medians of one row in C++, in microseconds: Model::predict and Model::learn. Usage: one_row MODEL DATA
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <vector>

#include "bitbayes/bitbayes.hpp"

namespace {

template <class Call>
double median_microseconds(const Call& call) {
    using Clock = std::chrono::steady_clock;
    constexpr std::size_t kWarm = 200, kTimes = 3000;
    for (std::size_t k = 0; k < kWarm; ++k) call(k);
    std::vector<double> passed;
    for (std::size_t k = 0; k < kTimes; ++k) {
        const auto start = Clock::now();
        call(k);
        passed.push_back(std::chrono::duration<double, std::micro>(Clock::now() - start).count());
    }
    std::nth_element(passed.begin(), passed.begin() + kTimes / 2, passed.end());
    return passed[kTimes / 2];
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 3) return 2;
    bitbayes::Model model = bitbayes::Model::load(argv[1]);
    const bitbayes::Dataset data = bitbayes::load_dataset(argv[2], model.reading());
    std::vector<std::vector<double>> rows(data.rows, std::vector<double>(data.features));
    for (std::size_t r = 0; r < data.rows; ++r) data.copy_row(r, rows[r]);
    const auto row = [&](std::size_t k) { return std::span<const double>(rows[k % data.rows]); };
    const auto label = [&](std::size_t k) -> const std::string& {
        return data.class_names[data.labels[k % data.rows]];
    };
    const double predict = median_microseconds([&](std::size_t k) { model.predict(row(k)); });
    const double learn = median_microseconds([&](std::size_t k) { model.learn(row(k), label(k)); });
    fmt::print("{{\"predict\": {:.2f}, \"learn\": {:.2f}}}\n", predict, learn);
}

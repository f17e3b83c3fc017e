// Fast scores of a few networks on every level that runs here: prints a line "LEVEL HASH" for each and exits with 1
// unless all scores are those of Network::scores. No GoogleTest: this program is also cross-compiled (neon_test.sh).
#include <cinttypes>
#include <cstdio>

#include "engine_samples.hpp"
#include "packed/engine.hpp"

namespace bitbayes::packed {
namespace {

constexpr std::size_t kRows = 33;

/// False if a score is wrong.
bool run(const PlaneKernels& level, std::uint64_t& hash) {
    test::RandomNetwork random(1);
    bool same = true;
    for (const ColumnType type : kTypes) {
        for (const auto& shape : {shape_of(type, 700, {31}, 10), shape_of(type, 90, {9, 5}, 3, 3),
                                  shape_of(type, 40, {}, 70), shape_of(type, 40, {7}, 2, 1, 3, 5),
                                  shape_of(type, 40, {}, 10, 2, 0, 0, {600, 130}),
                                  shape_of(type, 40, {5}, 3, 1, 0, 0, {64})}) {
            auto network = random.network(shape);
            network.adds_scores = network.members.size() == 2;
            const auto rows = some_rows(random, network, kRows, 30);
            const Engine engine(network, level);
            std::vector<std::int64_t> scores(kRows * engine.outputs());
            engine.scores(rows, scores);
            same = same && scores == plain_scores(network, rows);
            for (const std::int64_t score : scores) {
                hash = (hash ^ static_cast<std::uint64_t>(score)) * 0x100000001b3;
            }
        }
    }
    return same;
}

}  // namespace
}  // namespace bitbayes::packed

int main() {
    bool same = true;
    for (const auto* level : bitbayes::packed::plane_levels()) {
        std::uint64_t hash = 0xcbf29ce484222325;
        same = bitbayes::packed::run(*level, hash) && same;
        std::printf("%s %016" PRIx64 "\n", level->name, hash);
    }
    return same ? 0 : 1;
}

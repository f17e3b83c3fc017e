// What `bench` prints: one JSON object, or a table.
#pragma once

#include <string>

#include "bench/card.hpp"
#include "bench/dense.hpp"
#include "bench/infer.hpp"
#include "bench/train.hpp"
#include "terminal/output.hpp"

namespace bitbayes::cli {

Json to_json(const TrainBench& bench);
Json to_json(const DenseBench& bench);
Json to_json(const InferBench& bench);
Json to_json(const CardBench& bench);

std::string to_table(const TrainBench& bench);
std::string to_table(const DenseBench& bench);
std::string to_table(const InferBench& bench);
std::string to_table(const CardBench& bench);

}  // namespace bitbayes::cli

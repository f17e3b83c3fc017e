// bitbayes::inference alone: loads what api_program.cpp wrote, and answers.
#include <bitbayes/packed_network.hpp>
#include <bitbayes/types/error.hpp>

#include <cstdio>

int main() try {
    const bitbayes::PackedNetwork network = bitbayes::PackedNetwork::load("network.bbn");
    const std::vector<double> row(network.features(), 1.0);
    const bitbayes::Answer answer = network.predict(row);
    std::printf("class %u of %zu\n", answer.class_index, network.class_names().size());
    return network.class_names().size() == 10 ? 0 : 1;
} catch (const bitbayes::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
}

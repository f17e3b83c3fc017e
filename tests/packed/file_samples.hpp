// Networks for the tests of packed files.
#pragma once

#include <string>
#include <vector>

#include "../base/temp_folder.hpp"
#include "clip/clip.hpp"
#include "model/sample_models.hpp"
#include "packed/packed_file.hpp"
#include "packed/random_network.hpp"

namespace bitbayes::packed {

inline std::string bytes_of(const Network& network) {
    const test::TempFolder folder;
    save_packed(folder / "n", network);
    return test::slurp(folder / "n");
}

inline std::vector<Network> samples() {
    std::vector<Network> networks{clip::clip(test::center_model()),
                                  clip::clip(test::thermometer_model()),
                                  clip::clip(test::sparse_model()),
                                  clip::clip(test::backprop_model()),
                                  clip::clip_committee(test::thermometer_model(), 3, 9),
                                  clip::clip(test::words_model())};
    networks[0].abstain_below = 7;
    auto binary = test::center_model();
    binary.preprocessing.columns.maximum[1] = 4;
    binary.preprocessing.binary_steps = true;
    networks.insert(networks.end() - 1, clip::clip(binary));
    return networks;
}

/// Two hidden layers; a committee of trees on a dense layer, which votes.
inline std::vector<Network> dense_samples() {
    test::RandomNetwork random(1);
    test::NetworkShape deep, trees;
    deep.dense = {9, 5};
    trees.dense = {8};
    trees.fan_ins = {3};
    trees.members = 2;
    return {random.network(deep), random.network(trees)};
}

}  // namespace bitbayes::packed

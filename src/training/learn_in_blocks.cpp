#include "training/learn_in_blocks.hpp"

#include <algorithm>
#include <vector>

#include "training/take_rows.hpp"

namespace bitbayes::training {

bool learn_in_blocks(learn::LiveModel& model, const Rows& rows, std::span<const std::size_t> order,
                     std::span<const std::uint32_t> labels, std::span<const float> weights,
                     const data::Shift& shift, const std::function<bool()>& go_on) {
    std::vector<std::uint32_t> block_labels;
    std::vector<float> block_weights;
    for (std::size_t first = 0; first < order.size(); first += model.block_rows()) {
        if (go_on && !go_on()) return false;
        const auto block = order.subspan(first, std::min(model.block_rows(), order.size() - first));
        take_rows(labels, block, block_labels);
        take_rows(weights, block, block_weights);
        model.learn(
            rows, block, block_labels, [](std::size_t, auto, auto) {}, block_weights, shift,
            order.subspan(first + block.size()));
    }
    return true;
}

}  // namespace bitbayes::training

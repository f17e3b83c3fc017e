// The public API of packed networks over learn and model.
#include <utility>

#include "base/atomic_file.hpp"
#include "base/thread_team.hpp"
#include "bitbayes/packed_network.hpp"
#include "learn/clip.hpp"
#include "learn/packed_answers.hpp"
#include "model/one_row.hpp"
#include "model/packed_file.hpp"

namespace bitbayes {

PackedNetwork::PackedNetwork(packed::Network network)
    : network_(std::make_unique<packed::Network>(std::move(network))) {}
PackedNetwork::PackedNetwork(const Model& model, const PackOptions& options)
    : PackedNetwork(options.draws == 0
                        ? learn::clip(model.state())
                        : learn::clip_committee(model.state(), options.draws, options.seed)) {}
PackedNetwork::PackedNetwork(PackedNetwork&&) noexcept = default;
PackedNetwork& PackedNetwork::operator=(PackedNetwork&&) noexcept = default;
PackedNetwork::~PackedNetwork() = default;

PackedNetwork PackedNetwork::load(const std::string& path) {
    return PackedNetwork(model::load_packed(path));
}

void PackedNetwork::save(const std::string& path, bool overwrite) const {
    check_output(path, overwrite);
    model::save_packed(path, *network_);
}

std::size_t PackedNetwork::features() const { return network_->quantiser.columns(); }
const std::vector<std::string>& PackedNetwork::class_names() const { return network_->class_names; }

std::vector<Answer> PackedNetwork::predict(const Dataset& data, unsigned threads) const {
    ThreadTeam team(threads);
    std::vector<Answer> answers;
    answers.reserve(data.rows);
    for (const auto& answer : learn::packed_answers(*network_, data, team)) {
        answers.push_back(learn::map_answer(answer, network_->abstain_below));
    }
    return answers;
}

Answer PackedNetwork::predict(std::span<const double> features) const {
    return predict(one_row(features, "sample"), 1).front();
}

PackedEvaluation PackedNetwork::evaluate(const Dataset& data, unsigned threads) const {
    ThreadTeam team(threads);
    return learn::evaluate_packed(*network_, data, team);
}

AbstainChoice PackedNetwork::abstain(const Dataset& data, double rate, unsigned threads) {
    ThreadTeam team(threads);
    const AbstainChoice choice = learn::choose_abstention(*network_, data, rate, team);
    network_->abstain_below = choice.below;
    return choice;
}

}  // namespace bitbayes

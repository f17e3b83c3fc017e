// The public API of packed networks.
#include "bitbayes/packed_network.hpp"

#include <fmt/format.h>

#include <utility>

#include "base/atomic_file.hpp"
#include "bitbayes/types/error.hpp"
#include "packed/packed_answers.hpp"
#include "packed/packed_file.hpp"
#include "packed/runner.hpp"

namespace bitbayes {

struct PackedNetwork::Impl {
    packed::Runner runner;
};

PackedNetwork::PackedNetwork(packed::Network network)
    : impl_(new Impl{packed::Runner(std::move(network))}) {}
PackedNetwork::PackedNetwork(PackedNetwork&&) noexcept = default;
PackedNetwork& PackedNetwork::operator=(PackedNetwork&&) noexcept = default;
PackedNetwork::~PackedNetwork() = default;

PackedNetwork PackedNetwork::load(const std::string& path) {
    return PackedNetwork(packed::load_packed(path));
}

void PackedNetwork::save(const std::string& path, bool overwrite) const {
    packed::save_packed(path, network(), overwrite ? Existing::kReplace : Existing::kKeep);
}

std::string PackedNetwork::to_bytes() const { return packed::packed_bytes(network()); }

PackedNetwork PackedNetwork::from_bytes(std::string_view bytes) {
    return PackedNetwork(packed::parse_packed(bytes, "packed network"));
}

const packed::Network& PackedNetwork::network() const { return impl_->runner.network(); }
std::size_t PackedNetwork::features() const { return network().features(); }
ReadOptions PackedNetwork::reading() const {
    ReadOptions options;
    options.known = network().table;
    return options;
}
const std::vector<std::string>& PackedNetwork::class_names() const { return network().class_names; }

std::vector<Answer> PackedNetwork::predict(const Rows& rows, unsigned threads) const {
    const packed::Runner& runner = impl_->runner;
    std::vector<Answer> answers;
    answers.reserve(rows.size());
    for (const auto& answer : packed::answers_of(runner.engine(), rows, runner.team(), threads)) {
        answers.push_back(packed::map_answer(answer, network().abstain_below));
    }
    return answers;
}

Answer PackedNetwork::predict(std::span<const double> row) const {
    return packed::map_answer(impl_->runner.answer(row), network().abstain_below);
}

std::vector<std::int64_t> PackedNetwork::scores(const Rows& rows, unsigned threads) const {
    return packed::scores_of(impl_->runner.engine(), rows, impl_->runner.team(), threads);
}

PackedEvaluation PackedNetwork::evaluate(const LabelledRows& rows, unsigned threads) const {
    return packed::evaluate(impl_->runner.engine(), rows, impl_->runner.team(), threads);
}

AbstainChoice PackedNetwork::abstain(const LabelledRows& rows, double rate, unsigned threads) {
    if (!(rate > 0 && rate < 1)) {
        throw Error(ErrorCode::kUsage,
                    fmt::format("rate: {} is not between 0 and 1 (both excluded)", rate));
    }
    const AbstainChoice choice = packed::choose_abstention(impl_->runner.engine(), rows, rate,
                                                           impl_->runner.team(), threads);
    impl_->runner.abstain_below(choice.below);
    return choice;
}

}  // namespace bitbayes

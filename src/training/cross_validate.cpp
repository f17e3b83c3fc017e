#include "training/cross_validate.hpp"

#include <vector>

#include "data/categories.hpp"
#include "training/choose.hpp"
#include "training/evaluate.hpp"
#include "training/trainer.hpp"

namespace bitbayes::training {

std::optional<Evaluation> evaluate_fold(const Dataset& data,
                                        std::span<const std::uint32_t> fold_of_row,
                                        std::uint32_t fold, const TrainOptions& options,
                                        const std::function<bool(const TrainProgress&)>& progress,
                                        dist::Communicator& ranks) {
    std::vector<std::size_t> in, out;
    for (std::size_t r = 0; r < data.rows; ++r) (fold_of_row[r] == fold ? out : in).push_back(r);
    Dataset training = data.select(in), test = data.select(out);
    data::keep_seen_categories(training, test);
    const TrainOptions chosen = choose(training, options, {}, ranks).options;
    Trainer trainer(initial_model(training, chosen, ranks), training, std::nullopt, chosen, {},
                    ranks);
    Trainer::Hooks hooks;
    hooks.progress = progress;
    if (!trainer.run(hooks)) return std::nullopt;
    return evaluate(trainer.model(), test, options.threads);
}

}  // namespace bitbayes::training

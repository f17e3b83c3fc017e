#include "learn/learner.hpp"

#include <fmt/format.h>

#include <utility>

#include "bitbayes/types/error.hpp"
#include "cuda/card.hpp"
#include "learn/card_learner.hpp"
#include "learn/dense_learner.hpp"
#include "learn/finite.hpp"
#include "learn/tree_learner.hpp"

namespace bitbayes::learn {

std::string Learner::where() const {
    return fmt::format("{} threads, {} kernels", threads(), backend());
}

std::unique_ptr<Learner> make_learner(LearnerStart start, const Context& context) {
    if (cuda::card_number(context.backend)) {
        auto card = cuda::open_card(context.backend, context.ranks->rank_on_machine());
        return make_card_learner(std::move(start), context, std::move(card));
    }
    const kernels::KernelTable& table = kernels::by_name(context.backend);
    if (start.architecture.is_tree()) return make_tree_learner(std::move(start), context, table);
    return make_dense_learner(std::move(start), context, table);
}

void stop_diverged(std::uint64_t samples, bool mfb) {
    throw Error(ErrorCode::kUsage,
                fmt::format("after {} samples the weights are not finite any more", samples),
                mfb ? "train with a smaller `evidence` or `prior_scale`"
                    : "train with a smaller `learning_rate`");
}

void check_whole(bool broken) {
    if (!broken) return;
    throw Error(ErrorCode::kInternal, "this network stopped in the middle of a block",
                "go on from its last checkpoint or file");
}

const char* default_backend() { return kernels::best().name; }

}  // namespace bitbayes::learn

#include "learn/learner.hpp"

#include <utility>

#include "bitbayes/types/error.hpp"
#include "learn/tree_learner.hpp"

namespace bitbayes::learn {

std::unique_ptr<Learner> make_learner(LearnerStart start, const Context& context) {
    if (!start.architecture.is_tree()) {
        throw Error(ErrorCode::kUnavailable, "no learner for networks that are not trees");
    }
    return make_tree_learner(std::move(start), context.threads, kernels::by_name(context.backend));
}

const char* default_backend() { return kernels::best().name; }

}  // namespace bitbayes::learn

#include "learn/learner.hpp"

#include <utility>

#include "learn/dense_learner.hpp"
#include "learn/tree_learner.hpp"

namespace bitbayes::learn {

std::unique_ptr<Learner> make_learner(LearnerStart start, const Context& context) {
    const kernels::KernelTable& table = kernels::by_name(context.backend);
    if (start.architecture.is_tree()) {
        return make_tree_learner(std::move(start), context.threads, table);
    }
    return make_dense_learner(std::move(start), context.threads, table);
}

const char* default_backend() { return kernels::best().name; }

}  // namespace bitbayes::learn

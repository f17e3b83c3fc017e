#include "learn/dense_learner.hpp"

#include "bitbayes/types/error.hpp"

namespace bitbayes::learn {

std::unique_ptr<Learner> make_dense_learner(LearnerStart, unsigned, const kernels::KernelTable&) {
    throw Error(ErrorCode::kUnavailable, "no learner for networks that are not trees");
}

}  // namespace bitbayes::learn

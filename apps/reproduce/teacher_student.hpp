// Fig. 1A: students of random MxMx1 teachers.
#pragma once

#include "reproduce/run_store.hpp"

namespace bitbayes::cli::reproduce {

/// One stored run per M: {"M": ..., "settings", "seconds", "results"} in a list.
Json teacher_student(const Plan& plan, const RunStore& store);

}  // namespace bitbayes::cli::reproduce

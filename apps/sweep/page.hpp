// The report of a sweep.
#pragma once

#include "report/document.hpp"
#include "sweep/results.hpp"

namespace bitbayes::cli::sweep {

report::Document page_of(const Config& config, const Data& data, const Results& results);

}  // namespace bitbayes::cli::sweep

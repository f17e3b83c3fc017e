// The whole public API. Errors are thrown as bitbayes::Error and name the argument at fault; option
// names are in `backticks`. The library never prints, exits or aborts on input.
#pragma once

#include "bitbayes/export.hpp"
#include "bitbayes/model.hpp"
#include "bitbayes/packed_network.hpp"
#include "bitbayes/read.hpp"
#include "bitbayes/train.hpp"
#include "bitbayes/types/answer.hpp"
#include "bitbayes/types/dataset.hpp"
#include "bitbayes/types/error.hpp"
#include "bitbayes/types/options.hpp"
#include "bitbayes/types/reports.hpp"
#include "bitbayes/types/rows.hpp"
#include "bitbayes/types/version.hpp"

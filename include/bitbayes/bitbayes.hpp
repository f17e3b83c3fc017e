#pragma once

#include "bitbayes/dataset.hpp"
#include "bitbayes/error.hpp"
#include "bitbayes/model.hpp"
#include "bitbayes/packed_network.hpp"
#include "bitbayes/train.hpp"

namespace bitbayes {

/// "MAJOR.MINOR.PATCH"
const char* version();

}  // namespace bitbayes

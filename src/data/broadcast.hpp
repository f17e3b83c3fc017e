// A table that one rank has read, on all of them.
#pragma once

#include "bitbayes/types/dataset.hpp"
#include "dist/communicator.hpp"

namespace bitbayes::data {

/// Rank 0's table reaches every rank.
void broadcast(dist::Communicator& ranks, Dataset& data);

}  // namespace bitbayes::data

// A process that works alone, and what it knows of the others on its machine.
#pragma once

#include "dist/communicator.hpp"

namespace bitbayes::dist {

/// What alone().rank_on_machine() answers from now on; 0 before.
void set_place_on_machine(std::size_t rank);

}  // namespace bitbayes::dist

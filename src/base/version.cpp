#include "bitbayes/types/version.hpp"

namespace bitbayes {

const char* version() { return BITBAYES_VERSION; }

}  // namespace bitbayes

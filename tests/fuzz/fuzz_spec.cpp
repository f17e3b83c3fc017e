// DATA as the command line takes it.
#include <string>

#include "data/spec.hpp"
#include "only_errors.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    using namespace bitbayes;
    fuzz::only_errors([&] { data::parse_spec(std::string(fuzz::as_text(bytes, size))); });
    return 0;
}

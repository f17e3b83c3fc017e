#include "data/libsvm.hpp"
#include "only_errors.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    using namespace bitbayes;
    fuzz::only_errors([&] { data::read_libsvm(fuzz::as_text(bytes, size), "fuzz.libsvm"); });
    return 0;
}

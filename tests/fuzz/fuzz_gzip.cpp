// Any reader, through gzip; the unpacked bytes decide which one.
#include <memory>

#include "data/format.hpp"
#include "data/input.hpp"
#include "only_errors.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    using namespace bitbayes;
    fuzz::only_errors([&] {
        auto input = std::make_unique<data::Input>(fuzz::as_text(bytes, size), "fuzz");
        const auto format = data::detect_format(*input, {});
        data::read_dataset(std::move(input), format, {});
    });
    return 0;
}

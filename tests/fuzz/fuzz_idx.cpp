// Images, or images and then labels, which begin at the last magic of a one-dimensional array.
#include <algorithm>

#include "data/idx.hpp"
#include "only_errors.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    using namespace bitbayes;
    using namespace std::string_view_literals;
    const auto text = fuzz::as_text(bytes, size);
    const std::size_t labels = std::min(text.rfind("\0\0\x08\x01"sv), size);
    fuzz::only_errors([&] { data::read_idx(text, {}, "fuzz"); });
    fuzz::only_errors([&] { data::read_idx(text.substr(0, labels), text.substr(labels), "fuzz"); });
    return 0;
}

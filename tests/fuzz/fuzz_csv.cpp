#include "data/csv.hpp"
#include "only_errors.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    using namespace bitbayes;
    const auto text = fuzz::as_text(bytes, size);
    ReadOptions named;
    named.label = "b";
    named.ignore = {"0", "c"};
    ReadOptions unlabelled;
    unlabelled.label = "first";
    unlabelled.known.features = 3;
    for (const auto& options : {ReadOptions{}, named, unlabelled}) {
        fuzz::only_errors([&] { data::read_csv(text, "fuzz.csv", options); });
    }
    return 0;
}

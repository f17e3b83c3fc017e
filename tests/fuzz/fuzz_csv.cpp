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
    ReadOptions jobs;
    jobs.id = std::string(1, '0');
    jobs.group = std::string(1, '1');
    jobs.row_weight = std::string(1, '2');
    jobs.categorical = {"3"};
    ReadOptions model;
    model.known = {2, {"a", "b"}, {{"x", "y"}, {}}, "f-fl", {"id", "label"}};
    for (const auto& options : {ReadOptions{}, named, unlabelled, jobs, model}) {
        fuzz::only_errors([&] { data::read_csv(text, "fuzz.csv", options); });
    }
    return 0;
}

// Model files and checkpoints, unchanged and with the CRC corrected; a model that loads must also
// answer.
#include <string>
#include <vector>

#include "bitbayes/model.hpp"
#include "learn/model_state.hpp"
#include "model/members_file.hpp"
#include "model/model_file.hpp"
#include "with_crc.hpp"

namespace {

using namespace bitbayes;

void load_and_ask(std::string_view bytes) {
    fuzz::only_errors([&] {
        const Model network(model::parse_members(bytes, "fuzz.bb"));
        const std::vector<double> row(network.features(), 0.5);
        network.predict(row, Mode::kMean);
        network.predict(row, Mode::kMap);
    });
    fuzz::only_errors([&] { model::parse_checkpoint(bytes, "fuzz.bb"); });
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    return fuzz::with_and_without_crc(bytes, size, load_and_ask);
}

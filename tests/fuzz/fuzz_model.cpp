// Model files and checkpoints, as they are and with the CRC put right; a model that loads must also answer.
#include <string>
#include <vector>

#include "bitbayes/model.hpp"
#include "learn/model_state.hpp"
#include "model/container.hpp"
#include "model/model_file.hpp"
#include "only_errors.hpp"

namespace {

using namespace bitbayes;

void load_and_ask(std::string_view bytes) {
    fuzz::only_errors([&] {
        const Model network(model::parse_model(bytes, "fuzz.bb"));
        const std::vector<double> row(network.features(), 0.5);
        network.predict(row, Mode::kMean);
        network.predict(row, Mode::kMap);
    });
    fuzz::only_errors([&] { model::parse_checkpoint(bytes, "fuzz.bb"); });
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    std::string copy(fuzz::as_text(bytes, size));
    load_and_ask(copy);
    const std::size_t digits = model::find_crc_digits(copy);
    if (digits == std::string::npos) return 0;
    copy.replace(digits, 8, model::crc_digits(copy, digits));
    load_and_ask(copy);
    return 0;
}

// Packed networks, as they are and with the CRC put right; one that loads must also answer.
#include <string>
#include <vector>

#include "bitbayes/packed_network.hpp"
#include "model/container.hpp"
#include "model/packed_file.hpp"
#include "only_errors.hpp"
#include "packed/network.hpp"

namespace {

using namespace bitbayes;

void load_and_ask(std::string_view bytes) {
    fuzz::only_errors([&] {
        const PackedNetwork network(model::parse_packed(bytes, "fuzz.bbn"));
        network.predict(std::vector<double>(network.features(), 0.5));
    });
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

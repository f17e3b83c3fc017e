// Packed networks, unchanged and with the CRC corrected; one that loads must also answer.
#include <string>
#include <vector>

#include "bitbayes/packed_network.hpp"
#include "packed/network.hpp"
#include "packed/packed_file.hpp"
#include "with_crc.hpp"

namespace {

using namespace bitbayes;

void load_and_ask(std::string_view bytes) {
    fuzz::only_errors([&] {
        const PackedNetwork network(packed::parse_packed(bytes, "fuzz.bbn"));
        network.predict(std::vector<double>(network.features(), 0.5));
    });
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    return fuzz::with_and_without_crc(bytes, size, load_and_ask);
}

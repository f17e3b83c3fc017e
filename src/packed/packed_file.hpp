// Packed networks *.bbn: the container of model files, weights as bits, thresholds as int32.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/atomic_file.hpp"
#include "container/container.hpp"
#include "packed/network.hpp"

namespace bitbayes::packed {

/// The newest that is read. Written is 3 for committees that add scores and for steps of powers of two, else 2 if columns hold words
/// or a layer above the first is dense, else 1.
inline constexpr int kPackedFormatVersion = 3;

struct EncodedNetwork {
    container::Metadata metadata;
    std::vector<std::vector<std::int32_t>> thresholds;
    std::vector<container::OutgoingTensor> tensors;  // views of the network and of `thresholds`
};

/// Does not check the network.
EncodedNetwork encode_network(const Network& network);

/// Error(kUsage), and nothing is written, for a network that would not load: one that has no inputs,
/// sums that do not fit into int32, or contradictions.
void save_packed(const std::string& path, const Network& network,
                 Existing existing = Existing::kReplace);
/// The bytes of a packed file.
std::string packed_bytes(const Network& network);

/// Error(kModel) for anything wrong with the content, Error(kIo) if it cannot be read.
Network load_packed(const std::string& path);
/// From bytes in memory; `name` is used in error messages.
Network parse_packed(std::string_view bytes, const std::string& name);

/// Whether the bytes are a packed network, rather than a model; Error(kModel) if they are damaged.
bool is_packed(std::string_view bytes, const std::string& name);

}  // namespace bitbayes::packed

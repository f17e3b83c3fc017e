#include "packed/packed_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <numeric>

#include "bitbayes/types/error.hpp"
#include "bitbayes/types/version.hpp"
#include "container/container_reader.hpp"
#include "container/encoding.hpp"
#include "container/table_columns.hpp"
#include "packed/problem.hpp"

namespace bitbayes::packed {
namespace {

using container::Container;
using container::ContainerReader;
using container::ElementType;
using container::Metadata;
using container::OutgoingTensor;
using container::TensorView;
using nlohmann::json;

constexpr const char* kFormat = "bitbayes-packed";
constexpr const char* kBinary = "binary";  // how the quantiser rounds
constexpr const char* kAdds = "adds";      // what a committee does

std::size_t row_bytes(std::size_t fan_in) { return (fan_in + 7) / 8; }

std::string layer_prefix(std::size_t member, std::size_t l) {
    return fmt::format("member{}.layer{}.", member, l + 1);
}

json layers_json(const std::vector<Layer>& layers) {
    json list = json::array();
    for (const Layer& layer : layers) {
        list.push_back({{"neurons", layer.neurons},
                        {"fan_in", layer.fan_in},
                        {"connectivity", layer.reads_all ? "dense" : "tree"}});
    }
    return list;
}

bool has_dense_upper(const std::vector<Layer>& layers) {
    return std::any_of(layers.begin() + 1, layers.end(),
                       [](const Layer& layer) { return layer.reads_all; });
}

/// The oldest format that has what the network needs.
int format_of(const Network& network) {
    const Quantiser& quantiser = network.quantiser;
    if (network.adds_scores || quantiser.binary || !quantiser.low.empty()) return 3;
    const bool words = !network.table.categories.empty();
    return words || has_dense_upper(network.members.front()) ? 2 : 1;
}

Metadata metadata_of(const Network& network) {
    Metadata metadata{
        {"format", kFormat},
        {"format_version", std::to_string(format_of(network))},
        {"library_version", version()},
        {"layers", layers_json(network.members.front()).dump()},
        {"members", std::to_string(network.members.size())},
        {"column_type", name_of(network.quantiser.type)},
        {"sparse", network.source ? container::kKept : container::flag(network.sparse)},
        {"class_names", container::names_json(network.class_names).dump()},
        {"abstain_below", std::to_string(network.abstain_below)},
        {"seed", std::to_string(network.seed)},
        {"samples_seen", std::to_string(network.samples_seen)}};
    if (network.adds_scores) metadata["committee"] = kAdds;
    if (network.quantiser.binary) metadata["quantiser"] = kBinary;
    if (network.source) metadata["features"] = std::to_string(network.source->features);
    container::add_columns(metadata, network.table);
    return metadata;
}

/// A view of a layer's rows of words as the shorter rows of bytes that the file holds.
OutgoingTensor bits_tensor(const std::string& name, const Layer& layer) {
    return {name,
            ElementType::kU8,
            {layer.neurons, row_bytes(layer.fan_in)},
            container::rows_in_memory(layer.bits.data(), layer.neurons, row_bytes(layer.fan_in),
                                      layer.row_words() * sizeof(std::uint64_t))};
}

class PackedReader : private ContainerReader {
  public:
    using ContainerReader::ContainerReader;

    Network network() {
        const int version = format_version(kFormat, "packed network", kPackedFormatVersion);
        read_inputs(version);
        read_members();
        read_committee(version);
        result_.class_names = class_names();
        result_.table = container::read_columns(*this, result_.features());
        if (result_.source) result_.table.kept = result_.source->column;
        result_.abstain_below = number<std::int64_t>("abstain_below");
        result_.seed = number<std::uint64_t>("seed");
        result_.samples_seen = number<std::uint64_t>("samples_seen");
        const std::string problem = problem_of(result_);
        require(problem.empty(), problem);
        require(version >= format_of(result_),
                "words and dense upper layers need format 2, ranges and binary steps format 3");
        return std::move(result_);
    }

  private:
    void read_inputs(int version) {
        Quantiser& quantiser = result_.quantiser;
        require(parse_column_type(text("column_type"), quantiser.type), "unknown column_type");
        const bool kept = text("sparse") == container::kKept;
        result_.sparse = kept || flag("sparse");
        quantiser.missing = vector<std::int16_t>("columns.missing", ElementType::kI16);
        quantiser.origin = vector<double>("columns.origin", ElementType::kF64);
        quantiser.step = vector<double>("columns.step", ElementType::kF64);
        quantiser.binary = version >= 3 && has("quantiser");
        require(!quantiser.binary || text("quantiser") == kBinary, "unknown quantiser");
        if (version >= 3) {
            quantiser.low = vector<std::int32_t>("columns.low", ElementType::kI32);
            quantiser.high = vector<std::int32_t>("columns.high", ElementType::kI32);
        }
        if (!kept) result_.column = vector<std::uint32_t>("inputs.column", ElementType::kI32);
        result_.comparator = vector<std::int16_t>("inputs.comparator", ElementType::kI16);
        if (kept) read_source();
    }

    /// Every column that is kept is an input.
    void read_source() {
        const auto features = number<std::uint32_t>("features");
        result_.source = {features, vector<std::uint32_t>("inputs.column", ElementType::kI32)};
        result_.column.resize(result_.source->column.size());
        std::iota(result_.column.begin(), result_.column.end(), 0u);
    }

    std::vector<Layer> shapes() const {
        const json list = json_of("layers", 2);
        require(list.is_array() && !list.empty(), "layers is not a list");
        std::vector<Layer> layers;
        std::size_t below = result_.inputs();
        for (const json& entry : list) {
            require(entry.is_object() && entry.contains("neurons") && entry.contains("fan_in") &&
                        entry.contains("connectivity") && entry["neurons"].is_number_unsigned() &&
                        entry["fan_in"].is_number_unsigned(),
                    "a layer needs neurons, fan_in and connectivity");
            Layer layer;
            layer.neurons = entry["neurons"];
            layer.fan_in = entry["fan_in"];
            layer.reads_all = entry["connectivity"] == "dense";
            require(layer.reads_all || (entry["connectivity"] == "tree" && !layers.empty()),
                    "layers are dense or trees, and the first is dense");
            const std::string name = layer_prefix(0, layers.size()) + "bits";
            const std::uint64_t bytes = row_bytes(layer.fan_in);
            require(tensor(name, ElementType::kU8).shape ==
                        std::vector<std::uint64_t>{layer.neurons, bytes},
                    fmt::format("tensor {} does not have the shape that layers says", name));
            require(fits(layer, below), "a layer does not fit the one below");
            below = layer.neurons;
            layers.push_back(std::move(layer));
        }
        return layers;
    }

    void read_members() {
        const auto members = number<std::size_t>("members");
        const std::vector<Layer> layers = shapes();
        for (std::size_t m = 0; m < members; ++m) {
            std::vector<Layer> member;
            for (std::size_t l = 0; l < layers.size(); ++l)
                member.push_back(layer(layers[l], m, l));
            result_.members.push_back(std::move(member));
        }
    }

    /// Members vote in formats 1 and 2, and add their scores in format 3.
    void read_committee(int version) {
        result_.adds_scores = has("committee");
        require(result_.adds_scores == (version >= 3 && result_.members.size() > 1),
                "committees of format 3, and no other networks, add scores");
        require(!result_.adds_scores || text("committee") == kAdds, "unknown committee");
    }

    Layer layer(const Layer& shape, std::size_t m, std::size_t l) const {
        const std::string prefix = layer_prefix(m, l);
        const TensorView view = tensor(prefix + "bits", ElementType::kU8);
        const std::size_t bytes = row_bytes(shape.fan_in);
        require(view.shape == std::vector<std::uint64_t>{shape.neurons, bytes},
                fmt::format("tensor {}bits has another shape than that of member 0", prefix));
        Layer result(shape.neurons, shape.fan_in, shape.reads_all);
        for (std::size_t i = 0; i < shape.neurons; ++i) {
            std::uint64_t* row = result.bits.data() + i * result.row_words();
            std::memcpy(row, view.bytes.data() + i * bytes, bytes);
        }
        if (!shape.reads_all) return result;
        const auto thresholds = vector<std::int32_t>(prefix + "threshold", ElementType::kI32);
        result.threshold.assign(thresholds.begin(), thresholds.end());
        return result;
    }

    Network result_;
};

/// Refuses to write what PackedReader would refuse to read.
void check_writable(const Network& network) {
    if (network.inputs() == 0) {
        throw Error(ErrorCode::kUsage, "no column varied in training: there is nothing to pack");
    }
    const std::string problem = problem_of(network);
    if (problem.empty()) return;
    throw Error(
        ErrorCode::kUsage, problem + ": nothing written",
        problem == kLargeSums ? "train on fewer columns, or with `preprocess` thermometer:1" : "");
}

}  // namespace

EncodedNetwork encode_network(const Network& network) {
    EncodedNetwork out;
    auto& tensors = out.tensors;
    for (const auto& layers : network.members) {
        for (const Layer& layer : layers) {
            out.thresholds.emplace_back(layer.threshold.begin(), layer.threshold.end());
        }
    }
    container::add_vector(tensors, "columns.origin", network.quantiser.origin);
    container::add_vector(tensors, "columns.step", network.quantiser.step);
    container::add_vector(tensors, "columns.low", network.quantiser.low);
    container::add_vector(tensors, "columns.high", network.quantiser.high);
    container::add_vector(tensors, "inputs.column",
                          network.source ? network.source->column : network.column);
    for (std::size_t m = 0, at = 0; m < network.members.size(); ++m) {
        for (std::size_t l = 0; l < network.members[m].size(); ++l, ++at) {
            if (!network.members[m][l].reads_all) continue;
            container::add_vector(tensors, layer_prefix(m, l) + "threshold", out.thresholds[at]);
        }
    }
    container::add_vector(tensors, "columns.missing", network.quantiser.missing);
    container::add_vector(tensors, "inputs.comparator", network.comparator);
    for (std::size_t m = 0; m < network.members.size(); ++m) {
        for (std::size_t l = 0; l < network.members[m].size(); ++l) {
            tensors.push_back(bits_tensor(layer_prefix(m, l) + "bits", network.members[m][l]));
        }
    }
    out.metadata = metadata_of(network);
    return out;
}

void save_packed(const std::string& path, const Network& network, Existing existing) {
    check_writable(network);
    const EncodedNetwork encoded = encode_network(network);
    container::write_container(path, encoded.metadata, encoded.tensors, existing);
}

std::string packed_bytes(const Network& network) {
    check_writable(network);
    const EncodedNetwork encoded = encode_network(network);
    return container::container_bytes(encoded.metadata, encoded.tensors);
}

Network load_packed(const std::string& path) {
    const std::string bytes = container::read_container_file(path);
    return parse_packed(bytes, path);
}

Network parse_packed(std::string_view bytes, const std::string& name) {
    return PackedReader(container::parse_container(bytes, name), name).network();
}

bool is_packed(std::string_view bytes, const std::string& name) {
    const Container file = container::parse_container(bytes, name);
    const auto format = file.metadata.find("format");
    return format != file.metadata.end() && format->second == kFormat;
}

}  // namespace bitbayes::packed

// Damaged and hostile packed files.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "file_samples.hpp"
#include "model/expect_error.hpp"

namespace bitbayes::packed {
namespace {

using test::error_of;
using test::TempFolder;

/// The bytes with one piece of text replaced by another, and a valid CRC.
std::string altered(std::string bytes, const std::string& from, const std::string& to) {
    const std::size_t at = bytes.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    EXPECT_EQ(from.size(), to.size());
    return test::with_valid_crc(bytes.replace(at, from.size(), to));
}

TEST(PackedFile, EveryCutAndEveryFlippedBitIsRefused) {
    for (const Network& network : {clip::clip(test::thermometer_model()), dense_samples()[1]}) {
        const std::string good = bytes_of(network);
        for (std::size_t size = 0; size < good.size(); ++size) {
            error_of(ErrorCode::kModel,
                     [&] { parse_packed(std::string_view(good).substr(0, size), "n"); });
        }
        for (std::size_t byte = 0; byte < good.size(); ++byte) {
            std::string bad = good;
            bad[byte] = static_cast<char>(bad[byte] ^ 4);
            error_of(ErrorCode::kModel, [&] { parse_packed(bad, "n"); });
        }
    }
}

TEST(PackedFile, DamageThatACrcDoesNotSee) {
    const auto refused = [](const Network& network, const std::string& from,
                            const std::string& to) {
        const std::string bad = altered(bytes_of(network), from, to);
        return error_of(ErrorCode::kModel, [&] { parse_packed(bad, "n"); });
    };
    const auto all = samples();
    EXPECT_NE(refused(all[0], "\"format_version\":\"1\"", "\"format_version\":\"4\"").find("newer"),
              std::string::npos);
    refused(all[0], "\"format_version\":\"1\"", "\"format_version\":\"0\"");
    EXPECT_NE(refused(all.back(), "\"format_version\":\"2\"", "\"format_version\":\"1\"")
                  .find("words and dense upper layers need format 2"),
              std::string::npos);
    for (const char* version : {"1", "2"}) {
        EXPECT_NE(refused(all[4], "\"format_version\":\"3\"",
                          "\"format_version\":\"" + std::string(version) + "\"")
                      .find("format 3"),
                  std::string::npos);
    }
    refused(dense_samples()[1], "\"format_version\":\"2\"", "\"format_version\":\"3\"");
    refused(all[4], "\"committee\":\"adds\"", "\"committee\":\"odds\"");
    refused(all[4], "\"committee\":\"adds\"", "\"comnittee\":\"adds\"");
    refused(all[4], "\"members\":\"4\"", "\"members\":\"1\"");
    refused(all.back(), "\"column_kinds\":\"mixed\"", "\"column_kinds\":\"moxed\"");
    refused(all.back(), "roles\\\":\\\"lff", "roles\\\":\\\"lfl");
    refused(all[0], "\"column_type\":\"i16\"", "\"column_type\":\"u16\"");
    refused(all[0], "\"members\":\"1\"", "\"members\":\"2\"");
    refused(all[0], "\"members\":\"1\"", "\"members\":\"0\"");
    refused(all[0], "\"abstain_below\":\"7\"", "\"abstain_below\":\"x\"");
    refused(all[0], "\\\"fan_in\\\":2", "\\\"fan_in\\\":3");
    refused(all[0], "\\\"neurons\\\":9", "\\\"neurons\\\":8");
    refused(all[0], "\\\"connectivity\\\":\\\"tree\\\"", "\\\"connectivity\\\":\\\"twig\\\"");
    refused(all[0], "\"sparse\":\"false\"", "\"sparse\":\"maybe\"");
    refused(all[0], "bitbayes-packed", "bitbayes-pocked");
    refused(all[0], "member0.layer1.bits", "member0.layer9.bits");
    refused(all[0], "inputs.column", "inputs.colunm");
    refused(all[4], "member2.layer1.threshold", "member2.layer1.thresholt");
    refused(all[2], "\"class_names\"", "\"glass_names\"");
    for (const Network& network : dense_samples()) {
        EXPECT_NE(refused(network, "\"format_version\":\"2\"", "\"format_version\":\"1\"")
                      .find("words and dense upper layers need format 2"),
                  std::string::npos);
        refused(network, "member0.layer2.threshold", "member0.layer2.thresholt");
        EXPECT_NE(
            refused(network, "\"connectivity\\\":\\\"dense\\\"", "\"connectivity\\\":\\\"tree\\\" ")
                .find("the first is dense"),
            std::string::npos);
    }
}

TEST(PackedFile, HostileNumbers) {
    const auto refused = [](auto change) {
        Network network = clip::clip(test::thermometer_model());
        change(network);
        const EncodedNetwork encoded = encode_network(network);
        const auto bytes = container::container_bytes(encoded.metadata, encoded.tensors);
        error_of(ErrorCode::kModel, [&] { parse_packed(bytes, "n"); });
        const TempFolder folder;
        error_of(ErrorCode::kUsage, [&] { save_packed(folder / "n", network); });
        error_of(ErrorCode::kUsage, [&] { packed_bytes(network); });
        EXPECT_EQ(folder.files(), 0u);
    };
    refused([](Network& n) { n.column.back() = 2; });
    refused([](Network& n) { std::swap(n.column.front(), n.column.back()); });
    refused([](Network& n) { n.comparator.pop_back(); });
    refused([](Network& n) { n.quantiser.missing[0] = -1; });
    refused([](Network& n) { n.adds_scores = true; });
    refused([](Network& n) { n.quantiser.step = {1}; });
    refused([](Network& n) { n.quantiser.origin = n.quantiser.step = {0, 1}; });
    refused([](Network& n) { n.quantiser.binary = true; });
    refused([](Network& n) { n.quantiser.low.pop_back(); });
    refused([](Network& n) { n.quantiser.high = {}; });
    refused([](Network& n) { std::swap(n.quantiser.low, n.quantiser.high); });
    refused([](Network& n) {
        n.quantiser.binary = true;
        n.quantiser.origin = {0, 0};
        n.quantiser.step = {1, 0.75};
    });
    refused([](Network& n) {
        n.quantiser.binary = true;
        n.quantiser.origin = {0, 0.25};
        n.quantiser.step = {1, 0.5};
    });
    refused([](Network& n) {
        n.quantiser.origin = {0, 0};
        n.quantiser.step = {1, 0.3};
    });
    refused([](Network& n) { n.sparse = true; });
    refused([](Network& n) { n.members[0][0].bits[0] |= std::uint64_t{1} << 7; });
    refused([](Network& n) { n.members[0][0].threshold.pop_back(); });
    refused([](Network& n) { n.class_names.emplace_back("third"); });
    refused([](Network& n) { n.abstain_below = -1; });
    refused([](Network& n) { n.class_names[1] = n.class_names[0]; });
    refused([](Network& n) { n.table.names = {"one"}; });
    refused([](Network& n) {
        n.quantiser.origin = {0, 0};
        n.quantiser.step = {1, std::numeric_limits<double>::infinity()};
    });
    refused([](Network& n) {
        n.quantiser.origin = {0, std::nan("")};
        n.quantiser.step = {1, 1};
    });
}

TEST(PackedFile, SumsOfScoresFitInto32Bits) {
    const auto committee = [](bool adds, std::int64_t threshold) {
        test::NetworkShape shape;
        shape.members = 3;
        shape.adds_scores = adds;
        Network network = test::RandomNetwork(1).network(shape);
        for (auto& layers : network.members) layers[0].threshold.assign(3, threshold);
        return network;
    };
    EXPECT_TRUE(parse_packed(packed_bytes(committee(true, 1 << 29)), "n").adds_scores);
    EXPECT_FALSE(parse_packed(packed_bytes(committee(false, 1 << 30)), "n").adds_scores);
    const auto message =
        error_of(ErrorCode::kUsage, [&] { packed_bytes(committee(true, 1 << 30)); });
    EXPECT_NE(message.find("32 bits"), std::string::npos) << message;
}

TEST(PackedFile, HostileDenseLayers) {
    const auto refused = [](const std::string& what, auto change) {
        Network network = dense_samples()[1];
        change(network);
        const EncodedNetwork encoded = encode_network(network);
        const auto bytes = container::container_bytes(encoded.metadata, encoded.tensors);
        const auto message = error_of(ErrorCode::kModel, [&] { parse_packed(bytes, "n"); });
        EXPECT_NE(message.find(what), std::string::npos) << message;
        error_of(ErrorCode::kUsage, [&] { packed_bytes(network); });
    };
    for (const std::int64_t t : {0, 2, -3, 2147483647}) {
        refused("tensor member1.layer2.threshold holds numbers other than -1 and +1",
                [&](Network& n) { n.members[1][1].threshold[2] = t; });
    }
    refused("tensor member1.layer2.threshold does not fit",
            [](Network& n) { n.members[1][1].threshold.pop_back(); });
    refused("a layer does not fit the one below",
            [](Network& n) { n.members[0][1].reads_all = false; });
    refused("a layer does not fit the one below",
            [](Network& n) { n.members[0][2].reads_all = true; });
    refused("tensor member0.layer3.bits has bits beyond its rows",
            [](Network& n) { n.members[0][2].bits[0] |= std::uint64_t{1} << 7; });
}

}  // namespace
}  // namespace bitbayes::packed

#include "packed/packed_file.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "bitbayes/model.hpp"
#include "bitbayes/packed_network.hpp"
#include "file_samples.hpp"
#include "model/expect_error.hpp"

namespace bitbayes::packed {
namespace {

using packed::Network;
using test::error_of;
using test::slurp;
using test::TempFolder;

void expect_equal(const Network& a, const Network& b) {
    EXPECT_EQ(a.quantiser.type, b.quantiser.type);
    EXPECT_EQ(a.quantiser.origin, b.quantiser.origin);
    EXPECT_EQ(a.quantiser.step, b.quantiser.step);
    EXPECT_EQ(a.quantiser.missing, b.quantiser.missing);
    EXPECT_EQ(a.quantiser.binary, b.quantiser.binary);
    EXPECT_EQ(a.quantiser.low, b.quantiser.low);
    EXPECT_EQ(a.quantiser.high, b.quantiser.high);
    EXPECT_EQ(a.sparse, b.sparse);
    EXPECT_EQ(a.column, b.column);
    EXPECT_EQ(a.comparator, b.comparator);
    EXPECT_EQ(a.class_names, b.class_names);
    EXPECT_EQ(a.table, b.table);
    EXPECT_EQ(a.abstain_below, b.abstain_below);
    EXPECT_EQ(a.seed, b.seed);
    EXPECT_EQ(a.samples_seen, b.samples_seen);
    EXPECT_EQ(a.adds_scores, b.adds_scores);
    ASSERT_EQ(a.members.size(), b.members.size());
    for (std::size_t m = 0; m < a.members.size(); ++m) {
        ASSERT_EQ(a.members[m].size(), b.members[m].size());
        for (std::size_t l = 0; l < a.members[m].size(); ++l) {
            const packed::Layer &x = a.members[m][l], &y = b.members[m][l];
            EXPECT_EQ(x.neurons, y.neurons);
            EXPECT_EQ(x.fan_in, y.fan_in);
            EXPECT_EQ(x.reads_all, y.reads_all);
            EXPECT_EQ(x.bits, y.bits);
            EXPECT_EQ(x.threshold, y.threshold);
        }
    }
}

TEST(PackedFile, RoundTrip) {
    auto networks = samples();
    for (Network& network : dense_samples()) networks.push_back(std::move(network));
    for (const Network& network : networks) {
        const std::string bytes = bytes_of(network);
        const Network again = parse_packed(bytes, "n");
        expect_equal(network, again);
        EXPECT_EQ(bytes_of(again), bytes);
        EXPECT_TRUE(is_packed(bytes, "n"));
    }
}

TEST(PackedFile, HoldsOneBitPerWeight) {
    // 2 of 3 columns vary: rows of one byte; the last column is constant.
    const std::string bytes = bytes_of(clip::clip(test::center_model()));
    const container::Container container = container::parse_container(bytes, "n");
    EXPECT_EQ(container.tensors.at("member0.layer1.bits").shape,
              (std::vector<std::uint64_t>{9, 1}));
    EXPECT_EQ(container.tensors.at("member0.layer1.threshold").type, container::ElementType::kI32);
    EXPECT_EQ(container.metadata.at("members"), "1");
}

TEST(PackedFile, NoRealNumbersWhereColumnsAreWhole) {
    for (const Network& network :
         {clip::clip(test::thermometer_model()), clip::clip(test::sparse_model())}) {
        const std::string bytes = bytes_of(network);
        for (const auto& [name, tensor] : container::parse_container(bytes, "n").tensors) {
            EXPECT_NE(tensor.type, container::ElementType::kF64) << name;
            EXPECT_NE(tensor.type, container::ElementType::kF32) << name;
        }
    }
}

TEST(PackedFile, NewerFormatOnlyWhereItIsNeeded) {
    const auto format = [](const Network& network) {
        return container::parse_container(bytes_of(network), "n").metadata.at("format_version");
    };
    EXPECT_EQ(format(samples().front()), "1") << "real columns of an old model";
    EXPECT_EQ(format(samples().back()), "2") << "words";
    EXPECT_EQ(format(samples()[1]), "3") << "ranges";
    for (const Network& network : dense_samples()) EXPECT_EQ(format(network), "2");
    Network committee = samples()[4];
    EXPECT_EQ(format(committee), "3") << "adds scores";
    committee.adds_scores = false;
    committee.quantiser.low = committee.quantiser.high = {};
    EXPECT_EQ(format(committee), "1") << "votes";
    committee = dense_samples()[1];
    committee.adds_scores = true;
    EXPECT_EQ(format(committee), "3");
}

/// Valid models whose numbers no training would give.
TEST(PackedFile, WhatIsWrittenLoadsWhateverTheModelHolds) {
    constexpr double kLargest = std::numeric_limits<double>::max();
    const double values[] = {kLargest, -kLargest, 1e300, -1e300, 1e15,
                             5e-324,   1e-300,    0,     40000,  std::ldexp(1, 31)};
    int written = 0, refused = 0;
    const auto pack = [&](const learn::ModelState& model) {
        try {
            model::model_bytes(model);
        } catch (const Error&) {
            return;  // no model file can hold it
        }
        try {
            const std::string bytes = packed_bytes(clip::clip(model));
            ++written;
            expect_equal(parse_packed(bytes, "n"), clip::clip(model));
        } catch (const Error& error) {
            EXPECT_EQ(error.code(), ErrorCode::kUsage) << error.what();
            ++refused;
        }
    };
    auto standardize = test::center_model();
    standardize.preprocessing.kind = data::PreprocessKind::kStandardize;
    standardize.preprocessing.scale = {1, 2, 3};
    auto binary = test::center_model(), steps = test::thermometer_model();
    binary.preprocessing.binary_steps = steps.preprocessing.binary_steps = true;
    steps.preprocessing.columns.integer = {0, 1};
    for (const auto& good : {test::center_model(), standardize, test::thermometer_model(), binary,
                             steps, test::sparse_model(), test::backprop_model()}) {
        for (auto list : {&data::Preprocessing::mean, &data::Preprocessing::scale,
                          &data::Preprocessing::thresholds}) {
            for (std::size_t i = 0; i < (good.preprocessing.*list).size(); ++i) {
                for (const double value : values) {
                    auto model = good;
                    (model.preprocessing.*list)[i] = value;
                    pack(model);
                    for (const double low : values) {
                        model.preprocessing.columns.minimum[0] = std::min(low, value);
                        model.preprocessing.columns.maximum[0] = std::max(low, value);
                        model.preprocessing.columns.median[0] = low;
                        pack(model);
                        model.preprocessing.columns.integer[0] ^= 1;
                        pack(model);
                    }
                }
            }
        }
    }
    EXPECT_GT(written, 1000);
    EXPECT_GT(refused, 100);
}

TEST(PackedFile, WhatCannotBePackedIsNotWritten) {
    const TempFolder folder;
    Network wide = clip::clip(test::center_model());
    wide.members[0][0].threshold[0] = std::int64_t{1} << 31;
    error_of(ErrorCode::kUsage, [&] { save_packed(folder / "n", wide); });
    Network empty = clip::clip(test::center_model());
    empty.column.clear();
    error_of(ErrorCode::kUsage, [&] { save_packed(folder / "n", empty); });
    EXPECT_EQ(folder.files(), 0u);
}

TEST(PackedFile, ModelsAndPackedNetworksAreToldApart) {
    const TempFolder folder;
    model::save_model(folder / "m", test::center_model());
    save_packed(folder / "n", clip::clip(test::center_model()));
    EXPECT_FALSE(is_packed(slurp(folder / "m"), "m"));
    error_of(ErrorCode::kModel, [&] { load_packed(folder / "m"); });
    EXPECT_NE(error_of(ErrorCode::kModel, [&] { model::load_model(folder / "n"); }).find("packed"),
              std::string::npos);
}

TEST(PackedNetwork, DenseLayersFromFileAndFromBytes) {
    const TempFolder folder;
    test::RandomNetwork random(2);
    for (const Network& network : dense_samples()) {
        const PackedNetwork packed(network);
        packed.save(folder / "n", true);
        const auto loaded = PackedNetwork::load(folder / "n");
        const auto from_bytes = PackedNetwork::from_bytes(packed.to_bytes());
        for (int r = 0; r < 50; ++r) {
            const auto columns = random.row(network.quantiser.type, network.quantiser.columns());
            const auto expected = Network::answer(network.scores(columns));
            const std::vector<double> row(columns.begin(), columns.end());
            for (const PackedNetwork* each : {&packed, &loaded, &from_bytes}) {
                const auto answer = each->predict(row);
                EXPECT_EQ(answer.class_index, expected.class_index);
                EXPECT_EQ(answer.margin, static_cast<double>(expected.margin));
            }
        }
    }
}

TEST(PackedNetwork, AnswersAsTheModelItComesFrom) {
    const TempFolder folder;
    for (auto state : {test::center_model(), test::thermometer_model(), test::sparse_model()}) {
        const Model model(std::move(state));
        const PackedNetwork packed(model);
        packed.save(folder / "n", true);
        const auto loaded = PackedNetwork::load(folder / "n");
        for (double value = -2; value < 10; value += 0.7) {
            std::vector<double> row(model.features(), value);
            row[0] = 1 - value;
            const bitbayes::Answer expected = model.predict(row, Mode::kMap),
                                   answer = loaded.predict(row);
            EXPECT_EQ(answer.class_index, expected.class_index);
            EXPECT_EQ(answer.margin, expected.margin);
            EXPECT_EQ(answer.validity, expected.validity);
            EXPECT_EQ(answer.known, expected.known);
        }
    }
}

}  // namespace
}  // namespace bitbayes::packed

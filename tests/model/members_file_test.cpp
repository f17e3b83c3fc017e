// Files of several members: what they hold, and what they must not.
#include "model/members_file.hpp"

#include <gtest/gtest.h>

#include "../base/temp_folder.hpp"
#include "bitbayes/types/version.hpp"
#include "container/container.hpp"
#include "model/complaints.hpp"
#include "model/sample_models.hpp"

namespace bitbayes::model {
namespace {

using test::error_of;
using test::TempFolder;
using test::with_valid_crc;

std::vector<learn::ModelState> two(learn::ModelState model) {
    std::vector<learn::ModelState> members{model, std::move(model)};
    members[1].seed = 2;
    members[1].posterior.layers[0].learned[0] += 0.5f;
    return members;
}

/// A file of these members, whatever they are.
std::string file_of(const std::vector<std::string>& members, const std::string& count,
                    const std::string& format = "4") {
    std::vector<container::OutgoingTensor> tensors;
    for (const std::string& bytes : members) {
        tensors.push_back({"member" + std::to_string(tensors.size()),
                           container::ElementType::kU8,
                           {bytes.size()},
                           container::rows_in_memory(bytes.data(), 1, bytes.size(), bytes.size())});
    }
    return container::container_bytes({{"format", "bitbayes"},
                                       {"format_version", format},
                                       {"library_version", version()},
                                       {"members", count}},
                                      tensors);
}

void expect_complaint(const std::string& bytes, const std::string& complaint) {
    const auto text = error_of(ErrorCode::kModel, [&] { parse_members(bytes, "m.bb"); });
    EXPECT_EQ(text.rfind("m.bb: ", 0), 0u) << text;
    EXPECT_NE(text.find(complaint), std::string::npos) << text;
}

TEST(MembersFile, RoundTrip) {
    const TempFolder folder;
    learn::ModelState binary = test::center_model();
    binary.preprocessing.binary_steps = true;
    for (const auto& model :
         {test::center_model(), binary, test::thermometer_model(), test::sparse_model(),
          test::words_model(), test::dense_model(), test::dense_model(Algorithm::kMfb, {2})}) {
        const auto members = two(model);
        const std::string bytes = members_bytes(members);
        save_members(folder / "m", members);
        EXPECT_EQ(test::slurp(folder / "m"), bytes);
        EXPECT_EQ(bytes, file_of({model_bytes(members[0]), model_bytes(members[1])}, "2"));
        const auto again = load_members(folder / "m");
        ASSERT_EQ(again.size(), 2u);
        EXPECT_EQ(again[1].seed, 2u);
        EXPECT_EQ(members_bytes(again), bytes);
    }
}

TEST(MembersFile, OneMemberIsAnOrdinaryFile) {
    for (const auto& model : {test::center_model(), test::backprop_model()}) {
        const std::string bytes = model_bytes(model);
        EXPECT_EQ(members_bytes({&model, 1}), bytes);
        const auto one = parse_members(bytes, "m");
        ASSERT_EQ(one.size(), 1u);
        EXPECT_EQ(model_bytes(one[0]), bytes);
    }
}

TEST(MembersFile, EveryCutAndFlipIsRefused) {
    std::string bytes = members_bytes(two(test::sparse_model()));
    for (std::size_t size = 0; size < bytes.size(); ++size) {
        error_of(ErrorCode::kModel,
                 [&] { parse_members(std::string_view(bytes).substr(0, size), "m"); });
    }
    for (char& byte : bytes) {
        for (const char mask : {1, 16, 127}) {
            byte = static_cast<char>(byte ^ mask);
            error_of(ErrorCode::kModel, [&] { parse_members(bytes, "m"); });
            byte = static_cast<char>(byte ^ mask);
        }
    }
    EXPECT_EQ(parse_members(bytes, "m").size(), 2u);
}

/// With a CRC made for it. A member still has its own.
TEST(MembersFile, DamageOnPurposeNeverCrashes) {
    const std::string good = members_bytes(two(test::sparse_model()));
    for (std::size_t i = 0; i < good.size(); ++i) {
        for (const char mask : {1, 4, 32}) {
            std::string bytes = good;
            bytes[i] = static_cast<char>(bytes[i] ^ mask);
            try {
                parse_members(with_valid_crc(bytes), "m");
            } catch (const Error& error) {
                EXPECT_EQ(error.code(), ErrorCode::kModel);
            }
        }
    }
}

TEST(MembersFile, HostileFilesAreRefused) {
    const auto members = two(test::center_model());
    const std::string a = model_bytes(members[0]), b = model_bytes(members[1]);
    expect_complaint(file_of({a, b}, "3"), "members is not the number of tensors");
    expect_complaint(file_of({a, b}, "18446744073709551615"), "members must be 2 to 1000");
    expect_complaint(file_of({a}, "1"), "members must be 2 to 1000");
    expect_complaint(file_of({}, "0"), "members must be 2 to 1000");
    expect_complaint(file_of({a, b}, "two"), "members is not a number");
    expect_complaint(file_of({a, b}, "2", "6"), "newer version (format 6; this is 5)");
    expect_complaint(file_of({a, b}, "2", "3"), "rule is missing");
    expect_complaint(file_of({a, ""}, "2"), "member 1: ");
    expect_complaint(file_of({a, a.substr(0, 100)}, "2"), "member 1: ");
    expect_complaint(file_of({file_of({a, b}, "2"), b}, "2"), "member 0: several members");
    std::string renamed = file_of({a, b}, "2");
    renamed.replace(renamed.find("\"member1\""), 9, "\"member2\"");
    expect_complaint(with_valid_crc(renamed), "tensor member1 is missing");
}

TEST(MembersFile, MembersMustFitTogether) {
    const TempFolder folder;
    const auto refused = [&](const char* what, const auto& change) {
        auto members = two(test::center_model());
        change(members[1]);
        const std::string complaint = std::string("differ in their ") + what;
        expect_complaint(file_of({model_bytes(members[0]), model_bytes(members[1])}, "2"),
                         complaint);
        const auto text = error_of(ErrorCode::kUsage, [&] { save_members(folder / "m", members); });
        EXPECT_NE(text.find(complaint), std::string::npos) << text;
        EXPECT_EQ(folder.files(), 0u);
    };
    refused("classes", [](auto& model) { model.class_names[0] = "eggs"; });
    refused("columns", [](auto& model) { model.columns.names[0] = "z"; });
    refused("preprocessing", [](auto& model) { model.preprocessing.mean[0] = 7; });
    refused("network", [](auto& model) {
        model.architecture = learn::Architecture::tree(4, {5}, 3);
        const TableColumns columns = model.columns;
        test::set_weights(model);
        model.columns = columns;
    });
    refused("memory", [](auto& model) { model.memory = 100; });
    const std::string backprop = model_bytes(test::backprop_model());
    expect_complaint(file_of({backprop, backprop}, "2"), "BackProp");
}

TEST(MembersFile, WhatNeedsOneModelSaysSo) {
    const std::string bytes = members_bytes(two(test::center_model()));
    for (const auto& text : {error_of(ErrorCode::kModel, [&] { parse_model(bytes, "m"); }),
                             error_of(ErrorCode::kModel, [&] { parse_checkpoint(bytes, "m"); })}) {
        EXPECT_EQ(text, "m: several members, where one model is expected");
    }
}

}  // namespace
}  // namespace bitbayes::model

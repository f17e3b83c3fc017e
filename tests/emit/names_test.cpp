#include "emit/names.hpp"

#include <gtest/gtest.h>

#include "bitbayes/types/error.hpp"
#include "emit/c.hpp"
#include "emit/export_folder.hpp"
#include "emit/verilog.hpp"
#include "packed/random_network.hpp"
#include "tools/c_program.hpp"

namespace bitbayes::emit {
namespace {

std::string refusal(const std::string& name) {
    try {
        check_name(name);
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::kUsage);
        EXPECT_NE(std::string(error.what()).find("; hint: "), std::string::npos);
        return error.what();
    }
    return "";
}

TEST(Names, ThatMeanSomethingElseAreRefused) {
    const std::pair<const char*, const char*> cases[] = {
        {"int", "keyword of C"},          {"class", "keyword of C"},
        {"module", "keyword of Verilog"}, {"logic", "keyword of Verilog"},
        {"printf", "the C library"},      {"memcpy", "the C library"},
        {"main", "the C library"},        {"features", "header features.h"},
        {"StdInt", "header stdint.h"},    {"aBBNETb", "'BBNET'"},
        {"my_float", "'float'"},          {"same", "'same_answer'"},
        {"write", "'write_answer'"}};
    for (const auto& [name, reason] : cases) {
        EXPECT_NE(refusal(name).find(reason), std::string::npos) << name << ": " << refusal(name);
    }
    for (const char* name : {"", "9net", "a-b", "_a", "a b", "\x1b[1m", "a\n"}) {
        EXPECT_NE(refusal(name).find("cannot be a name"), std::string::npos) << name;
    }
    EXPECT_EQ(refusal(std::string(1 << 20, 'x')).find(std::string(50, 'x')), std::string::npos);
}

TEST(Names, ThatDifferFromAFileOnlyInCaseAreRefused) {
    test::RandomNetwork random(1);
    const auto network = random.network({.fan_ins = {3}});
    for (const char* name : {"Main", "MAIN", "ReadMe"}) {
        EXPECT_THROW(emit_c(network, {name, false, false, {}}), Error) << name;
    }
    EXPECT_THROW(emit_c(network, {"demo", false, true, {}}), Error);
    EXPECT_THROW(emit_verilog(network, {"readme", {}}, {}), Error);
}

TEST(Names, ThatLookOddAndAreLegalCompile) {
    test::RandomNetwork random(2);
    const auto network = random.network({.fan_ins = {3}, .outputs = 3});
    const auto rows = random.rows(network, 5);
    for (const char* name : {"x", "X", "bbnet", "answer", "row", "verify", "net_", "INT", "int8",
                             "a__", "Net9", "bitbayes", "abcdefghijklmnopqrstuvwxyz012345"}) {
        SCOPED_TRACE(name);
        for (const bool single_header : {false, true}) {
            const COptions options{name, single_header, false, {}};
            const test::ExportFolder folder(emit_c(network, options));
            EXPECT_EQ(tools::run_c(folder.path(), options, network,
                                   {rows, std::vector<std::int32_t>(rows.begin(), rows.end())})
                          .answers.size(),
                      5u);
        }
        EXPECT_NO_THROW(emit_verilog(network, {name, {}}, {}));
    }
}

}  // namespace
}  // namespace bitbayes::emit

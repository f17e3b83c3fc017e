// check-golden on vectors of dense networks: it notices each wrong number and refuses each wrong shape.
#include <fstream>
#include <functional>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "bitbayes/types/error.hpp"
#include "golden/golden.hpp"

namespace bitbayes::golden {
namespace {

using nlohmann::json;

json read(const std::string& name) {
    std::ifstream stream(BITBAYES_GOLDEN_DIR "/" + name + ".json");
    return json::parse(stream);
}

void add(json& value, double amount) { value = value.get<double>() + amount; }

TEST(GoldenBatches, NoticesOneWrongNumber) {
    const json original = read("dense_then_tree");
    const std::string where = "/batches/3";
    const std::pair<const char*, const char*> places[] = {
        {"mu", "/mu/1/2/1"}, {"sigma2", "/sigma2/1/0/5"},
        {"nu", "/nu/0/1/3"}, {"d", "/d/1/1/5"},
        {"e", "/e/1/1/4"},   {"gradient", "/gradient/1/5/6"},
        {"h", "/h/2/1/2"},   {"log_likelihood", "/log_likelihood"}};
    for (const auto& [name, place] : places) {
        json changed = original;
        add(changed[json::json_pointer(where + place)], 1e-11);
        const auto report = check_golden(changed.dump(), "changed");
        EXPECT_FALSE(report.pass) << name;
        for (const auto& [key, error] : report.max_abs_error)
            EXPECT_EQ(error > kGoldenTolerance, key == name) << key << " with wrong " << name;
    }
    json changed = original;
    add(changed["h_final"][0][0][0], 1e-11);
    EXPECT_FALSE(check_golden(changed.dump(), "changed").pass);
    changed = original;
    json& output = changed["batches"][0]["map_output_before"][1][0];
    output = -output.get<int>();
    EXPECT_FALSE(check_golden(changed.dump(), "changed").pass);
    changed = original;
    add(changed["evidence"], 1e-9);
    EXPECT_GT(check_golden(changed.dump(), "changed").max_abs_error.at("h"), kGoldenTolerance);
}

TEST(GoldenBatches, NumbersBeyondDoubleFailAsNumbers) {
    json changed = read("dense_online");
    changed["batches"][0]["X"][0][0] = 1e300;
    const auto report = check_golden(changed.dump(), "changed");
    EXPECT_FALSE(report.pass);
    for (const auto& [name, error] : report.max_abs_error)
        EXPECT_TRUE(std::isfinite(error)) << name;
}

TEST(GoldenBatches, RefusesWrongShapes) {
    const json original = read("dense_then_tree");
    const std::pair<const char*, std::function<void(json&)>> cases[] = {
        {"no batches", [](json& f) { f["batches"] = json::array(); }},
        {"batches are no list", [](json& f) { f["batches"] = 3; }},
        {"a batch is no object", [](json& f) { f["batches"][1] = json::array(); }},
        {"evidence is a word", [](json& f) { f["evidence"] = "much"; }},
        {"width 0", [](json& f) { f["widths"][1] = 0; }},
        {"negative width", [](json& f) { f["widths"][1] = -6; }},
        {"fractional width", [](json& f) { f["widths"][1] = 6.5; }},
        {"another width", [](json& f) { f["widths"][2] = 5; }},
        {"a width too many", [](json& f) { f["widths"].push_back(1); }},
        {"huge widths",
         [](json& f) {
             f["widths"] = {1ull << 32, 1ull << 32, 1ull << 32, 2};
         }},
        {"widths are a number", [](json& f) { f["widths"] = 5; }},
        {"fan_in without the constant", [](json& f) { f["fan_in"][1] = 6; }},
        {"fan_in 0", [](json& f) { f["fan_in"][2] = 0; }},
        {"another fan_in of the tree", [](json& f) { f["fan_in"][2] = 2; }},
        {"no layers", [](json& f) { f["fan_in"] = json::array(); }},
        {"unknown connectivity", [](json& f) { f["connectivity"][1] = "ring"; }},
        {"tree for dense", [](json& f) { f["connectivity"][1] = "tree"; }},
        {"dense for tree", [](json& f) { f["connectivity"][2] = "dense"; }},
        {"connectivity too short", [](json& f) { f["connectivity"].erase(2); }},
        {"no constant", [](json& f) { f["constant_input"][1] = false; }},
        {"a constant in layer 1", [](json& f) { f["constant_input"][0] = true; }},
        {"a constant in the tree", [](json& f) { f["constant_input"][2] = true; }},
        {"constant is a number", [](json& f) { f["constant_input"][1] = 1; }},
        {"h0 too short", [](json& f) { f["h0"].erase(2); }},
        {"h0 row too long", [](json& f) { f["h0"][1][5].push_back(0); }},
        {"h0 row missing", [](json& f) { f["h0"][1].erase(5); }},
        {"h0 with a null", [](json& f) { f["h0"][1][5][0] = nullptr; }},
        {"X row too short", [](json& f) { f["batches"][0]["X"][1].erase(0); }},
        {"X with a row more", [](json& f) { f["batches"][0]["X"].push_back({1, 1, 1, 1, 1}); }},
        {"X is a word", [](json& f) { f["batches"][0]["X"] = "X"; }},
        {"Y row too long", [](json& f) { f["batches"][0]["Y"][1].push_back(1); }},
        {"Y of 0", [](json& f) { f["batches"][0]["Y"][1][0] = 0; }},
        {"mu without a layer", [](json& f) { f["batches"][0]["mu"][0].erase(0); }},
        {"e with a layer more", [](json& f) { f["batches"][0]["e"][0].push_back({1, 1}); }},
        {"d with a neuron more", [](json& f) { f["batches"][0]["d"][0][2].push_back(1); }},
        {"gradient without a row", [](json& f) { f["batches"][0]["gradient"][0].erase(0); }},
        {"h is flat", [](json& f) { f["batches"][0]["h"] = {1, 2, 3}; }},
        {"h_final without a layer", [](json& f) { f["h_final"].erase(0); }},
        {"log_likelihood is a list", [](json& f) { f["batches"][0]["log_likelihood"] = {1}; }},
        {"layer 1 a tree", [](json& f) {
             f = R"({"widths":[6,3],"fan_in":[2],"connectivity":["tree"],"constant_input":[false],
                     "evidence":1,"h0":[[[1,1],[1,1],[1,1]]],"batches":[{"X":[],"Y":[],
                     "map_output_before":[],"mu":[],"sigma2":[],"nu":[],"d":[],"e":[],
                     "gradient":[[[0,0],[0,0],[0,0]]],"h":[[[1,1],[1,1],[1,1]]]}]})"_json;
         }}};
    const auto refused = [&](const std::string& what, const json& file) {
        try {
            check_golden(file.dump(), "FILE");
            ADD_FAILURE() << what;
        } catch (const Error& error) {
            EXPECT_EQ(error.code(), ErrorCode::kData) << what;
            EXPECT_EQ(std::string(error.what()).rfind("FILE: ", 0), 0u) << error.what();
        }
    };
    for (const auto& [what, change] : cases) {
        json changed = original;
        change(changed);
        refused(what, changed);
    }
    for (const char* key :
         {"widths", "fan_in", "connectivity", "constant_input", "evidence", "h0", "batches"}) {
        json changed = original;
        changed.erase(key);
        refused(key, changed);
    }
    for (const char* key :
         {"X", "Y", "map_output_before", "mu", "sigma2", "nu", "d", "e", "gradient", "h"}) {
        json changed = original;
        changed["batches"][2].erase(key);
        refused(key, changed);
    }
}

TEST(GoldenBatches, LogLikelihoodAndFinalStateMayBeMissing) {
    json file = read("dense_then_tree");
    file.erase("h_final");
    for (json& batch : file["batches"]) batch.erase("log_likelihood");
    const auto report = check_golden(file.dump(), "FILE");
    EXPECT_TRUE(report.pass);
    EXPECT_EQ(report.max_abs_error.count("log_likelihood"), 0u);
}

}  // namespace
}  // namespace bitbayes::golden

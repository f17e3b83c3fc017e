// Committees of packed formats 1 and 2 always load, and vote as they did. tests/packed/old: networks of
//   bitbayes train tests/model/old/rows.csv --tree 3 --epochs 1 -o MODEL    (format 2: --dense 8)
//   bitbayes pack MODEL --ensemble 4 -o NETWORK
// by the last build whose committees voted, and what its `predict` wrote for the same rows.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>

#include "../base/temp_folder.hpp"
#include "bitbayes/packed_network.hpp"
#include "bitbayes/read.hpp"
#include "packed/packed_file.hpp"

namespace bitbayes::packed {
namespace {

std::string line_of(const bitbayes::Answer& answer, const std::vector<std::string>& class_names) {
    return fmt::format("{},,{},{},{:d}", class_names[answer.class_index], answer.validity,
                       answer.margin, answer.known);
}

TEST(OldPackedFiles, CommitteesVoteAsTheyDid) {
    const Dataset rows = load_dataset(BITBAYES_TESTS "/model/old/rows.csv");
    for (const std::string name : {"v1-votes", "v2-votes"}) {
        SCOPED_TRACE(name);
        const std::string path = BITBAYES_TESTS "/packed/old/" + name;
        const auto network = PackedNetwork::load(path + ".network");
        EXPECT_EQ(network.to_bytes(), test::slurp(path + ".network")) << "saved again";
        Network adding = network.network();
        adding.adds_scores = true;
        std::ifstream file(path + ".csv");
        std::string line;
        std::getline(file, line);  // header
        const auto answers = network.predict(rows), sums = PackedNetwork(adding).predict(rows);
        std::size_t differ = 0;
        for (std::size_t r = 0; r < answers.size(); ++r) {
            ASSERT_TRUE(std::getline(file, line));
            EXPECT_EQ(line_of(answers[r], network.class_names()), line);
            differ += answers[r].class_index != sums[r].class_index;
        }
        EXPECT_FALSE(std::getline(file, line));
        EXPECT_GT(differ, 0u) << "adding answers some rows differently";
    }
}

}  // namespace
}  // namespace bitbayes::packed

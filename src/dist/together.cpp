#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>

#include "bitbayes/types/error.hpp"
#include "dist/collectives.hpp"

namespace bitbayes::dist {
namespace {

struct Failure {
    std::uint64_t code = 0;  // 0: none
    std::uint64_t bytes = 0;
};

/// Throws the Error of the first rank that has one.
[[noreturn]] void throw_first(Communicator& ranks, const std::optional<Error>& mine) {
    std::vector<Failure> failures(ranks.size());
    std::string text = mine ? mine->what() : "";
    if (mine) failures[ranks.rank()] = {static_cast<std::uint64_t>(mine->code()), text.size()};
    gather_shares(ranks, std::span(failures), failures.size());
    std::size_t first = 0;
    while (failures[first].code == 0) ++first;
    if (ranks.rank() != first) text.clear();
    text.resize(failures[first].bytes);
    std::vector<std::size_t> sizes(ranks.size(), 0);
    sizes[first] = text.size();
    ranks.gather(std::as_writable_bytes(std::span(text)), sizes);
    const bool all = std::all_of(failures.begin(), failures.end(),
                                 [](const Failure& each) { return each.code != 0; });
    if (!all && first > 0) text = fmt::format("rank {} of {}: {}", first, ranks.size(), text);
    throw Error(static_cast<ErrorCode>(failures[first].code), text);
}

}  // namespace

void together(Communicator& ranks, const std::function<void()>& work) {
    if (!ranks.several()) return work();
    std::optional<Error> mine;
    try {
        work();
    } catch (const Error& error) {
        mine = error;
    }
    if (ranks.any(mine.has_value())) throw_first(ranks, mine);
}

}  // namespace bitbayes::dist

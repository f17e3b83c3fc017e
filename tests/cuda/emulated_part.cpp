// The emulated card as a CUDA part: a program that finds it beside itself has a card. Variables of the environment make it fail.
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>

#include "bitbayes/types/error.hpp"
#include "cuda/card_functions.hpp"
#include "cuda/emulated_card.hpp"

namespace bitbayes::cuda {
namespace {

thread_local std::string message;

std::size_t setting(const char* name, std::size_t otherwise) {
    const char* text = std::getenv(name);
    return text == nullptr ? otherwise : std::stoul(text);
}

template <class Call>
const char* told(const Call& call) {
    try {
        call();
        return nullptr;
    } catch (const Error& error) {
        message = error.what();
        return message.c_str();
    }
}

Card& card_of(void* card) { return *static_cast<Card*>(card); }

const char* count(unsigned* cards) {
    *cards = 2;
    return nullptr;
}
/// EMULATED_CARD_LESSONS: how many it takes before it is lost.
std::atomic<std::size_t> lessons_taken = 0;
bool lost() { return lessons_taken > setting("EMULATED_CARD_LESSONS", ~std::size_t{0}); }

/// EMULATED_CARD_LOG: a file that is told which card was opened.
const char* open(unsigned number, CardFacts* facts, void** card) {
    if (number > 1) return "there are 2 CUDA devices, the first is number 0";
    if (lost()) return "setting up the CUDA device: unspecified launch failure";
    if (const char* log = std::getenv("EMULATED_CARD_LOG"))
        std::ofstream(log, std::ios::app) << number << '\n';
    const CardLimits limits{
        "emulated", 4,        64, 64 << 10, setting("EMULATED_CARD_MEMORY", std::size_t{1} << 30),
        64,         20 << 10, 32};
    std::snprintf(facts->name, sizeof facts->name, "%s", limits.name.c_str());
    facts->multiprocessors = limits.multiprocessors;
    facts->threads_per_block = limits.threads_per_block;
    facts->shared_bytes_per_block = limits.shared_bytes_per_block;
    facts->memory_bytes = limits.memory_bytes;
    facts->threads_of_two_blocks = limits.threads_of_two_blocks;
    facts->half_shared_bytes = limits.half_shared_bytes;
    facts->block_rows = limits.block_rows;
    *card = emulated_card(limits).release();
    return nullptr;
}
void close(void* card) { delete &card_of(card); }

const char* allocate(void* card, std::size_t bytes, void** memory) {
    return told([&] { *memory = card_of(card).allocate(bytes); });
}
void release(void* card, void* memory) { card_of(card).release(memory); }
const char* upload(void* card, void* to, const void* from, std::size_t bytes) {
    return told([&] { card_of(card).upload(to, from, bytes); });
}
const char* download(void* card, void* to, const void* from, std::size_t bytes) {
    return told([&] { card_of(card).download(to, from, bytes); });
}

const char* prepare(void* card, const InputWork* work) {
    return told([&] { card_of(card).prepare(*work); });
}

const char* learn(void* card, const TreeLessons* lessons) {
    lessons_taken += lessons->count;
    if (lost()) return "working on the card: unspecified launch failure";
    return told([&] { card_of(card).learn(*lessons); });
}
const char* blocks_at_once(void* card, const TreeLesson* lesson, std::uint32_t* blocks) {
    return told([&] { *blocks = card_of(card).blocks_at_once(*lesson); });
}
const char* answer(void* card, const TreeQuestion* question) {
    return told([&] { card_of(card).answer(*question); });
}
const char* refresh(void* card, const Trees* trees) {
    return told([&] { card_of(card).refresh(*trees); });
}
const char* all_finite(void* card, const float* values, std::size_t count, bool* all) {
    return told([&] { *all = card_of(card).all_finite(values, count); });
}
const char* compute(void* card, std::uint32_t rounds, double* count) {
    return told([&] { *count = card_of(card).compute(rounds); });
}
const char* run(void* card, const DenseWork* work, const DenseGrid* grid) {
    return told([&] { card_of(card).run(*work, *grid); });
}
const char* add_up(void* card, const PackedWork* work) {
    return told([&] { card_of(card).add_up(*work); });
}

}  // namespace
}  // namespace bitbayes::cuda

extern "C" __attribute__((visibility("default"))) const bitbayes::cuda::CardFunctions*
bitbayes_cuda() {
    using namespace bitbayes::cuda;
    static constexpr CardFunctions functions{kCardFunctionsVersion,
                                             count,
                                             open,
                                             close,
                                             allocate,
                                             release,
                                             upload,
                                             download,
                                             prepare,
                                             learn,
                                             blocks_at_once,
                                             answer,
                                             refresh,
                                             all_finite,
                                             compute,
                                             run,
                                             add_up};
    return &functions;
}

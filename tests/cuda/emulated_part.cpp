// The emulated card as a CUDA part: a program that finds it beside itself has a card. Variables of the environment make it fail.
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <memory>
#include <mutex>
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

/// All that programs see as one card has the same memory: EMULATED_CARD_MEMORY bytes.
class SharedMemory {
  public:
    std::size_t free() {
        const std::lock_guard lock(mutex_);
        return size_ - taken_;
    }
    void take(std::size_t bytes) {
        const std::lock_guard lock(mutex_);
        if (bytes > size_ - taken_)
            throw Error(ErrorCode::kUnavailable, "the card's memory is full");
        taken_ += bytes;
    }
    void give_back(std::size_t bytes) {
        const std::lock_guard lock(mutex_);
        taken_ -= bytes;
    }

  private:
    const std::size_t size_ = setting("EMULATED_CARD_MEMORY", std::size_t{1} << 30);
    std::mutex mutex_;
    std::size_t taken_ = 0;
};
SharedMemory shared_memory[2];

struct Opened {
    std::unique_ptr<Card> card;
    SharedMemory& memory;
    std::map<void*, std::size_t> bytes;
};
Opened& opened(void* card) { return *static_cast<Opened*>(card); }
Card& card_of(void* card) { return *opened(card).card; }

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
    const CardLimits limits{"emulated", 4,        64, 64 << 10, shared_memory[number].free(),
                            64,         20 << 10, 32};
    std::snprintf(facts->name, sizeof facts->name, "%s", limits.name.c_str());
    facts->multiprocessors = limits.multiprocessors;
    facts->threads_per_block = limits.threads_per_block;
    facts->shared_bytes_per_block = limits.shared_bytes_per_block;
    facts->memory_bytes = limits.memory_bytes;
    facts->threads_of_two_blocks = limits.threads_of_two_blocks;
    facts->half_shared_bytes = limits.half_shared_bytes;
    facts->block_rows = limits.block_rows;
    *card = new Opened{emulated_card(limits), shared_memory[number], {}};
    return nullptr;
}
void close(void* card) { delete &opened(card); }

const char* allocate(void* card, std::size_t bytes, void** memory) {
    return told([&] {
        opened(card).memory.take(bytes);
        *memory = card_of(card).allocate(bytes);
        opened(card).bytes[*memory] = bytes;
    });
}
void release(void* card, void* memory) {
    card_of(card).release(memory);
    opened(card).memory.give_back(opened(card).bytes.extract(memory).mapped());
}
const char* upload(void* card, void* to, const void* from, std::size_t bytes) {
    return told([&] { card_of(card).upload(to, from, bytes); });
}
const char* download(void* card, void* to, const void* from, std::size_t bytes) {
    return told([&] { card_of(card).download(to, from, bytes); });
}

const char* prepare(void* card, const InputWork* work) {
    return told([&] { card_of(card).prepare(*work); });
}

/// EMULATED_CARD_GROUPS: a file that is told how many lessons ran together.
const char* learn(void* card, const TreeLessons* lessons) {
    if (const char* log = std::getenv("EMULATED_CARD_GROUPS"))
        std::ofstream(log, std::ios::app) << lessons->count << '\n';
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

// The CUDA part of the library as a Card.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <mutex>

#include "base/part.hpp"
#include "base/text.hpp"
#include "bitbayes/types/error.hpp"
#include "cuda/card.hpp"
#include "cuda/card_functions.hpp"

namespace bitbayes::cuda {
namespace {

constexpr Part kPart{"libbitbayes_cuda.so", "CUDA part", false};

/// Null if there are none, and `why` says why.
const CardFunctions* functions(std::string& why) {
    void* symbol = load_part(kPart, kCardFunctionsName, why);
    if (symbol == nullptr) return nullptr;
    const auto* found = reinterpret_cast<const CardFunctions* (*)()>(symbol)();
    if (found->version == kCardFunctionsVersion) return found;
    why = fmt::format("{} is of another build", kPart.file);
    return nullptr;
}

[[noreturn]] void unavailable(const std::string& why) {
    throw Error(ErrorCode::kUnavailable, "backend cuda: " + why,
                "`backend` auto runs on the CPU, with the same results");
}

unsigned count_cards() {
    std::string why;
    const CardFunctions* found = functions(why);
    if (found == nullptr) unavailable(why);
    unsigned cards = 0;
    if (const char* problem = found->count(&cards)) unavailable(problem);
    return std::max(1u, cards);
}

/// One for each card of this machine.
LessonQueue& queue_of(unsigned number) {
    static std::mutex mutex;
    static std::map<unsigned, LessonQueue> queues;
    const std::lock_guard lock(mutex);
    return queues[number];
}

class LoadedCard : public Card {
  public:
    explicit LoadedCard(unsigned number) : queue_(queue_of(number)) {
        std::string why;
        functions_ = functions(why);
        if (functions_ == nullptr) unavailable(why);
        CardFacts facts{};
        check(functions_->open(number, &facts, &card_));
        limits_ = {facts.name,
                   facts.multiprocessors,
                   facts.threads_per_block,
                   facts.shared_bytes_per_block,
                   facts.memory_bytes,
                   facts.threads_of_two_blocks,
                   facts.half_shared_bytes,
                   facts.block_rows};
    }
    ~LoadedCard() override { functions_->close(card_); }
    LoadedCard(const LoadedCard&) = delete;
    LoadedCard& operator=(const LoadedCard&) = delete;

    const CardLimits& limits() const override { return limits_; }
    void* allocate(std::size_t bytes) override {
        void* memory = nullptr;
        check(functions_->allocate(card_, bytes, &memory));
        return memory;
    }
    void release(void* memory) override { functions_->release(card_, memory); }
    void upload(void* to, const void* from, std::size_t bytes) override {
        check(functions_->upload(card_, to, from, bytes));
    }
    void download(void* to, const void* from, std::size_t bytes) override {
        check(functions_->download(card_, to, from, bytes));
    }
    void prepare(const InputWork& work) override { check(functions_->prepare(card_, &work)); }
    void learn(const TreeLessons& lessons) override { check(functions_->learn(card_, &lessons)); }
    std::uint32_t blocks_at_once(const TreeLesson& lesson) override {
        std::uint32_t blocks = 0;
        check(functions_->blocks_at_once(card_, &lesson, &blocks));
        return blocks;
    }
    LessonQueue& queue() override { return queue_; }
    void answer(const TreeQuestion& question) override {
        check(functions_->answer(card_, &question));
    }
    void refresh(const Trees& trees) override { check(functions_->refresh(card_, &trees)); }
    bool all_finite(const float* values, std::size_t count) override {
        bool all = true;
        check(functions_->all_finite(card_, values, count, &all));
        return all;
    }
    double compute(std::uint32_t rounds) override {
        double count = 0;
        check(functions_->compute(card_, rounds, &count));
        return count;
    }
    void run(const DenseWork& work, const DenseGrid& grid) override {
        check(functions_->run(card_, &work, &grid));
    }
    void add_up(const PackedWork& work) override { check(functions_->add_up(card_, &work)); }

  private:
    static void check(const char* problem) {
        if (problem != nullptr) unavailable(problem);
    }

    LessonQueue& queue_;
    const CardFunctions* functions_ = nullptr;
    void* card_ = nullptr;
    CardLimits limits_;
};

}  // namespace

std::optional<unsigned> card_number(const std::string& backend) {
    if (backend == "cuda") return 0;
    if (!backend.starts_with("cuda:")) return std::nullopt;
    const auto number = parse_integer(std::string_view(backend).substr(5));
    if (number && *number >= 0 && *number < 1024) {
        return static_cast<unsigned>(*number);
    }
    throw Error(ErrorCode::kUsage, fmt::format("'{}' names no CUDA device", backend),
                "cuda, or cuda:1 for the second");
}

std::unique_ptr<Card> open_card(unsigned number) { return std::make_unique<LoadedCard>(number); }

std::unique_ptr<Card> open_card(const std::string& backend, std::size_t rank_on_machine) {
    unsigned number = card_number(backend).value_or(0);
    if (backend == "cuda" && rank_on_machine > 0)
        number = static_cast<unsigned>(rank_on_machine % count_cards());
    return open_card(number);
}

CardState state_of_card() {
    std::string why;
    const CardFunctions* found = functions(why);
    if (found == nullptr) return {false, why};
    CardFacts facts{};
    void* card = nullptr;
    if (const char* problem = found->open(0, &facts, &card)) return {false, problem};
    found->close(card);
    return {true, fmt::format("{}, {} multiprocessors", facts.name, facts.multiprocessors)};
}

bool may_have_card() { return has_part(kPart.file) && std::filesystem::exists("/dev/nvidiactl"); }

}  // namespace bitbayes::cuda

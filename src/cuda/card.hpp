// A card, seen from the host: memory, and the few things that it does with networks. The CUDA part implements it for real cards
// (card.cu and the .cu files beside it), tests/cuda on the host.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include "cuda/dense.hpp"
#include "cuda/inputs.hpp"
#include "cuda/lesson_queue.hpp"
#include "cuda/packed.hpp"
#include "cuda/trees.hpp"

namespace bitbayes::cuda {

struct CardLimits {
    std::string name;
    std::uint32_t multiprocessors = 0;
    std::uint32_t threads_per_block = 0;  // that the kernels may use
    std::size_t shared_bytes_per_block = 0;
    std::size_t memory_bytes = 0;  // free
    /// Of each of two blocks on the same multiprocessor, or of each side of one.
    std::uint32_t threads_of_two_blocks = 0;
    std::size_t half_shared_bytes = 0;
    std::size_t block_rows = 2048;  // that make a call worth its time
};

/// Failures are Errors: kUnavailable where memory or the card itself is missing.
class Card {
  public:
    virtual ~Card() = default;

    virtual const CardLimits& limits() const = 0;
    /// Zeroed memory of the card.
    virtual void* allocate(std::size_t bytes) = 0;
    virtual void release(void* memory) = 0;
    virtual void upload(void* to, const void* from, std::size_t bytes) = 0;
    virtual void download(void* to, const void* from, std::size_t bytes) = 0;

    virtual void prepare(const InputWork& work) = 0;
    virtual void learn(const TreeLessons& lessons) = 0;
    /// Blocks of threads of such a lesson that run at the same time.
    virtual std::uint32_t blocks_at_once(const TreeLesson& lesson) = 0;
    /// Where lessons wait for this card, those of all its learners.
    virtual LessonQueue& queue() = 0;
    virtual void answer(const TreeQuestion& question) = 0;
    /// w = tanh h of layer 1.
    virtual void refresh(const Trees& trees) = 0;
    virtual bool all_finite(const float* values, std::size_t count) = 0;
    /// Computes so many rounds of chains of FMA on the whole card; returns how many FMA those were.
    virtual double compute(std::uint32_t rounds) = 0;
    /// May return before it is done; what fails is told by a later call.
    virtual void run(const DenseWork& work, const DenseGrid& grid) = 0;
    /// A layer of a packed network. May return before it is done, too.
    virtual void add_up(const PackedWork& work) = 0;
};

/// The number in "cuda" (0) or "cuda:N"; unset for other backends, Error(kUsage) for "cuda:x".
std::optional<unsigned> card_number(const std::string& backend);

/// Error(kUnavailable) with the reason where there is no such card, or no CUDA part.
std::unique_ptr<Card> open_card(unsigned number);
/// For one of several ranks on this machine: "cuda" gives each the next card, and begins again behind the last.
std::unique_ptr<Card> open_card(const std::string& backend, std::size_t rank_on_machine);

struct CardState {
    bool available = false;
    std::string reason;  // why not, or what it is
};
/// Of the first card.
CardState state_of_card();
/// Whether a card may be there, without waking it up.
bool may_have_card();

}  // namespace bitbayes::cuda

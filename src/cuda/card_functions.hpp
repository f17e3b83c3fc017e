// What the CUDA part of the library, a file of its own that is loaded when it is asked for, offers: functions on plain structures. Those
// that return text return null if all went well, and else what went wrong, until the next call.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cuda/dense.hpp"
#include "cuda/inputs.hpp"
#include "cuda/packed.hpp"
#include "cuda/trees.hpp"

namespace bitbayes::cuda {

/// Of this list; the file of another build has another one.
inline constexpr std::uint32_t kCardFunctionsVersion = 12;
inline constexpr const char* kCardFunctionsName = "bitbayes_cuda";

struct CardFacts {
    char name[256];
    std::uint32_t multiprocessors, threads_per_block, threads_of_two_blocks;
    std::size_t shared_bytes_per_block, memory_bytes, half_shared_bytes, block_rows;
};

struct CardFunctions {
    std::uint32_t version;
    const char* (*count)(unsigned* cards);  // of this machine
    const char* (*open)(unsigned number, CardFacts* facts, void** card);
    void (*close)(void* card);
    const char* (*allocate)(void* card, std::size_t bytes, void** memory);  // zeroed
    void (*release)(void* card, void* memory);
    const char* (*upload)(void* card, void* to, const void* from, std::size_t bytes);
    const char* (*download)(void* card, void* to, const void* from, std::size_t bytes);
    const char* (*prepare)(void* card, const InputWork* work);
    const char* (*learn)(void* card, const TreeLessons* lessons);
    const char* (*blocks_at_once)(void* card, const TreeLesson* lesson, std::uint32_t* blocks);
    const char* (*answer)(void* card, const TreeQuestion* question);
    const char* (*refresh)(void* card, const Trees* trees);
    const char* (*all_finite)(void* card, const float* values, std::size_t count, bool* all);
    const char* (*compute)(void* card, std::uint32_t rounds, double* count);
    const char* (*run)(void* card, const DenseWork* work, const DenseGrid* grid);  // may not wait
    const char* (*add_up)(void* card, const PackedWork* work);                     // may not wait
};

}  // namespace bitbayes::cuda

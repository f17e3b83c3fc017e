// A CUDA part that breaks a real card in the middle of a run (scripts/test_gpu.sh): it forwards to the part in the folder above its own. After
// BREAK_CARD_AFTER lessons it has the card read where no memory is; from then on CUDA refuses whatever this process asks for.
#include <dlfcn.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "cuda/card_functions.hpp"

namespace bitbayes::cuda {
namespace {

const CardFunctions* whole_part() {
    Dl_info own{};
    ::dladdr(reinterpret_cast<const void*>(&whole_part), &own);
    const auto folder = std::filesystem::canonical(own.dli_fname).parent_path().parent_path();
    void* library = ::dlopen((folder / "libbitbayes_cuda.so").c_str(), RTLD_NOW | RTLD_LOCAL);
    void* symbol = library == nullptr ? nullptr : ::dlsym(library, kCardFunctionsName);
    if (symbol == nullptr) {
        std::fprintf(stderr, "no CUDA part above the broken one: %s\n", ::dlerror());
        std::abort();
    }
    return reinterpret_cast<const CardFunctions* (*)()>(symbol)();
}
const CardFunctions& whole() {
    static const CardFunctions* const part = whole_part();
    return *part;
}

const char* learn(void* card, const TreeLessons* lessons) {
    static const long limit = std::atol(std::getenv("BREAK_CARD_AFTER"));
    static std::atomic<long> lessons_taken = 0;
    if (++lessons_taken > limit) {
        Trees nowhere;
        nowhere.depth = nowhere.count = 1;
        nowhere.layer[0] = {1, 1, kGroup};
        nowhere.h[0] = nowhere.w[0] = reinterpret_cast<float*>(std::uintptr_t{64});
        whole().refresh(card, &nowhere);
    }
    return whole().learn(card, lessons);
}

}  // namespace
}  // namespace bitbayes::cuda

extern "C" __attribute__((visibility("default"))) const bitbayes::cuda::CardFunctions*
bitbayes_cuda() {
    using namespace bitbayes::cuda;
    static const CardFunctions functions = [] {
        CardFunctions most = whole();
        most.learn = learn;
        return most;
    }();
    return &functions;
}

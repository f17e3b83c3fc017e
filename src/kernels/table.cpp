#include "kernels/table.hpp"

#include <cstdlib>

#include "bitbayes/types/error.hpp"

namespace bitbayes::kernels {

namespace {

constexpr const char* kSimdLevels[] = {"avx512", "avx2", "neon"};

const KernelTable& level(const std::string& name) {
    if (name == "scalar") return scalar();
    for (const KernelTable* table : simd_levels()) {
        if (name == table->name) return *table;
    }
    throw Error(ErrorCode::kUnavailable, "BITBAYES_SIMD=" + name + " cannot run here",
                "unset it, then bitbayes backends shows what runs");
}

}  // namespace

const KernelTable& best() {
    static const KernelTable& chosen = []() -> const KernelTable& {
        const char* forced = std::getenv("BITBAYES_SIMD");
        if (forced != nullptr && *forced != '\0') return level(forced);
        const auto levels = simd_levels();
        return levels.empty() ? scalar() : *levels.front();
    }();
    return chosen;
}

const KernelTable& by_name(const std::string& backend) {
    if (backend == "scalar") return scalar();
    if (backend == "auto") return best();
    if (backend != "simd") {
        throw Error(ErrorCode::kUsage, "unknown backend '" + backend + "'",
                    "auto, scalar, simd or cuda");
    }
    if (simd_levels().empty()) {
        throw Error(ErrorCode::kUnavailable, "no SIMD level with FMA runs on this machine",
                    "`backend` scalar");
    }
    return &best() == &scalar() ? *simd_levels().front() : best();
}

std::vector<BackendInfo> backends() {
    std::vector<BackendInfo> list;
    for (const char* name : kSimdLevels) {
        bool runs = false;
        for (const KernelTable* table : simd_levels()) runs |= table->name == std::string(name);
        list.push_back({std::string("simd ") + name, runs,
                        runs ? "runs here" : "this processor does not have it"});
    }
    list.push_back({"scalar", true, "plain loops, the same bits"});
    return list;
}

}  // namespace bitbayes::kernels

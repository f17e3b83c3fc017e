#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "bitbayes/types/error.hpp"
#include "dist/communicator.hpp"

namespace bitbayes::dist {
namespace {

namespace fs = std::filesystem;

/// How many processes a launcher says it has started, 0 if it does not say; unset without a launcher.
std::optional<std::size_t> started_together() {
    for (const char* name :
         {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"}) {  // mpirun; MPICH's, Slurm's PMI-2
        const char* value = std::getenv(name);
        if (value == nullptr) continue;
        const auto number = parse_number(value);
        return number && *number >= 1 ? static_cast<std::size_t>(*number) : 0;
    }
    if (std::getenv("PMIX_RANK") != nullptr) return 0;  // srun --mpi=pmix
    return std::nullopt;
}

/// Beside the program, as built, or where it is installed.
std::vector<fs::path> places() {
    std::error_code error;
    const fs::path folder = fs::read_symlink("/proc/self/exe", error).parent_path();
    return {folder / BITBAYES_MPI_FILE, folder / BITBAYES_MPI_FROM_PROGRAM / BITBAYES_MPI_FILE};
}

using Ranks = Communicator* (*)();

Communicator& load() {
    std::string why = "this build or installation has no MPI part";
    for (const fs::path& place : places()) {
        std::error_code error;
        if (!fs::exists(place, error)) continue;
        // Global: Open MPI's own components look for its symbols there.
        void* library = ::dlopen(place.c_str(), RTLD_NOW | RTLD_GLOBAL);
        if (library != nullptr) {
            if (void* symbol = ::dlsym(library, "bitbayes_mpi_ranks")) {
                return *reinterpret_cast<Ranks>(symbol)();
            }
        }
        why = fmt::format("the MPI part does not load: {}", ::dlerror());
        break;
    }
    throw Error(ErrorCode::kUnavailable, fmt::format("started by mpirun, but {}", why),
                "install Open MPI (libopenmpi-dev) and build again, or run without mpirun");
}

}  // namespace

Communicator& join() {
    const auto started = started_together();
    if (!started || *started == 1) return alone();
    Communicator& ranks = load();
    if (*started > 1 && ranks.size() != *started) {
        throw Error(ErrorCode::kUnavailable,
                    fmt::format("{} processes were started together, but MPI sees {}", *started,
                                ranks.size()),
                    "start them with the mpirun of the MPI that bitbayes was built with");
    }
    return ranks;
}

}  // namespace bitbayes::dist

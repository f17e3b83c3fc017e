#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

#include "base/part.hpp"
#include "base/text.hpp"
#include "bitbayes/types/error.hpp"
#include "dist/alone.hpp"
#include "dist/communicator.hpp"

namespace bitbayes::dist {
namespace {

/// The whole number in an environment variable; unset without it, 0 if it is none.
std::optional<std::size_t> environment(const char* name) {
    const char* value = std::getenv(name);
    if (value == nullptr) return std::nullopt;
    const auto number = parse_number(value);
    return number && *number >= 1 ? static_cast<std::size_t>(*number) : 0;
}

/// Tasks of the srun that started this one.
constexpr const char* kStepTasks = "SLURM_STEP_NUM_TASKS";

/// srun --mpi=pmix. A site may have it as the default, so that single tasks and interactive shells
/// have these variables too.
bool started_by_srun_pmix() {
    const char* name = std::getenv("PMIX_NAMESPACE");
    return name != nullptr && std::string_view(name).starts_with("slurm.");
}

/// How many processes a launcher says it has started, 0 if it does not say; unset without a launcher.
/// mpirun goes first: within a job it starts its daemons by srun, whose variables its ranks inherit.
std::optional<std::size_t> started_together() {
    for (const char* name :
         {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"}) {  // mpirun; MPICH's, Slurm's PMI-2
        if (const auto number = environment(name)) return number;
    }
    if (started_by_srun_pmix()) return environment(kStepTasks).value_or(0);
    if (std::getenv("PMIX_RANK") != nullptr) return 0;
    return std::nullopt;
}

// Global: Open MPI's own components look for its symbols there.
constexpr Part kPart{"libbitbayes_mpi.so", "MPI part", true};

Communicator& load() {
    std::string why;
    void* symbol = load_part(kPart, "bitbayes_mpi_ranks", why);
    if (symbol != nullptr) return *reinterpret_cast<Communicator* (*)()>(symbol)();
    throw Error(ErrorCode::kUnavailable, fmt::format("started by mpirun or srun, but {}", why),
                "install Open MPI (libopenmpi-dev) and build again, or start one process");
}

}  // namespace

bool has_mpi_part() { return has_part(kPart.file); }

Communicator& join() {
    const auto started = started_together();
    if (!started || *started == 1) return alone();
    Communicator& ranks = load();
    if (*started > 1 && ranks.size() != *started) {
        throw Error(ErrorCode::kUnavailable,
                    fmt::format("{} processes were started together, but MPI sees {}", *started,
                                ranks.size()),
                    "start them with the mpirun of the MPI that bitbayes was built with, or srun "
                    "--mpi=pmix");
    }
    set_place_on_machine(ranks.rank_on_machine());
    return ranks;
}

std::size_t tasks_without_mpi() {
    if (started_together()) return 1;
    return std::max<std::size_t>(1, environment(kStepTasks).value_or(1));
}

}  // namespace bitbayes::dist

#include "terminal/ranks.hpp"

#include <fmt/format.h>

#include <csignal>
#include <cstdlib>

#include "terminal/output.hpp"

namespace bitbayes::cli {

namespace {

dist::Communicator* joined = nullptr;

}  // namespace

void join_ranks() { joined = &dist::join(); }

dist::Communicator& ranks() { return joined != nullptr ? *joined : dist::alone(); }

void note_tasks_without_mpi(const Common& common) {
    const std::size_t tasks = dist::tasks_without_mpi();
    if (tasks == 1) return;
    note(common,
         fmt::format("srun started {} tasks without MPI: each runs this command on its own; "
                     "with srun --mpi=pmix they share the work",
                     tasks));
}

void fail_together(int exit_code, const std::string& text) {
    constexpr double kSeconds = 2;
    dist::Communicator& all = ranks();
    std::signal(SIGTERM, SIG_IGN);  // mpirun sends it when the first rank has ended
    if (all.first()) write_error(text);
    if (all.all_failed(kSeconds)) std::exit(exit_code);
    if (!all.first()) write_error(fmt::format("rank {} of {}: {}", all.rank(), all.size(), text));
    all.abort(exit_code);
    std::_Exit(exit_code);
}

}  // namespace bitbayes::cli

// The processes that run this command together (src/dist).
#pragma once

#include <string>

#include "dist/communicator.hpp"
#include "terminal/common.hpp"

namespace bitbayes::cli {

/// Joins the ranks that were started with this process; called once, by main.
void join_ranks();
/// alone() until then. Rank 0 alone talks: what others write to stdout and stderr goes nowhere, but
/// for errors that they alone have.
dist::Communicator& ranks();

/// Says so if srun started several tasks that all run this command on their own.
void note_tasks_without_mpi(const Common& common);

/// Ends this rank, and if the others are not failing too, all of them: `text` is the error.
[[noreturn]] void fail_together(int exit_code, const std::string& text);

}  // namespace bitbayes::cli

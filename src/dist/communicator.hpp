// Processes that run the same command side by side: the ranks of an MPI job, or one process alone.
// Every call but rank() and size() is made by all ranks, in the same order and by one thread.
#pragma once

#include <cstddef>
#include <span>

namespace bitbayes::dist {

class Communicator {
  public:
    virtual ~Communicator() = default;

    virtual std::size_t rank() const = 0;  // from 0
    virtual std::size_t size() const = 0;
    /// Of this process among the ranks of its machine, also where it works alone().
    virtual std::size_t rank_on_machine() const = 0;
    bool first() const { return rank() == 0; }
    bool several() const { return size() > 1; }

    /// Rank 0's bytes reach every rank.
    virtual void broadcast(std::span<std::byte> bytes) = 0;
    /// `parts` are one part of each rank, rank by rank; sizes[r] bytes are rank r's. Each rank brings
    /// its own part, and has all of them afterwards.
    virtual void gather(std::span<std::byte> parts, std::span<const std::size_t> sizes) = 0;
    /// Bytes of rank `from` reach rank 0; the other ranks need not call it.
    virtual void collect(std::size_t from, std::span<std::byte> bytes) = 0;
    /// True on every rank if it is on any.
    virtual bool any(bool mine) = 0;
    virtual void barrier() = 0;

    /// For a rank that cannot go on: whether all the others have come here too, after at most so many
    /// seconds. Then one message is enough; else the others wait for this rank, and must be stopped.
    virtual bool all_failed(double seconds) = 0;
    /// Stops every rank.
    virtual void abort(int exit_code) = 0;
};

/// One process, rank 0 of 1, whether or not there are others that join() has found.
Communicator& alone();

/// Whether the MPI part of the library is there.
bool has_mpi_part();

/// The processes that were started together with this one by mpirun or srun, or alone(). Loads the MPI
/// part of the library only if there are some. Error(kUnavailable) if it is missing, or if it is of
/// another MPI than the one that started them.
Communicator& join();

/// Tasks of one srun, this one included, that were started without MPI and so do not know each other; 1
/// under every other launcher, or none.
std::size_t tasks_without_mpi();

}  // namespace bitbayes::dist

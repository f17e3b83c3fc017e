// The MPI part: a shared object that join() loads where ranks were started, so that the program
// itself runs on machines without MPI.
#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <thread>
#include <vector>

#include "dist/communicator.hpp"

namespace bitbayes::dist {
namespace {

/// Bytes of one MPI call, whose counts are ints.
constexpr std::size_t kMostBytes = std::size_t{1} << 30;

class Mpi : public Communicator {
  public:
    Mpi() {
        int provided = 0;
        MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &provided);
        MPI_Comm_dup(MPI_COMM_WORLD, &work_);
        MPI_Comm_dup(MPI_COMM_WORLD, &failures_);
        MPI_Comm_rank(work_, &rank_);
        MPI_Comm_size(work_, &size_);
        MPI_Comm machine = MPI_COMM_NULL;
        MPI_Comm_split_type(work_, MPI_COMM_TYPE_SHARED, rank_, MPI_INFO_NULL, &machine);
        MPI_Comm_rank(machine, &rank_on_machine_);
        MPI_Comm_free(&machine);
    }
    ~Mpi() override { MPI_Finalize(); }

    std::size_t rank() const override { return static_cast<std::size_t>(rank_); }
    std::size_t size() const override { return static_cast<std::size_t>(size_); }
    std::size_t rank_on_machine() const override {
        return static_cast<std::size_t>(rank_on_machine_);
    }

    void broadcast(std::span<std::byte> bytes) override {
        in_pieces(bytes,
                  [&](std::byte* data, int count) { MPI_Bcast(data, count, MPI_BYTE, 0, work_); });
    }

    void gather(std::span<std::byte> parts, std::span<const std::size_t> sizes) override {
        std::vector<int> counts, starts;
        std::size_t end = 0;
        for (const std::size_t size : sizes) {
            starts.push_back(static_cast<int>(end));
            counts.push_back(static_cast<int>(size));
            end += size;
        }
        if (end <= kMostBytes) {
            MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_BYTE, parts.data(), counts.data(), starts.data(),
                           MPI_BYTE, work_);
            return;
        }
        std::size_t start = 0;
        for (int r = 0; r < size_; start += sizes[static_cast<std::size_t>(r++)]) {
            const auto part = parts.subspan(start, sizes[static_cast<std::size_t>(r)]);
            in_pieces(part, [&](std::byte* data, int count) {
                MPI_Bcast(data, count, MPI_BYTE, r, work_);
            });
        }
    }

    void collect(std::size_t from, std::span<std::byte> bytes) override {
        constexpr int kTag = 1;
        if (from == 0 || (rank() != 0 && rank() != from)) return;
        in_pieces(bytes, [&](std::byte* data, int count) {
            if (rank() == from) {
                MPI_Send(data, count, MPI_BYTE, 0, kTag, work_);
            } else {
                MPI_Recv(data, count, MPI_BYTE, static_cast<int>(from), kTag, work_,
                         MPI_STATUS_IGNORE);
            }
        });
    }

    bool any(bool mine) override {
        int all = mine ? 1 : 0;
        MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_MAX, work_);
        return all != 0;
    }

    void barrier() override { MPI_Barrier(work_); }

    bool all_failed(double seconds) override {
        using Clock = std::chrono::steady_clock;
        MPI_Request request = MPI_REQUEST_NULL;
        MPI_Ibarrier(failures_, &request);
        const auto end = Clock::now() + std::chrono::duration<double>(seconds);
        int done = 0;
        while (MPI_Test(&request, &done, MPI_STATUS_IGNORE), done == 0 && Clock::now() < end) {
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
        return done != 0;
    }

    void abort(int exit_code) override {
        MPI_Abort(MPI_COMM_WORLD, exit_code);
        std::_Exit(exit_code);
    }

  private:
    template <class Send>
    static void in_pieces(std::span<std::byte> bytes, const Send& send) {
        for (std::size_t at = 0; at < bytes.size(); at += kMostBytes) {
            send(bytes.data() + at, static_cast<int>(std::min(kMostBytes, bytes.size() - at)));
        }
    }

    MPI_Comm work_ = MPI_COMM_NULL, failures_ = MPI_COMM_NULL;
    int rank_ = 0, size_ = 1, rank_on_machine_ = 0;
};

}  // namespace
}  // namespace bitbayes::dist

extern "C" __attribute__((visibility("default"))) bitbayes::dist::Communicator*
bitbayes_mpi_ranks() {
    static bitbayes::dist::Mpi ranks;
    return &ranks;
}

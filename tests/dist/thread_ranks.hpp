// Ranks that are threads of one process, so that tests of shared networks need no MPI and sanitizers
// see everything.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <barrier>
#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "dist/communicator.hpp"

namespace bitbayes::test {

class ThreadRanks {
  public:
    explicit ThreadRanks(std::size_t size)
        : barrier_(static_cast<std::ptrdiff_t>(size)),
          bytes_(size),
          flags_(size),
          thrown_(size),
          parcels_(size) {}

    /// Runs `program` on every rank; whatever one throws is thrown here, rank 0's first.
    void run(const std::function<void(dist::Communicator&)>& program) {
        std::vector<std::thread> threads;
        for (std::size_t rank = 0; rank < bytes_.size(); ++rank) {
            threads.emplace_back([&, rank] {
                Rank own(*this, rank);
                try {
                    program(own);
                } catch (...) {
                    thrown_[rank] = std::current_exception();
                }
            });
        }
        for (std::thread& thread : threads) thread.join();
        for (const auto& each : thrown_) {
            if (each) std::rethrow_exception(each);
        }
    }

    /// How many ranks threw.
    std::size_t failures() const {
        return static_cast<std::size_t>(
            std::count_if(thrown_.begin(), thrown_.end(), [](const auto& each) { return !!each; }));
    }

  private:
    class Rank : public dist::Communicator {
      public:
        Rank(ThreadRanks& all, std::size_t rank) : all_(all), rank_(rank) {}
        std::size_t rank() const override { return rank_; }
        std::size_t size() const override { return all_.bytes_.size(); }
        std::size_t rank_on_machine() const override { return rank_; }
        void broadcast(std::span<std::byte> bytes) override {
            show(bytes);
            const auto from = all_.bytes_[0];
            EXPECT_EQ(from.size(), bytes.size());
            if (rank_ != 0) std::copy(from.begin(), from.end(), bytes.begin());
            all_.barrier_.arrive_and_wait();
        }
        void gather(std::span<std::byte> parts, std::span<const std::size_t> sizes) override {
            show(parts);
            for (std::size_t r = 0, at = 0; r < size(); at += sizes[r++]) {
                EXPECT_EQ(all_.bytes_[r].size(), parts.size());
                if (r == rank_) continue;
                const auto part = all_.bytes_[r].subspan(at, sizes[r]);
                std::copy(part.begin(), part.end(), parts.subspan(at).begin());
            }
            all_.barrier_.arrive_and_wait();
        }
        void collect(std::size_t from, std::span<std::byte> bytes) override {
            if (from == 0 || (rank_ != 0 && rank_ != from)) return;
            std::unique_lock lock(all_.mutex_);
            auto& parcel = all_.parcels_[from];
            all_.changed_.wait(lock, [&] { return parcel.has_value() == (rank_ == 0); });
            if (rank_ == from) {
                parcel.emplace(bytes.begin(), bytes.end());
            } else {
                ASSERT_EQ(parcel->size(), bytes.size());
                std::copy(parcel->begin(), parcel->end(), bytes.begin());
                parcel.reset();
            }
            all_.changed_.notify_all();
        }
        bool any(bool mine) override {
            all_.flags_[rank_] = mine;
            all_.barrier_.arrive_and_wait();
            const bool result = std::count(all_.flags_.begin(), all_.flags_.end(), true) > 0;
            all_.barrier_.arrive_and_wait();
            return result;
        }
        void barrier() override { all_.barrier_.arrive_and_wait(); }
        bool all_failed(double) override { return true; }
        void abort(int) override { std::terminate(); }

      private:
        void show(std::span<std::byte> bytes) {
            all_.bytes_[rank_] = bytes;
            all_.barrier_.arrive_and_wait();
        }
        ThreadRanks& all_;
        std::size_t rank_;
    };

    std::barrier<> barrier_;
    std::vector<std::span<std::byte>> bytes_;  // what each rank shows the others
    std::vector<char> flags_;
    std::vector<std::exception_ptr> thrown_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::vector<std::optional<std::vector<std::byte>>> parcels_;  // of each rank, on the way to 0
};

}  // namespace bitbayes::test

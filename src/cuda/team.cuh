// The threads of a real card, as tree_block-inl.hpp asks for them.
#pragma once

#include <cuda_runtime.h>

#include "cuda/steps.hpp"

namespace bitbayes::cuda {

struct CudaTeam {
    __device__ std::uint32_t thread() const { return threadIdx.x; }
    __device__ std::uint32_t threads() const { return blockDim.x; }
    __device__ std::uint32_t block() const { return blockIdx.x; }
    __device__ void sync() const { __syncthreads(); }
    __device__ void together() const { __syncwarp(group()); }
    template <class Look>
    __device__ void wait(const Look& look) const {
        while (!look()) {
        }
    }

    // Both groups of a warp are here.
    __device__ float total(float x) const {
        BITBAYES_UNROLL
        for (unsigned half = kGroup / 2; half > 0; half /= 2)
            x += __shfl_xor_sync(kWholeWarp, x, half, kGroup);
        return x;
    }
    __device__ void totals(float& x, float& y) const {
        __syncwarp();  // what any of them writes afterwards all have read before
        const bool second = (threadIdx.x & kGroup / 2) != 0;
        float sum = second ? y : x;
        sum += __shfl_xor_sync(kWholeWarp, second ? x : y, kGroup / 2, kGroup);
        BITBAYES_UNROLL
        for (unsigned half = kGroup / 4; half > 0; half /= 2)
            sum += __shfl_xor_sync(kWholeWarp, sum, half, kGroup);
        const float other = __shfl_xor_sync(kWholeWarp, sum, kGroup / 2, kGroup);
        x = second ? other : sum;
        y = second ? sum : other;
    }
    __device__ float smallest(float x) const {
        BITBAYES_UNROLL
        for (unsigned half = kGroup / 2; half > 0; half /= 2)
            x = fminf(x, __shfl_xor_sync(group(), x, half, kGroup));
        return x;
    }
    __device__ void store_word(std::uint64_t* p, std::uint64_t x) const {
        asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(__cvta_generic_to_global(p)),
                     "l"(x)
                     : "memory");
    }
    __device__ std::uint64_t load_word(const std::uint64_t* p) const {
        std::uint64_t x;
        asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];"
                     : "=l"(x)
                     : "l"(__cvta_generic_to_global(p))
                     : "memory");
        return x;
    }

    __device__ void copy_four(float* to, const float* from) const {
#if __CUDA_ARCH__ >= 800
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(
                         static_cast<unsigned>(__cvta_generic_to_shared(to))),
                     "l"(__cvta_generic_to_global(from))
                     : "memory");
#else
        steps::store_four(to, steps::load_four(from));
#endif
    }
    __device__ void commit() const {
#if __CUDA_ARCH__ >= 800
        asm volatile("cp.async.commit_group;" ::: "memory");
#endif
    }
    template <std::size_t kLast>
    __device__ void await() const {
#if __CUDA_ARCH__ >= 800
        asm volatile("cp.async.wait_group %0;" ::"n"(kLast) : "memory");
#endif
    }

    __device__ void finished(RowPart) const {}

    __device__ void prefetch(const void* p) const {
        asm volatile("prefetch.global.L1 [%0];" ::"l"(__cvta_generic_to_global(p)));
    }

    __device__ bool any(bool x) const { return __any_sync(group(), x) != 0; }
    __device__ bool any_of_pair(bool x) const { return __any_sync(kWholeWarp, x) != 0; }

  protected:
    static constexpr unsigned kWholeWarp = ~0u;

  private:
    __device__ unsigned group() const { return 0xffffu << (threadIdx.x & kGroup); }
};

/// A side of a block of two: one computes while the other waits. A thread has 80 registers, so its number is read anew each time: of what
/// follows from it nothing is kept over the loops over weights, and several weights at a time fit.
class SideTeam : public CudaTeam {
  public:
    __device__ SideTeam() : side_(__shfl_sync(kWholeWarp, threadIdx.y, 0)) {}

    __device__ std::uint32_t side() const { return side_; }
    __device__ std::uint32_t thread() const {
        std::uint32_t x;
        asm volatile("mov.u32 %0, %%tid.x;" : "=r"(x));
        return x;
    }
    /// Barrier 0 is that of all threads.
    __device__ void sync() const {
        asm volatile("barrier.cta.sync %0, %1;" ::"r"(1 + side_), "r"(threads()) : "memory");
    }

  private:
    // threadIdx.y: the exchange tells the compiler that it is the same in a whole warp, and what follows from it takes no registers of threads.
    std::uint32_t side_;
};

/// Notes for how long each thread is at each part of its rows, and how much of that it waits.
struct TimedTeam : CudaTeam {
    mutable long long clocks[kRowParts] = {}, waiting = 0;

    __device__ TimedTeam() { before_ = clock64(); }

    __device__ void finished(RowPart part) const {
        const long long now = clock64();
        clocks[static_cast<std::uint32_t>(part)] += now - before_;
        before_ = now;
    }

    __device__ void sync() const {
        const long long start = clock64();
        CudaTeam::sync();
        waiting += clock64() - start;
    }
    template <class Look>
    __device__ void wait(const Look& look) const {
        const long long start = clock64();
        CudaTeam::wait(look);
        waiting += clock64() - start;
    }

  private:
    mutable long long before_;
};

}  // namespace bitbayes::cuda

// The hot loops: Algorithm 1 in float for one tree's part of a layer, as a table of functions.
// Every table computes the same bits: FMA where written, sums in one fixed 16-lane order, no libm
// function but sqrt and fma.
//
// K cancels between mu and sigma, so the kernels work with plain sums:
//   S_i = sum_j w_ij nu_j = sqrt(K) mu_i,   T_i = K sigma2_i,   mu_i / sigma_i = S_i / sqrt(T_i)
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

// Lanes live in registers only if everything between a load and a store is one function: with two or
// more vectors per Lanes the compiler's own choice made AVX2 five times slower.
#ifdef __CUDACC__
#define BITBAYES_INLINE __device__ __forceinline__
#else
#define BITBAYES_INLINE inline __attribute__((always_inline))
#endif

namespace bitbayes::kernels {

/// DEVIATION: the paper's eps is 2^-52. In a saturated network S_i - w_ij nu_j is a small integer,
/// often 0, and float rounding of it would look like many standard deviations. The floor is
/// relative to the mean square input, which keeps amplitude invariance exact (tests/kernels holds
/// saturated nets against the core).
inline constexpr float kVarianceFloor = 0x1p-23f;

/// Keeps T above 0 where every input is 0 (there S = 0 and nothing moves).
inline constexpr float kSmallest = 0x1p-100f;

/// Gains and messages of dense layers below this are 0: they move nothing, and a denormal factor takes many processors a hundred times as
/// long.
inline constexpr float kTiny = 0x1p-100f;

/// learn_input of MFB-BackProp on dense rows may move w along with h instead of computing tanh h, so w
/// of layer 1 is state of its own. The learner recomputes it by weight_means(h) every kRefreshEvery
/// samples; until then |w - tanh h| <= kMaxDrift for any samples and messages. On sparse rows and
/// in layers 2..L, w = tanh h. The worst case is a sure weight whose moves are all lost in
/// rounding: (1 - w^2) dh < 2^-25 for 256 steps of the largest size 2^-7 that move w (all back
/// towards 0) gives 2^-26 / dh (e^(512 dh) - 1) = 1.05e-4. Typical drifts are around 1e-6.
/// tests/kernels/drift_test.cpp holds both.
inline constexpr std::size_t kRefreshEvery = 256;
inline constexpr float kMaxDrift = 1.2e-4f;

/// Neurons of one tree in one layer: rows are `stride` floats apart, aligned, padded with zeros
/// to 16.
struct SliceShape {
    std::size_t neurons = 0;
    std::size_t fan_in = 0;
    std::size_t stride = 0;
};
struct MeansSlice : SliceShape {
    const float* w = nullptr;  // tanh h, but see kRefreshEvery; BackProp: the weights themselves
};
inline constexpr std::uint32_t kMovedSince = 1u << 31;
struct LayerSlice : SliceShape {
    float* h = nullptr;  // null under BackProp
    float* w = nullptr;
    /// Per neuron: which |h| is its smallest, or was before it moved if kMovedSince is set. Layer 1 only.
    std::uint32_t* smallest_h = nullptr;
};

/// What layer 1 reads: `count` values, at columns `index` if the row is sparse. Dense rows are
/// aligned and padded with zeros; count is then the padded length.
struct InputRow {
    const float* x = nullptr;
    const std::uint32_t* index = nullptr;
    std::size_t count = 0;
    float square_sum = 0;  // sum_j x_j^2
    float largest = 0;     // max_j |x_j|
};

/// Per neuron, padded to 16.
struct Moments {
    float* S = nullptr;   // BackProp: u
    float* T = nullptr;   // BackProp: 1
    float* nu = nullptr;  // 2 Phi(S / sqrt(T)) - 1; BackProp: s(u)
};

struct Messages {
    const float* D = nullptr;  // to each neuron of this layer; y at the output
    bool output = false;       // l = L
    float rate = 1;            // MFB: evidence, h += evidence R / 2; BackProp: the learning rate
    float eps = 0;             // label noise of the output, MFB only
};

/// What a probe of the arithmetic did: instructions of the table's vector width (single floats in
/// the scalar table). `sum` keeps the compiler from removing the work.
struct FmaCount {
    std::size_t instructions = 0;
    std::size_t lanes = 0;  // floats per instruction
    float sum = 0;
};

/// One way to learn: all that a tree needs. The signatures are the same for MFB-BackProp
/// (tree_kernels-inl.hpp) and for BackProp (backprop_kernels-inl.hpp), so that one learner runs
/// both.
struct TreeRule {
    void (*forward_input)(const MeansSlice&, const InputRow&, const Moments&);
    /// `nu` has neurons * fan_in elements: neuron i reads nu[i*K] .. nu[i*K + K-1].
    void (*forward_hidden)(const MeansSlice&, const float* nu, const Moments&);
    /// Backward and update of layer 1 and, if there is a next sample, its forward in the same pass:
    /// the same bits as forward_input afterwards.
    void (*learn_input)(const LayerSlice&, const InputRow&, const Moments&, const Messages&,
                        const InputRow* next, const Moments& next_moments);
    /// Writes the message to every child, in the order of nu.
    void (*backward_hidden)(const LayerSlice&, const float* nu, const Moments&, const Messages&,
                            float* D_below);
};

/// Weights of a dense layer, 16 neurons to a panel: those of input j lie side by side at
/// w[p * stride + 16 j].
struct PanelShape {
    std::size_t inputs = 0;
    std::size_t count = 0;   // panels
    std::size_t stride = 0;  // floats from one to the next
};
struct DenseMeans : PanelShape {
    const float* w = nullptr;
};
struct DensePanels : PanelShape {
    float* h = nullptr;  // null under BackProp
    float* w = nullptr;
};

/// What a dense layer reads: `rows` rows of a batch, `stride` floats apart, or sparse ones.
struct DenseInputs {
    const float* x = nullptr;
    const float* squares = nullptr;  // of x, in the same places
    std::size_t stride = 0;
    std::size_t rows = 0;
    const std::uint32_t* index = nullptr;  // sparse: columns of x
    const std::size_t* row_start = nullptr;
};

struct DenseSums {
    float* S = nullptr;
    float* U = nullptr;  // sum_j nu_j^2 (1 - w_ij^2)
    std::size_t stride = 0;
};

/// The neurons of a layer for one row.
struct DenseNeurons {
    const float* S = nullptr;
    const float* U = nullptr;
    float* nu = nullptr;
    float* squares = nullptr;  // nu^2
    float* gain = nullptr;     // d nu / d S; BackProp: s'(u)
};

struct DenseLabel {
    std::size_t outputs = 0;
    std::uint32_t index = 0;     // class
    float weight = 1;            // of the row
    const float* eps = nullptr;  // label noise per output, MFB only; null: 0
};

struct DenseLesson {
    std::size_t rows = 0;
    std::size_t x_stride = 0, d_stride = 0;
    float rate = 1;  // evidence, or learning rate
};

/// The inputs of a sparse batch, column by column.
struct SparseColumns {
    const std::uint32_t* column = nullptr;
    const std::size_t* start = nullptr;  // count + 1
    std::size_t count = 0;
    const std::uint32_t* row = nullptr;
    const float* x = nullptr;
};

/// One way to learn in batches (dense_kernels-inl.hpp).
struct DenseRule {
    /// Fills S and U.
    void (*forward)(const DenseMeans&, const DenseInputs&, const DenseSums&);
    /// Fills nu, squares and gain of `count` neurons, a multiple of 16; T = U + base.
    void (*activate)(const DenseNeurons&, float base, std::size_t count);
    /// z of the outputs, and d for the label.
    void (*target)(const DenseNeurons&, float base, const DenseLabel&, float* z, float* d);
    void (*learn)(const DensePanels&, const float* x, const float* d, const DenseLesson&);
    void (*learn_sparse)(const DensePanels&, const SparseColumns&, const float* d,
                         const DenseLesson&);
    /// A layer of trees.
    void (*learn_tree)(const LayerSlice&, const float* x, const float* d, const DenseLesson&);
};

/// What all of them share.
struct DenseSteps {
    /// sum_j [kept_j - nu_j^2]; kept null: all are.
    float (*variance_of)(const float* nu, const float* kept, std::size_t count);
    /// e of `count` columns from `column` on; dT and eT hold the rows of a neuron side by side,
    /// `rows` is a multiple of 16.
    void (*message)(const DenseMeans&, std::size_t column, std::size_t count, const float* dT,
                    float* eT, std::size_t rows);
    /// The same for one row of d and e.
    void (*message_row)(const DenseMeans&, std::size_t column, std::size_t count, const float* d,
                        float* e);
    void (*message_tree)(const MeansSlice&, const float* d, float* e);
};

struct KernelTable {
    const char* name;
    /// w = tanh h for `count` weights, a multiple of 16.
    void (*weight_means)(const float* h, float* w, std::size_t count);
    /// Fills square_sum and largest.
    void (*measure)(InputRow&);
    TreeRule mfb;
    TreeRule backprop;
    DenseRule mfb_dense;
    DenseRule backprop_dense;
    DenseSteps dense;
    /// Independent chains of FMA instructions, for `bitbayes bench`.
    FmaCount (*fma_chains)(std::size_t rounds);
};

/// The plain loops, on every machine.
const KernelTable& scalar();
/// The SIMD levels that were compiled in and run here, best first.
std::vector<const KernelTable*> simd_levels();
/// The best level, or the one that BITBAYES_SIMD names. Throws Error(kUnavailable) if that one
/// cannot run here.
const KernelTable& best();
/// "auto", "scalar" or "simd"; Error(kUsage) for another name, Error(kUnavailable) for one that
/// cannot run.
const KernelTable& by_name(const std::string& backend);

struct BackendInfo {
    std::string name;
    bool available = false;
    std::string reason;  // why it runs here, or why not
};
std::vector<BackendInfo> backends();

}  // namespace bitbayes::kernels

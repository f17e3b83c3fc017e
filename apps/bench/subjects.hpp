// What `bench train` measures on: a trained layer that learns with a kernel table or with the double
// core, and whole networks in the learner. Inputs are standard normal, labels random, and h is the
// state after 1,000 samples.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <random>
#include <vector>

#include "base/aligned.hpp"
#include "core/step.hpp"
#include "kernels/table.hpp"
#include "learn/learner.hpp"

namespace bitbayes::cli::bench {

inline constexpr std::size_t kNeurons = 301;  // the paper's hidden neurons of one tree
inline constexpr std::size_t kHeadlineFanIn = 785;
inline constexpr std::size_t kRows = 64;  // samples that a layer cycles through; even

/// The SIMD levels that run here, best first, and the plain loops.
std::vector<const kernels::KernelTable*> all_levels();

struct Samples {
    data::InputBlock block;
    std::vector<std::uint32_t> labels;
};

/// FMA that a dense network needs: two products forward, one for the gradient, and one for the messages to the layer below, which the
/// first layer does not send.
double dense_fma_per_sample(const learn::Architecture& shape);

/// Standard normal inputs, random labels.
Samples random_samples(std::size_t rows, std::size_t fan_in, std::size_t outputs,
                       std::mt19937& random);

/// One row of messages to the neurons for each sample.
using Messages = std::vector<AlignedVector<float>>;

struct NeuronMoments {
    AlignedVector<float> S, T, nu;

    explicit NeuronMoments(std::size_t neurons)
        : S(padded(neurons)), T(padded(neurons)), nu(padded(neurons)) {}
    kernels::Moments view() { return {S.data(), T.data(), nu.data()}; }
};

/// A layer as the kernels hold it.
struct KernelLayer {
    kernels::SliceShape shape;
    AlignedVector<float> h, w;
    std::vector<std::uint32_t> smallest_h;

    explicit KernelLayer(const learn::LayerPosterior& posterior);
    kernels::MeansSlice means() const { return {shape, w.data()}; }
    kernels::LayerSlice slice() { return {shape, h.data(), w.data(), smallest_h.data()}; }
};

/// Layer 1 of one tree, as every variant starts from it: posterior, samples, and the messages that
/// the trained network sends to its neurons for these samples, each large enough to move its
/// neuron.
struct TrainedLayer {
    std::size_t fan_in;
    learn::Posterior posterior;
    KernelLayer layer;
    Samples samples;
    std::vector<kernels::InputRow> rows;
    Messages D;

    TrainedLayer(std::size_t K, std::mt19937& random);
    /// The same messages, but h normal with standard deviation `h_size`, as late in a long training
    /// run.
    TrainedLayer(std::size_t K, float h_size, std::mt19937& random);
    TrainedLayer(const TrainedLayer&) = delete;
    TrainedLayer& operator=(const TrainedLayer&) = delete;

    std::size_t weights() const { return kNeurons * fan_in; }
    /// The messages, 0 except for this share of the neurons, drawn for each sample.
    Messages shared_out(double share, std::mt19937& random) const;

  private:
    AlignedVector<float> messages(std::size_t r) const;
};

/// A trained layer that goes on learning with a kernel table.
class FloatLayer {
  public:
    explicit FloatLayer(const TrainedLayer& start);

    void restore(const kernels::KernelTable& table);
    void forward(const kernels::KernelTable& table);
    /// Learns a sample fused with the forward step of the next; refreshes w as often as the learner
    /// does.
    void learn(const kernels::KernelTable& table, const Messages& D);

  private:
    const TrainedLayer& start_;
    KernelLayer layer_;
    NeuronMoments moments_[2]{NeuronMoments(kNeurons), NeuronMoments(kNeurons)};
    std::size_t turn_ = 0;
};

/// A layer of the same shape and inputs that learns by BackProp, its real weights set to the means
/// w.
class BackpropLayer {
  public:
    explicit BackpropLayer(const TrainedLayer& start) : start_(start) {}

    void restore(const kernels::KernelTable& table);
    void learn(const kernels::KernelTable& table);

  private:
    const TrainedLayer& start_;
    AlignedVector<float> w_;
    NeuronMoments moments_[2]{NeuronMoments(kNeurons), NeuronMoments(kNeurons)};
    std::size_t turn_ = 0;
};

/// The same with the double core: forward, backward, update.
class CoreLayer {
  public:
    explicit CoreLayer(const TrainedLayer& start);

    void restore();
    void forward();
    void learn();

  private:
    core::LayerView view() { return {h_, kNeurons, start_.fan_in, true, false}; }
    core::LayerTrace trace() { return {mu_, sigma2_, nu_, variance_}; }

    const TrainedLayer& start_;
    std::vector<double> h_, mu_, sigma2_, nu_, variance_, G_, delta_, R_;
    std::vector<std::vector<double>> x_, D_;
    std::size_t turn_ = 0;
};

/// 785 inputs, 301 hidden neurons per tree, in learners with the best kernel table.
class WholeNetwork {
  public:
    /// `rows`: samples per block.
    WholeNetwork(std::size_t trees, std::size_t rows, std::mt19937& random);

    /// A learner in the start state.
    std::unique_ptr<learn::Learner> learner(unsigned threads) const;
    void learn_block(learn::Learner& learner);
    /// Weight updates in one block.
    double work() const;

  private:
    learn::Architecture shape_;
    learn::Posterior start_;
    Samples samples_;
    std::vector<float> z_;
};

}  // namespace bitbayes::cli::bench

#include "bench/subjects.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace bitbayes::cli::bench {

using kernels::KernelTable;

namespace {

constexpr std::size_t kSamplesBefore = 1000;

learn::Posterior trained(const learn::Architecture& shape, std::mt19937& random) {
    learn::LearnerStart start{shape, learn::Posterior(shape)};
    start.posterior.draw_prior(1, 1);
    const std::size_t trees = shape.outputs();
    const Samples samples = random_samples(kSamplesBefore, shape.inputs, trees, random);
    std::vector<float> z(kSamplesBefore * trees);
    // One tree, one thread: the barriers of a split tree are slow on a busy machine.
    const auto learner = learn::make_learner(std::move(start), {.threads = trees == 1 ? 1u : 0u});
    learner->learn(samples.block, samples.labels, z);
    learner->end_epoch();
    return learner->posterior();
}

}  // namespace

double dense_fma_per_sample(const learn::Architecture& shape) {
    return 4 * static_cast<double>(shape.weights()) -
           static_cast<double>(shape.layers.front().weights());
}

Samples random_samples(std::size_t rows, std::size_t fan_in, std::size_t outputs,
                       std::mt19937& random) {
    Samples samples;
    samples.block.rows = rows;
    samples.block.stride = padded(fan_in);
    samples.block.value.resize(rows * samples.block.stride);
    std::normal_distribution<float> normal;
    for (std::size_t r = 0; r < rows; ++r) {
        float* row = samples.block.value.data() + r * samples.block.stride;
        std::generate_n(row, fan_in, [&] { return normal(random); });
    }
    const std::size_t classes = std::max<std::size_t>(2, outputs);
    for (std::size_t r = 0; r < rows; ++r) {
        samples.labels.push_back(static_cast<std::uint32_t>(random() % classes));
    }
    return samples;
}

std::vector<const KernelTable*> all_levels() {
    auto levels = kernels::simd_levels();
    levels.push_back(&kernels::scalar());
    return levels;
}

KernelLayer::KernelLayer(const learn::LayerPosterior& posterior)
    : shape{posterior.shape.neurons, posterior.shape.fan_in, padded(posterior.shape.fan_in)},
      h(shape.neurons * shape.stride),
      w(h.size()),
      smallest_h(shape.neurons, kernels::kMovedSince) {
    for (std::size_t i = 0; i < shape.neurons; ++i) {
        const auto row = posterior.row(i);
        std::copy(row.begin(), row.end(), h.data() + i * shape.stride);
    }
    kernels::best().weight_means(h.data(), w.data(), h.size());
}

TrainedLayer::TrainedLayer(std::size_t K, std::mt19937& random)
    : fan_in(K),
      posterior(trained(learn::Architecture::tree(K, {kNeurons}, 1), random)),
      layer(posterior.layers[0]),
      samples(random_samples(kRows, K, 1, random)),
      rows(kRows) {
    for (std::size_t r = 0; r < kRows; ++r) {
        rows[r].x = samples.block.value.data() + r * samples.block.stride;
        rows[r].count = samples.block.stride;
        kernels::best().measure(rows[r]);
        D.push_back(messages(r));
    }
}

TrainedLayer::TrainedLayer(std::size_t K, float h_size, std::mt19937& random)
    : TrainedLayer(K, random) {
    std::normal_distribution<float> normal(0, h_size);
    for (float& h : posterior.layers[0].learned) h = normal(random);
    layer = KernelLayer(posterior.layers[0]);
}

AlignedVector<float> TrainedLayer::messages(std::size_t r) const {
    constexpr float kMinMessage = 0x1p-10f;
    const KernelTable& table = kernels::best();
    KernelLayer output(posterior.layers[1]);  // a copy, since it learns
    NeuronMoments hidden(kNeurons), top(1);
    table.mfb.forward_input(layer.means(), rows[r], hidden.view());
    table.mfb.forward_hidden(output.means(), hidden.nu.data(), top.view());
    const float y = samples.labels[r] == 1 ? 1.0f : -1.0f;
    AlignedVector<float> result(padded(kNeurons));
    table.mfb.backward_hidden(output.slice(), hidden.nu.data(), top.view(), {&y, true, 1},
                              result.data());
    for (float& D_i : result) D_i = std::copysign(std::max(std::fabs(D_i), kMinMessage), D_i);
    return result;
}

Messages TrainedLayer::shared_out(double share, std::mt19937& random) const {
    const auto updating = static_cast<std::size_t>(std::lround(share * kNeurons));
    Messages result = D;
    std::vector<std::size_t> order(kNeurons);
    std::iota(order.begin(), order.end(), std::size_t{0});
    for (auto& row : result) {
        std::shuffle(order.begin(), order.end(), random);
        for (std::size_t k = updating; k < kNeurons; ++k) row[order[k]] = 0;
    }
    return result;
}

FloatLayer::FloatLayer(const TrainedLayer& start) : start_(start), layer_(start.layer) {}

void FloatLayer::restore(const KernelTable& table) {
    layer_ = start_.layer;
    turn_ = 0;
    forward(table);
    turn_ = 0;
}

void FloatLayer::forward(const KernelTable& table) {
    table.mfb.forward_input(layer_.means(), start_.rows[turn_++ % kRows], moments_[0].view());
}

void FloatLayer::learn(const KernelTable& table, const Messages& D) {
    const std::size_t r = turn_ % kRows;
    table.mfb.learn_input(layer_.slice(), start_.rows[r], moments_[turn_ % 2].view(),
                          {D[r].data(), false, 1}, &start_.rows[(r + 1) % kRows],
                          moments_[(turn_ + 1) % 2].view());
    if (++turn_ % kernels::kRefreshEvery == 0) {
        table.weight_means(layer_.h.data(), layer_.w.data(), layer_.h.size());
    }
}

void BackpropLayer::restore(const KernelTable& table) {
    w_ = start_.layer.w;
    turn_ = 0;
    table.backprop.forward_input({start_.layer.shape, w_.data()}, start_.rows[0],
                                 moments_[0].view());
}

void BackpropLayer::learn(const KernelTable& table) {
    constexpr float kRate = 0.001f;
    const std::size_t r = turn_ % kRows;
    table.backprop.learn_input({start_.layer.shape, nullptr, w_.data(), nullptr}, start_.rows[r],
                               moments_[turn_ % 2].view(), {start_.D[r].data(), false, kRate},
                               &start_.rows[(r + 1) % kRows], moments_[(turn_ + 1) % 2].view());
    ++turn_;
}

CoreLayer::CoreLayer(const TrainedLayer& start) : start_(start), h_(start.weights()) {
    for (auto* per_neuron : {&mu_, &sigma2_, &nu_, &variance_}) per_neuron->resize(kNeurons);
    for (auto* per_weight : {&G_, &delta_, &R_}) per_weight->resize(start.weights());
    for (std::size_t r = 0; r < kRows; ++r) {
        x_.emplace_back(start.rows[r].x, start.rows[r].x + start.fan_in);
        D_.emplace_back(start.D[r].begin(), start.D[r].begin() + kNeurons);
    }
}

void CoreLayer::restore() {
    for (std::size_t i = 0; i < kNeurons; ++i) {
        const auto row = start_.posterior.layers[0].row(i);
        std::copy(row.begin(), row.end(),
                  h_.begin() + static_cast<std::ptrdiff_t>(i * start_.fan_in));
    }
    turn_ = 0;
}

void CoreLayer::forward() { core::forward_layer(view(), x_[turn_++ % kRows], {}, trace()); }

void CoreLayer::learn() {
    const std::size_t r = turn_ % kRows;
    forward();
    core::backward_layer(view(), x_[r], trace(), D_[r], {G_, delta_, R_});
    core::update_layer(h_, R_);
}

WholeNetwork::WholeNetwork(std::size_t trees, std::size_t rows, std::mt19937& random)
    : shape_(learn::Architecture::tree(kHeadlineFanIn, {kNeurons}, trees)),
      start_(trained(shape_, random)),
      samples_(random_samples(rows, kHeadlineFanIn, trees, random)),
      z_(rows * trees) {}

std::unique_ptr<learn::Learner> WholeNetwork::learner(unsigned threads) const {
    return learn::make_learner({shape_, start_}, {.threads = threads});
}

void WholeNetwork::learn_block(learn::Learner& learner) {
    learner.learn(samples_.block, samples_.labels, z_);
}

double WholeNetwork::work() const {
    return static_cast<double>(shape_.weights() * samples_.block.rows);
}

}  // namespace bitbayes::cli::bench

// One fixed scenario through every kernel table that runs here: prints a line "NAME HASH" per table and exits with 1
// unless all hashes are equal. Inputs come from integers alone, so that the lines of two machines can be compared
// (neon_test.sh does). No GoogleTest: this program is also cross-compiled.
#include <algorithm>
#include <bit>
#include <cinttypes>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <utility>
#include <vector>

#include "base/aligned.hpp"
#include "kernels/table.hpp"

namespace bitbayes::kernels {
namespace {

/// FNV-1a over the bits of floats, low byte first.
class Hash {
  public:
    void add(float value) {
        finite_ = finite_ && std::isfinite(value);
        const auto bits = std::bit_cast<std::uint32_t>(value);
        for (int shift = 0; shift < 32; shift += 8) {
            state_ = (state_ ^ (bits >> shift & 0xff)) * 0x100000001b3;
        }
    }
    template <class Values>
    void add_all(const Values& values) {
        for (const float value : values) add(value);
    }
    std::uint64_t value() const { return state_; }
    bool finite() const { return finite_; }

  private:
    std::uint64_t state_ = 0xcbf29ce484222325;
    bool finite_ = true;
};

/// SplitMix64. Every float that it gives is an exact multiple of a power of two.
class Random {
  public:
    explicit Random(std::uint64_t seed) : state_(seed) {}
    std::uint32_t next() {
        state_ += 0x9e3779b97f4a7c15;
        std::uint64_t z = state_;
        z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
        z = (z ^ z >> 27) * 0x94d049bb133111eb;
        return static_cast<std::uint32_t>((z ^ z >> 31) >> 32);
    }
    /// In (-1, 1).
    float uniform() { return (static_cast<float>(next() >> 9) + 0.5f) * 0x1p-22f - 1.0f; }
    /// Bell-shaped, variance 1.
    float normal() {
        std::uint32_t sum = 0;
        for (int k = 0; k < 3; ++k) sum += next() >> 12;  // of mean 3 * 2^19
        return (static_cast<float>(sum) - 0x1.8p20f) * 0x1p-19f;
    }
    float sign() { return next() >> 31 ? 1.0f : -1.0f; }

  private:
    std::uint64_t state_;
};

struct Scenario {
    SliceShape shape;
    bool output = false;
    float h_size = 1;  // size of h, from mild to saturated; BackProp: of the weights
    float rate = 1;
    bool backprop = false;
    float eps = 0;

    const TreeRule& rule(const KernelTable& table) const {
        return backprop ? table.backprop : table.mfb;
    }
};

struct Neurons {
    AlignedVector<float> S, T, nu;
    explicit Neurons(std::size_t n) : S(padded(n)), T(padded(n)), nu(padded(n)) {}
    Moments moments() { return {S.data(), T.data(), nu.data()}; }
    void add_to(Hash& hash) const {
        for (const auto* values : {&S, &T, &nu}) hash.add_all(*values);
    }
};

struct Layer {
    SliceShape shape;
    AlignedVector<float> h, w;
    std::vector<std::uint32_t> smallest_h;

    Layer(const KernelTable& table, const Scenario& scenario, Random& random)
        : shape(scenario.shape),
          h(shape.neurons * shape.stride),
          w(h.size()),
          smallest_h(shape.neurons, kMovedSince) {
        for (std::size_t i = 0; i < shape.neurons; ++i) {
            for (std::size_t j = 0; j < shape.fan_in; ++j) {
                h[i * shape.stride + j] = scenario.h_size * random.normal();
            }
        }
        h[0] = 0;
        table.weight_means(h.data(), w.data(), h.size());
        if (scenario.backprop) w = std::exchange(h, {});
    }
    MeansSlice means() const { return {shape, w.data()}; }
    LayerSlice slice() { return {shape, h.data(), w.data(), smallest_h.data()}; }
    void add_to(Hash& hash) const {
        hash.add_all(h);
        hash.add_all(w);
        hash.add_all(smallest_h);
    }
};

struct Sample {
    AlignedVector<float> x;
    std::vector<std::uint32_t> index;
    InputRow row;

    Sample(const KernelTable& table, std::size_t fan_in, bool sparse, float size, Random& random)
        : x(padded(fan_in)) {
        std::size_t count = 0;
        for (std::uint32_t j = 0; j < fan_in; ++j) {
            if (sparse && random.next() % 3 != 0) continue;
            x[count++] = size * random.normal();
            index.push_back(j);
        }
        row.x = x.data();
        row.index = sparse ? index.data() : nullptr;
        row.count = sparse ? count : x.size();
        table.measure(row);
    }
};

/// Messages from above: y at the output; elsewhere anything in (-1, 1), down to values that move no
/// weight.
std::vector<float> messages_to(const Scenario& scenario, Random& random) {
    std::vector<float> D(scenario.shape.neurons);
    for (float& d : D) {
        const int exponent = -static_cast<int>(random.next() % 40);
        d = scenario.output ? random.sign() : std::ldexp(random.uniform(), exponent);
    }
    return D;
}

void run_input(const KernelTable& table, const Scenario& scenario, bool sparse, Random& random,
               Hash& hash) {
    const SliceShape& shape = scenario.shape;
    const TreeRule& rule = scenario.rule(table);
    Layer layer(table, scenario, random);
    Neurons now(shape.neurons), next(shape.neurons);
    const float sizes[] = {1, 0x1p-8f, 16, 0, 1};
    for (std::size_t step = 0; step + 1 < std::size(sizes); ++step) {
        const Sample a(table, shape.fan_in, sparse, sizes[step], random);
        const Sample b(table, shape.fan_in, sparse, sizes[step + 1], random);
        const auto D = messages_to(scenario, random);
        rule.forward_input(layer.means(), a.row, now.moments());
        rule.learn_input(layer.slice(), a.row, now.moments(),
                         {D.data(), scenario.output, scenario.rate, scenario.eps},
                         step % 2 == 0 ? &b.row : nullptr, next.moments());
        hash.add(a.row.square_sum);
        hash.add(a.row.largest);
        now.add_to(hash);
        next.add_to(hash);
        layer.add_to(hash);
    }
}

void run_hidden(const KernelTable& table, const Scenario& scenario, Random& random, Hash& hash) {
    const SliceShape& shape = scenario.shape;
    const TreeRule& rule = scenario.rule(table);
    Layer layer(table, scenario, random);
    Neurons now(shape.neurons);
    std::vector<float> nu(shape.neurons * shape.fan_in), D_below(nu.size());
    for (int step = 0; step < 3; ++step) {
        for (float& v : nu) v = step == 2 ? random.sign() : random.uniform();
        const auto D = messages_to(scenario, random);
        rule.forward_hidden(layer.means(), nu.data(), now.moments());
        rule.backward_hidden(layer.slice(), nu.data(), now.moments(),
                             {D.data(), scenario.output, scenario.rate, scenario.eps},
                             D_below.data());
        now.add_to(hash);
        hash.add_all(D_below);
        layer.add_to(hash);
    }
}

AlignedVector<float> normals(std::size_t count, float size, Random& random) {
    AlignedVector<float> values(count);
    for (float& value : values) value = size * random.normal();
    return values;
}

/// A dense layer of `neurons` on `inputs`, two steps of a batch, through every kernel that it uses.
void run_dense(const KernelTable& table, const DenseRule& rule, std::size_t neurons,
               std::size_t inputs, std::size_t rows, float h_size, const float* eps, Random& random,
               Hash& hash) {
    const std::size_t panels = padded(neurons) / kLanes, stride = padded(neurons);
    AlignedVector<float> h = normals(panels * inputs * kLanes, h_size, random), w(h.size());
    table.weight_means(h.data(), w.data(), h.size());
    const PanelShape shape{inputs, panels, inputs * kLanes};
    const DensePanels layer{shape, h.data(), w.data()};
    const DenseMeans means{shape, w.data()};
    const std::size_t columns = padded(rows);
    AlignedVector<float> S(rows * stride), U(S), nu(S), squares(S), gain(S), z(S), d(S), e(inputs),
        dT(stride * columns), eT(inputs * columns);
    std::vector<std::uint32_t> index(rows * inputs), row(rows * inputs);
    std::vector<std::size_t> row_start(rows + 1), column_start(inputs + 1);
    for (std::size_t k = 0; k < index.size(); ++k) {
        index[k] = static_cast<std::uint32_t>(k % inputs);
        row[k] = static_cast<std::uint32_t>(k % rows);
    }
    for (std::size_t r = 0; r <= rows; ++r) row_start[r] = r * inputs;
    for (std::size_t j = 0; j <= inputs; ++j) column_start[j] = j * rows;
    for (int step = 0; step < 2; ++step) {
        const auto x = normals(rows * inputs, 1, random);
        auto x2 = x;
        for (float& value : x2) value *= value;
        const bool sparse = step == 1;
        rule.forward(means,
                     {x.data(), x2.data(), inputs, rows, sparse ? index.data() : nullptr,
                      sparse ? row_start.data() : nullptr},
                     {S.data(), U.data(), stride});
        for (std::size_t r = 0; r < rows; ++r) {
            const std::size_t at = r * stride;
            const DenseNeurons own{S.data() + at, U.data() + at, nu.data() + at,
                                   squares.data() + at, gain.data() + at};
            rule.activate(own, 0.01f, stride);
            hash.add(table.dense.variance_of(nu.data() + at, nullptr, neurons));
            rule.target(own, 0.01f, {neurons, static_cast<std::uint32_t>(r % neurons), 0.5f, eps},
                        z.data() + at, d.data() + at);
            table.dense.message_row(means, 0, inputs, d.data() + at, e.data());
            hash.add_all(e);
            for (std::size_t i = 0; i < stride; ++i) dT[i * columns + r] = d[at + i];
        }
        table.dense.message(means, 0, inputs, dT.data(), eT.data(), columns);
        const DenseLesson lesson{rows, inputs, stride, 2};
        std::vector<std::uint32_t> all(inputs);
        for (std::size_t j = 0; j < inputs; ++j) all[j] = index[j];
        if (sparse) {
            rule.learn_sparse(layer,
                              {all.data(), column_start.data(), inputs, row.data(), x.data()},
                              d.data(), lesson);
        } else {
            rule.learn(layer, x.data(), d.data(), lesson);
        }
        for (const auto* values : {&S, &nu, &gain, &z, &d, &eT, &h, &w}) hash.add_all(*values);
    }
}

/// A layer of trees under the dense rule.
void run_dense_trees(const KernelTable& table, const DenseRule& rule, float h_size, Random& random,
                     Hash& hash) {
    constexpr std::size_t kNeurons = 5, kFanIn = 21, kRows = 7, kBelow = kNeurons * kFanIn;
    const SliceShape shape{kNeurons, kFanIn, padded(kFanIn)};
    AlignedVector<float> h = normals(kNeurons * shape.stride, h_size, random), w(h.size());
    table.weight_means(h.data(), w.data(), h.size());
    const auto x = normals(kRows * kBelow, 1, random), d = normals(kRows * kNeurons, 1, random);
    AlignedVector<float> e(kBelow);
    table.dense.message_tree({shape, w.data()}, d.data(), e.data());
    rule.learn_tree({shape, h.data(), w.data(), nullptr}, x.data(), d.data(),
                    {kRows, kBelow, kNeurons, 2});
    for (const auto* values : {&e, &h, &w}) hash.add_all(*values);
}

void add_label_noise(const KernelTable& table, Random& random, Hash& hash) {
    const std::vector<float> eps{1e-4f, 0.2f, 0.01f, 0.45f, 1e-30f};
    for (const float h_size : {0x1p-5f, 2.0f, 20.0f}) {
        for (const float each : eps) {
            const Scenario scenario{{5, 17, padded(17)}, true, h_size, 1, false, each};
            run_input(table, scenario, false, random, hash);
            run_input(table, scenario, true, random, hash);
            run_hidden(table, scenario, random, hash);
        }
        run_dense(table, table.mfb_dense, eps.size(), 17, 5, h_size, eps.data(), random, hash);
    }
}

Hash run(const KernelTable& table) {
    Hash hash;
    Random random(1);
    const std::pair<std::size_t, std::size_t> shapes[] = {{3, 1},  {17, 5},  {5, 16},
                                                          {4, 17}, {7, 101}, {3, 785}};
    for (const auto& [neurons, fan_in] : shapes) {
        for (const bool output : {false, true}) {
            for (const float h_size : {0x1p-5f, 0x1p-1f, 2.0f, 20.0f}) {
                for (const float rate : {1.0f, 10.0f}) {
                    for (const bool backprop : {false, true}) {
                        const Scenario scenario{
                            {neurons, fan_in, padded(fan_in)}, output, h_size, rate, backprop};
                        run_input(table, scenario, false, random, hash);
                        run_input(table, scenario, true, random, hash);
                        run_hidden(table, scenario, random, hash);
                    }
                }
            }
        }
    }
    for (const auto& [neurons, inputs] : shapes) {
        for (const std::size_t rows : {1, 5, 31}) {
            for (const float h_size : {0x1p-1f, 20.0f}) {
                for (const DenseRule* rule : {&table.mfb_dense, &table.backprop_dense}) {
                    run_dense(table, *rule, neurons, inputs, rows, h_size, nullptr, random, hash);
                    run_dense_trees(table, *rule, h_size, random, hash);
                }
            }
        }
    }
    add_label_noise(table, random, hash);
    return hash;
}

}  // namespace
}  // namespace bitbayes::kernels

int main() {
    namespace kernels = bitbayes::kernels;
    std::vector<const kernels::KernelTable*> tables = kernels::simd_levels();
    tables.insert(tables.begin(), &kernels::scalar());
    std::uint64_t plain = 0;
    bool good = true;
    for (const auto* table : tables) {
        const auto hash = kernels::run(*table);
        if (table == tables.front()) plain = hash.value();
        good = good && hash.finite() && hash.value() == plain;
        std::printf("%s %016" PRIx64 "\n", table->name, hash.value());
        if (!hash.finite()) std::fprintf(stderr, "%s: a value is not finite\n", table->name);
    }
    return good ? 0 : 1;
}

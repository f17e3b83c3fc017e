#include "bench/infer.hpp"
#include "bitbayes/read.hpp"

#include <algorithm>
#include <deque>
#include <functional>
#include <limits>
#include <random>

#include "bench/slices.hpp"
#include "bench/subjects.hpp"
#include "bitbayes/types/dataset.hpp"
#include "bitbayes/types/error.hpp"
#include "learn/learner.hpp"
#include "packed/engine.hpp"
#include "packed/packed_answers.hpp"
#include "packed/packed_file.hpp"

namespace bitbayes::cli {
namespace {

using packed::ColumnType;

constexpr std::size_t kMeanRows = 50;  // affects the duration, not the speed
constexpr std::size_t kPixels = 784, kTree = bench::kNeurons, kClasses = 10;

/// The paper's shape. Its speed does not depend on the weights; thresholds are of typical size.
packed::Network random_network(ColumnType type, std::mt19937& random) {
    packed::Network network;
    network.quantiser.type = type;
    network.quantiser.missing.resize(kPixels);
    for (std::uint32_t c = 0; c < kPixels; ++c) network.column.push_back(c);
    packed::Layer hidden(kTree * kClasses, kPixels, true), top(kClasses, kTree, false);
    for (packed::Layer* layer : {&hidden, &top}) {
        for (std::size_t i = 0; i < layer->neurons; ++i) {
            for (std::size_t j = 0; j < layer->fan_in; ++j) {
                if (random() % 2 != 0) layer->set_positive(i, j);
            }
        }
    }
    const int widest = type == ColumnType::kU8 ? 4000 : 16;
    std::uniform_int_distribution<int> threshold(-widest, widest);
    for (std::size_t i = 0; i < hidden.neurons; ++i) hidden.threshold.push_back(threshold(random));
    network.members.push_back({hidden, top});
    return network;
}

/// With the share of zeros that MNIST has.
std::vector<std::int16_t> synthetic_images(std::mt19937& random) {
    std::bernoulli_distribution ink(0.19);
    std::vector<std::int16_t> pixels(kInferBatch * kPixels);
    for (auto& pixel : pixels)
        pixel = ink(random) ? static_cast<std::int16_t>(1 + random() % 255) : 0;
    return pixels;
}

/// The first test images; if MNIST was not fetched, synthetic ones, named so.
std::vector<std::int16_t> default_images(std::string& name, std::mt19937& random) {
    name = "mnist:test";
    try {
        const auto data = load_dataset("mnist:test");
        const auto& bytes = std::get<std::vector<std::uint8_t>>(data.values);
        const auto rows = static_cast<std::ptrdiff_t>(std::min(kInferBatch, data.rows));
        return {bytes.begin(), bytes.begin() + rows * std::ptrdiff_t{kPixels}};
    } catch (const Error& error) {
        if (error.code() != ErrorCode::kIo) throw;
    }
    name = "synthetic";
    return synthetic_images(random);
}

/// A packed network and the rows that it answers, as bytes if its columns allow it.
class PackedSubject {
  public:
    PackedSubject(packed::Network packed_network, std::vector<std::int16_t> columns)
        : network_(std::move(packed_network)),
          words_(std::move(columns)),
          scores_(rows() * network_.outputs()) {
        const auto [low, high] = packed::range_of(network_.quantiser.type);
        if (low == 0 && high <= 255) bytes_.assign(words_.begin(), words_.end());
    }
    PackedSubject(const PackedSubject&) = delete;
    PackedSubject& operator=(const PackedSubject&) = delete;

    const packed::Network& network() const { return network_; }
    const char* level() const { return engine_.level(); }
    std::size_t rows() const { return words_.size() / network_.quantiser.columns(); }
    void answer(std::size_t batch) {
        if (bytes_.empty()) {
            answer(std::span<const std::int16_t>(words_), batch);
        } else {
            answer(std::span<const std::uint8_t>(bytes_), batch);
        }
    }

  private:
    template <class T>
    void answer(std::span<const T> columns, std::size_t batch) {
        const std::size_t width = network_.quantiser.columns(), outputs = network_.outputs();
        for (std::size_t r = 0; r < rows(); r += batch) {
            engine_.scores(columns.subspan(r * width, batch * width),
                           std::span(scores_).subspan(r * outputs, batch * outputs));
        }
    }

    packed::Network network_;
    packed::Engine engine_{network_};
    std::vector<std::int16_t> words_;
    std::vector<std::uint8_t> bytes_;
    std::vector<std::int64_t> scores_;
};

/// The mean network of the same shape, from a prior: its speed does not depend on h.
struct MeanSubject {
    std::unique_ptr<learn::Learner> learner;
    data::InputBlock block;
    std::vector<float> z;

    MeanSubject(const learn::Architecture& shape, std::size_t rows, std::mt19937& random)
        : z(rows * shape.outputs()) {
        learn::LearnerStart start{shape, learn::Posterior(shape)};
        start.posterior.draw_prior(1, 1);
        learner = learn::make_learner(std::move(start), {.threads = 1});
        block.rows = rows;
        block.stride = padded(shape.inputs);
        block.value.resize(rows * block.stride);
        std::normal_distribution<float> normal;
        for (std::size_t r = 0; r < rows; ++r) {
            float* row = block.value.data() + r * block.stride;
            std::generate_n(row, shape.inputs, [&] { return normal(random); });
        }
    }
    void answer() { learner->answer(block, z); }
};

class Workbench {
  public:
    Workbench(const std::string& network_file, const std::string& data) {
        if (network_file.empty()) {
            use_random();
        } else {
            use_file(network_file, data);
        }
    }

    InferBench measure(const BenchOptions& options) {
        const auto torch = [&] {
            return torch_speed(shape_, rows_, (options.slices + 1) / 2, options.slice_seconds);
        };
        result_.torch = torch();
        for (std::size_t slice = 0; slice < options.slices; ++slice) {
            for (std::size_t k = 0; k < subjects_.size(); ++k) {
                auto& best = result_.rows[k].images_per_second;
                best = std::max(best, run_slice(subjects_[k], options.slice_seconds));
            }
        }
        if (result_.torch.missing.empty()) {
            const double before = result_.torch.images_per_second;
            result_.rows.push_back({"torch", rows_, std::max(before, torch().images_per_second)});
        }
        return result_;
    }

  private:
    void use_random() {
        const auto pixels = default_images(result_.data, random_);
        auto bits = pixels;
        for (auto& pixel : bits) pixel = pixel > 127;
        result_.network = "random";
        add_packed(random_network(ColumnType::kU8, random_), pixels);
        add_packed(random_network(ColumnType::kBit, random_), bits);
        add_mean();
    }

    void use_file(const std::string& file, const std::string& data_name) {
        auto network = packed::load_packed(file);
        if (network.sparse) {
            throw Error(ErrorCode::kUsage, file + ": its rows are sparse",
                        "bench infer takes networks of dense columns");
        }
        ReadOptions reading;
        reading.known = network.table;
        const auto data = load_dataset(data_name, reading);
        packed::check_columns(network, data);
        const std::size_t rows = std::min(kInferBatch, data.rows);
        std::vector<std::int16_t> columns(rows * network.quantiser.columns());
        packed::quantise_rows(network, data, 0, columns);
        result_.network = file;
        result_.data = data_name;
        add_packed(std::move(network), std::move(columns));
        add_mean();
    }

    /// The first one determines the shape of all others.
    void add_packed(packed::Network network, std::vector<std::int16_t> columns) {
        auto& subject = packed_.emplace_back(std::move(network), std::move(columns));
        const std::string type = name_of(subject.network().quantiser.type);
        if (subjects_.empty()) {
            rows_ = subject.rows();
            result_.weights = subject.network().weights();
            result_.level = subject.level();
            shape_.columns = subject.network().inputs();
            for (const auto& layer : subject.network().members[0]) {
                shape_.neurons.push_back(layer.neurons);
            }
        }
        for (const std::size_t batch : {rows_, std::size_t{1}}) {
            result_.rows.push_back({"packed " + type, batch});
            subjects_.push_back({rows_, [&subject, batch] { subject.answer(batch); }});
        }
    }

    void add_mean() {
        std::vector<std::size_t> fan_ins;
        for (std::size_t l = 1; l < shape_.neurons.size(); ++l) {
            fan_ins.push_back(shape_.neurons[l - 1] / shape_.neurons[l]);
        }
        const auto shape =
            learn::Architecture::tree(shape_.columns + 1, fan_ins, shape_.neurons.back());
        const std::size_t rows = std::min(rows_, kMeanRows);
        auto& mean = mean_.emplace_back(shape, rows, random_);
        result_.rows.push_back({"mean", rows});
        subjects_.push_back({rows, [&mean] { mean.answer(); }});
    }

    struct Subject {
        std::size_t rows;
        std::function<void()> once;  // answers all rows
    };

    /// Images per second.
    static double run_slice(const Subject& subject, double seconds) {
        std::size_t calls = 0;
        const double start = bench::seconds_now();
        double elapsed = 0;
        do {
            subject.once();
            ++calls;
            elapsed = bench::seconds_now() - start;
        } while (elapsed < seconds);
        return static_cast<double>(calls * subject.rows) / elapsed;
    }

    std::mt19937 random_{1};
    std::size_t rows_ = 0;
    TorchShape shape_;
    InferBench result_;
    // Deques, since `subjects_` hold references to the elements.
    std::deque<PackedSubject> packed_;
    std::deque<MeanSubject> mean_;
    std::vector<Subject> subjects_;
};

}  // namespace

double InferBench::speed(const std::string& name) const {
    for (const InferRow& row : rows) {
        if (row.name == name) return row.images_per_second;
    }
    return std::numeric_limits<double>::quiet_NaN();
}

InferBench bench_infer(const std::string& network, const std::string& data,
                       const BenchOptions& options) {
    return Workbench(network, data).measure(options);
}

}  // namespace bitbayes::cli

#include "local_search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace bitbayes::experiments {
namespace {

struct Place {
    std::size_t l, at;
};

std::vector<Place> least_sure(const learn::Posterior& posterior, std::size_t count) {
    std::vector<Place> places;
    for (std::size_t l = 0; l < posterior.layers.size(); ++l) {
        for (std::size_t k = 0; k < posterior.layers[l].learned.size(); ++k)
            places.push_back({l, k});
    }
    const auto size = [&](const Place& p) {
        return std::fabs(posterior.layers[p.l].learned[p.at]);
    };
    count = std::min(count, places.size());
    std::partial_sort(places.begin(), places.begin() + static_cast<std::ptrdiff_t>(count),
                      places.end(),
                      [&](const Place& a, const Place& b) { return size(a) < size(b); });
    places.resize(count);
    return places;
}

struct Figures {
    int errors = 0;
    long margin = 0;  // summed over rows: of the right class over the best other one

    bool operator<(const Figures& other) const {
        return errors != other.errors ? errors < other.errors : margin > other.margin;
    }
};

class Search {
  public:
    Search(const learn::ModelState& model, const Rows& data, std::span<const std::size_t> rows,
           std::span<const std::uint32_t> labels)
        : first_(model.architecture.layers[0]),
          second_(model.architecture.layers[1]),
          dense_(second_.connectivity == learn::Connectivity::kDense),
          labels_(labels),
          live_of_input_(first_.fan_in, -1) {
        model.preprocessing.apply(data, rows, inputs_);
        const auto live = model.preprocessing.live_inputs();
        for (std::size_t k = 0; k < live.size(); ++k) {
            live_of_input_[live[k]] = static_cast<std::ptrdiff_t>(k);
        }
    }

    learn::SignPattern run(learn::SignPattern signs, const std::vector<Place>& places) {
        signs_ = std::move(signs);
        compute();
        for (const Place& place : places) {
            const Figures before = total_;
            flip(place);
            if (!(total_ < before)) flip(place);
        }
        return std::move(signs_);
    }

  private:
    double sign(std::size_t l, std::size_t at) const { return signs_.positive(l, at) ? 1 : -1; }
    std::size_t hidden() const { return first_.neurons; }
    double input(std::size_t r, std::size_t j) const {
        return live_of_input_[j] < 0
                   ? 0
                   : inputs_
                         .value[r * inputs_.stride + static_cast<std::size_t>(live_of_input_[j])];
    }
    int state(std::size_t r, std::size_t i) const {
        return i == hidden() || sums_[i * rows() + r] >= 0 ? 1 : -1;  // the last is the constant
    }
    std::size_t rows() const { return labels_.size(); }
    int& score(std::size_t r, std::size_t k) { return scores_[r * second_.neurons + k]; }

    void compute() {
        sums_.assign(hidden() * rows(), 0);
        scores_.assign(rows() * second_.neurons, 0);
        total_ = {};
        for (std::size_t i = 0; i < hidden(); ++i) {
            for (std::size_t j = 0; j < first_.fan_in; ++j) {
                const double w = sign(0, i * first_.fan_in + j);
                for (std::size_t r = 0; r < rows(); ++r) sums_[i * rows() + r] += w * input(r, j);
            }
        }
        for (std::size_t k = 0; k < second_.neurons; ++k) {
            for (std::size_t j = 0; j < second_.fan_in; ++j) {
                const std::size_t at = k * second_.fan_in + j;
                const int w = signs_.positive(1, at) ? 1 : -1;
                for (std::size_t r = 0; r < rows(); ++r) {
                    score(r, k) += w * state(r, dense_ ? j : at);
                }
            }
        }
        for (std::size_t r = 0; r < rows(); ++r) count(r, 1);
    }

    /// Adds a row to the figures, or takes it off.
    void count(std::size_t r, int sign) {
        const std::size_t right = labels_[r];
        if (second_.neurons == 1) {
            const int s = score(r, 0);
            total_.errors += sign * ((s >= 0) != (right == 1));
            total_.margin += sign * (right == 1 ? s : -s);
            return;
        }
        int other = std::numeric_limits<int>::min();
        bool wrong = false;
        for (std::size_t k = 0; k < second_.neurons; ++k) {
            if (k == right) continue;
            other = std::max(other, score(r, k));
            wrong |= score(r, k) > score(r, right) || (score(r, k) == score(r, right) && k < right);
        }
        total_.errors += sign * wrong;
        total_.margin += sign * (score(r, right) - other);
    }

    void flip(const Place& place) {
        const int change = signs_.positive(place.l, place.at) ? -2 : 2;
        signs_.layers[place.l][place.at / 8] ^= static_cast<std::uint8_t>(1 << place.at % 8);
        const learn::LayerShape& shape = place.l == 0 ? first_ : second_;
        const std::size_t i = place.at / shape.fan_in, j = place.at % shape.fan_in;
        for (std::size_t r = 0; r < rows(); ++r) {
            if (place.l == 1) {
                count(r, -1);
                score(r, i) += change * state(r, dense_ ? j : place.at);
                count(r, 1);
                continue;
            }
            const int before = state(r, i);
            sums_[i * rows() + r] += change * input(r, j);
            if (const int now = state(r, i); now != before) move(r, i, now - before);
        }
    }

    /// A hidden neuron's state has changed.
    void move(std::size_t r, std::size_t i, int by) {
        count(r, -1);
        if (dense_) {
            for (std::size_t k = 0; k < second_.neurons; ++k) {
                score(r, k) += signs_.positive(1, k * second_.fan_in + i) ? by : -by;
            }
        } else {
            score(r, i / second_.fan_in) += signs_.positive(1, i) ? by : -by;
        }
        count(r, 1);
    }

    learn::LayerShape first_, second_;
    bool dense_;
    std::span<const std::uint32_t> labels_;
    std::vector<std::ptrdiff_t> live_of_input_;
    data::InputBlock inputs_;
    learn::SignPattern signs_;
    std::vector<double> sums_;  // hidden x rows
    std::vector<int> scores_;   // rows x outputs
    Figures total_;
};

}  // namespace

learn::SignPattern local_search(const learn::ModelState& model, const learn::SignPattern& start,
                                const Rows& data, std::span<const std::size_t> rows,
                                std::span<const std::uint32_t> labels, std::size_t flips) {
    return Search(model, data, rows, labels).run(start, least_sure(model.posterior, flips));
}

}  // namespace bitbayes::experiments

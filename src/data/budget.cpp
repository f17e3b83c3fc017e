#include "data/budget.hpp"

#include <algorithm>
#include <cmath>

namespace bitbayes::data {
namespace {

/// What a column offers next: thresholds `first` .. `first + count - 1`.
struct Offer {
    double gain = -1;  // per threshold; below 0: nothing
    std::size_t first = 0, count = 0;
};

/// One column: how many rows of each class lie between its thresholds, or have its words.
class Candidates {
  public:
    Candidates(std::span<const double> thresholds, bool words, std::size_t classes)
        : thresholds_(thresholds),
          words_(words),
          classes_(classes),
          kept_(thresholds.size()),
          before_((bins() + 1) * classes) {}

    void add(double value, std::uint32_t label) {
        const auto at = std::lower_bound(thresholds_.begin(), thresholds_.end(), value);
        const auto bin = static_cast<std::size_t>(at - thresholds_.begin());
        if (bin < bins()) before_[(bin + 1) * classes_ + label] += 1;
    }
    /// Once all rows are there.
    void close() {
        for (std::size_t i = classes_; i < before_.size(); ++i) before_[i] += before_[i - classes_];
        find_best();
    }
    const Offer& best() const { return best_; }
    void take_best(std::vector<std::uint8_t>& keep, std::size_t start) {
        for (std::size_t k = best_.first; k < best_.first + best_.count; ++k) {
            kept_[k] = 1;
            keep[start + k] = 1;
        }
        find_best();
    }

  private:
    std::size_t bins() const { return thresholds_.size() + (words_ ? 0 : 1); }

    /// sum_k n_k^2 / n of the bins from `first` to before `last`.
    double purity(std::size_t first, std::size_t last) const {
        double rows = 0, squares = 0;
        for (std::size_t k = 0; k < classes_; ++k) {
            const double n = before_[last * classes_ + k] - before_[first * classes_ + k];
            rows += n;
            squares += n * n;
        }
        return rows > 0 ? squares / rows : 0;
    }

    void find_best() {
        best_ = {};
        if (words_) return find_all_words();
        std::size_t first = 0;  // bin where the interval begins
        while (first < bins()) {
            std::size_t last = first;
            while (last < kept_.size() && kept_[last] == 0) ++last;
            const double whole = purity(first, last + 1);
            for (std::size_t k = first; k < last; ++k) {
                const double gain = purity(first, k + 1) + purity(k + 1, last + 1) - whole;
                if (gain > best_.gain) best_ = {gain, k, 1};
            }
            first = last + 1;
        }
    }

    void find_all_words() {
        if (kept_.empty() || kept_[0] != 0) return;
        double gain = -purity(0, bins());
        for (std::size_t k = 0; k < bins(); ++k) gain += purity(k, k + 1);
        best_ = {gain / static_cast<double>(bins()), 0, bins()};
    }

    std::span<const double> thresholds_;
    bool words_;
    std::size_t classes_;
    std::vector<std::uint8_t> kept_;
    std::vector<double> before_;  // rows of each class in the bins before bin b
    Offer best_;
};

}  // namespace

std::vector<std::uint8_t> best_thresholds(const Rows& training, const Preprocessing& p,
                                          std::span<const std::uint32_t> labels,
                                          std::size_t budget) {
    const std::size_t classes = 1 + *std::max_element(labels.begin(), labels.end());
    std::vector<Candidates> columns;
    for (std::size_t j = 0; j < p.columns.size(); ++j) {
        const std::size_t start = p.threshold_start[j];
        columns.emplace_back(
            std::span(p.thresholds).subspan(start, p.threshold_start[j + 1] - start),
            p.holds_words(j), classes);
    }
    std::vector<double> row(p.features());
    for (std::size_t r = 0; r < training.size(); ++r) {
        training.copy_row(r, row);
        for (std::size_t j = 0; j < row.size(); ++j) {
            if (p.reads(j) && !std::isnan(row[j])) columns[j].add(row[j], labels[r]);
        }
    }
    for (Candidates& column : columns) column.close();
    std::vector<std::uint8_t> keep(p.thresholds.size());
    while (budget > 0) {
        std::size_t best = columns.size();
        for (std::size_t j = 0; j < columns.size(); ++j) {
            const Offer& offer = columns[j].best();
            if (offer.gain < 0 || offer.count > budget) continue;
            if (best == columns.size() || offer.gain > columns[best].best().gain) best = j;
        }
        if (best == columns.size()) break;
        budget -= columns[best].best().count;
        columns[best].take_best(keep, p.threshold_start[best]);
    }
    return keep;
}

}  // namespace bitbayes::data

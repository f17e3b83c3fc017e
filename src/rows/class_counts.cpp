#include "rows/class_counts.hpp"

#include <cmath>

namespace bitbayes {

void ClassCounts::add(std::uint32_t truth, std::uint32_t answer) {
    ++counts_[truth].rows;
    ++counts_[answer].answers;
    if (truth == answer) ++counts_[truth].hits;
}

std::vector<ClassFigures> ClassCounts::figures() const {
    std::vector<ClassFigures> figures;
    figures.reserve(counts_.size());
    for (const Count& count : counts_) {
        ClassFigures& out = figures.emplace_back();
        out.rows = count.rows;
        if (count.rows == 0) continue;
        const auto hits = static_cast<double>(count.hits);
        const auto rows = static_cast<double>(count.rows);
        const auto answers = static_cast<double>(count.answers);
        out.precision = count.answers == 0 ? 0 : hits / answers;
        out.recall = hits / rows;
        out.f1 = 2 * hits / (rows + answers);
    }
    return figures;
}

ClassFigures macro_average(std::span<const ClassFigures> figures) {
    const auto mean = [&](double ClassFigures::*figure) {
        double sum = 0, count = 0;
        for (const ClassFigures& each : figures) {
            if (std::isnan(each.*figure)) continue;
            sum += each.*figure;
            count += 1;
        }
        return count == 0 ? ClassFigures::kNone : sum / count;
    };
    ClassFigures out;
    for (const ClassFigures& each : figures) out.rows += each.rows;
    out.precision = mean(&ClassFigures::precision);
    out.recall = mean(&ClassFigures::recall);
    out.f1 = mean(&ClassFigures::f1);
    out.auc = mean(&ClassFigures::auc);
    return out;
}

}  // namespace bitbayes

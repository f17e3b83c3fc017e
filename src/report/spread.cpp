#include <algorithm>

#include "report/layout.hpp"

namespace bitbayes::report {
namespace {

/// Boxes that touch; they move together.
struct Cluster {
    double top, height;
    std::size_t count;
};

}  // namespace

std::vector<double> spread(std::span<const double> middles, std::span<const double> heights,
                           double low, double high) {
    std::vector<Cluster> clusters;
    for (std::size_t i = 0; i < middles.size(); ++i) {
        clusters.push_back({middles[i] - heights[i] / 2, heights[i], 1});
        while (true) {
            Cluster& last = clusters.back();
            last.top = std::max(low, std::min(last.top, high - last.height));
            if (clusters.size() < 2) break;
            Cluster& before = clusters[clusters.size() - 2];
            if (before.top + before.height <= last.top) break;
            const double centre =
                (before.top + before.height / 2) * static_cast<double>(before.count) +
                (last.top + last.height / 2) * static_cast<double>(last.count);
            before.count += last.count;
            before.height += last.height;
            before.top = centre / static_cast<double>(before.count) - before.height / 2;
            clusters.pop_back();
        }
    }
    std::vector<double> moved;
    for (const Cluster& cluster : clusters) {
        double top = cluster.top;
        for (std::size_t k = 0; k < cluster.count; ++k) {
            const double height = heights[moved.size()];
            moved.push_back(top + height / 2);
            top += height;
        }
    }
    return moved;
}

}  // namespace bitbayes::report

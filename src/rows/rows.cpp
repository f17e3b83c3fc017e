#include "bitbayes/types/rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "bitbayes/types/error.hpp"

namespace bitbayes {
namespace {

[[noreturn]] void refuse(std::string_view name, const std::string& what) {
    throw Error(ErrorCode::kUsage, fmt::format("{}: {}", name, what));
}

std::string_view name_of(const Dataset& data) {
    return data.name.empty() ? std::string_view("the data") : data.name;
}

/// Whole rows of `features` values each.
std::size_t rows_in(std::size_t values, std::size_t features) {
    if (features == 0) refuse("rows", "no columns");
    if (values % features != 0) {
        refuse("rows", fmt::format("{} values are no whole rows of {}", values, features));
    }
    return values / features;
}

template <class T>
DenseView<T> row_major(std::span<const T> values, std::size_t features) {
    return {values.data(), static_cast<std::ptrdiff_t>(features), 1};
}

template <class T>
Rows::Values whole(const std::vector<T>& values, const Dataset& data) {
    if (data.features != 0
            ? values.size() / data.features != data.rows || values.size() % data.features != 0
            : !values.empty()) {
        refuse(name_of(data), fmt::format("{} values for {} rows of {} columns", values.size(),
                                          data.rows, data.features));
    }
    return row_major(std::span(values), data.features);
}

void check(const SparseView& x, std::size_t features, std::string_view name) {
    if (x.row_start.empty() || x.row_start.front() != 0 || x.column.size() != x.value.size() ||
        x.row_start.back() != x.column.size() ||
        !std::is_sorted(x.row_start.begin(), x.row_start.end())) {
        refuse(name, "row_start, column and value of the sparse rows do not fit together");
    }
    for (std::size_t r = 0; r + 1 < x.row_start.size(); ++r) {
        for (std::size_t e = x.row_start[r]; e < x.row_start[r + 1]; ++e) {
            if (x.column[e] >= features || (e > x.row_start[r] && x.column[e - 1] >= x.column[e])) {
                refuse(name,
                       fmt::format("row {}: columns must ascend and be below {}", r, features));
            }
        }
    }
}

Rows::Values whole(const SparseRows& x, const Dataset& data) {
    const SparseView view{x.row_start, x.column, x.value};
    check(view, data.features, name_of(data));
    if (x.row_start.size() != data.rows + 1) {
        refuse(data.name,
               fmt::format("{} sparse rows instead of {}", x.row_start.size() - 1, data.rows));
    }
    return view;
}

/// Lists with one element per row or per feature, or none.
void check_sizes(const Dataset& data) {
    const auto fits = [](std::size_t size, std::size_t wanted) {
        return size == 0 || size == wanted;
    };
    if (!fits(data.ids.size(), data.rows) || !fits(data.weights.size(), data.rows) ||
        !fits(data.groups.size(), data.rows) || !fits(data.lines.size(), data.rows)) {
        refuse(data.name, "ids, weights, groups and lines need one element per row");
    }
    if (!fits(data.categories.size(), data.features)) {
        refuse(data.name, "categories need one list per column");
    }
}

template <class T>
void copy_dense(const DenseView<T>& x, std::size_t row, std::span<double> out) {
    const T* from = x.data + static_cast<std::ptrdiff_t>(row) * x.row_stride;
    if (x.column_stride == 1) {
        std::copy_n(from, out.size(), out.begin());
        return;
    }
    for (std::size_t j = 0; j < out.size(); ++j) out[j] = static_cast<double>(x.at(row, j));
}

}  // namespace

Rows::Rows(const Dataset& data)
    : values_(std::visit([&](const auto& values) { return whole(values, data); }, data.values)),
      rows_(data.rows),
      features_(data.features),
      kind_(data.kind),
      name_(name_of(data)),
      column_names_(data.column_names),
      categories_(data.categories),
      lines_(data.lines),
      roles_(data.roles),
      other_names_(data.other_names),
      image_(data.image) {
    check_sizes(data);
    check_columns();
}

Rows::Rows(std::span<const std::uint8_t> values, std::size_t features)
    : Rows(row_major(values, features), rows_in(values.size(), features), features) {}
Rows::Rows(std::span<const float> values, std::size_t features)
    : Rows(row_major(values, features), rows_in(values.size(), features), features) {}
Rows::Rows(std::span<const double> values, std::size_t features)
    : Rows(row_major(values, features), rows_in(values.size(), features), features) {}

Rows::Rows(DenseView<std::uint8_t> values, std::size_t rows, std::size_t features)
    : values_(values), rows_(rows), features_(features) {}
Rows::Rows(DenseView<float> values, std::size_t rows, std::size_t features)
    : values_(values), rows_(rows), features_(features) {}
Rows::Rows(DenseView<double> values, std::size_t rows, std::size_t features)
    : values_(values), rows_(rows), features_(features) {}

Rows::Rows(SparseView values, std::size_t features)
    : values_(values), features_(features), kind_(DataKind::kSparse) {
    check(values, features, name_);
    rows_ = values.row_start.size() - 1;
}

void Rows::check_columns() const {
    if (!column_names_.empty() && column_names_.size() != features_) {
        refuse(name_, fmt::format("{} names for {} columns", column_names_.size(), features_));
    }
    const auto [height, width] = image_;
    const bool pixels = width > 0 && features_ / width == height && features_ % width == 0;
    if (image_ != ImageSize{} && !pixels) {
        refuse(name_,
               fmt::format("images of {} x {} pixels in {} columns", height, width, features_));
    }
}

Rows& Rows::set_column_names(std::span<const std::string> names) {
    column_names_ = names;
    check_columns();
    return *this;
}

Rows& Rows::set_image(ImageSize size) {
    image_ = size;
    kind_ = DataKind::kImages;
    check_columns();
    return *this;
}

void Rows::copy_row(std::size_t row, std::span<double> out) const {
    if (sparse() || out.size() > features_) std::fill(out.begin(), out.end(), 0);
    std::visit(
        [&]<class View>(const View& x) {
            if constexpr (std::is_same_v<View, SparseView>) {
                for_each_nonzero(row, [&](std::size_t j, double value) {
                    if (j < out.size()) out[j] = value;
                });
            } else {
                copy_dense(x, row, out.first(std::min(out.size(), features_)));
            }
        },
        values_);
}

LabelledRows::LabelledRows(Rows what, std::span<const std::uint32_t> row_labels,
                           std::span<const std::string> names)
    : rows(what), labels(row_labels), class_names(names) {
    if (labels.empty() && rows.size() > 0) {
        throw Error(ErrorCode::kData, fmt::format("{}: no labels", rows.name()),
                    "rows to learn or to test on need a class each; `label` names its column");
    }
    if (labels.size() != rows.size()) {
        throw Error(ErrorCode::kData, fmt::format("{}: {} labels for {} rows", rows.name(),
                                                  labels.size(), rows.size()));
    }
    for (std::size_t r = 0; r < labels.size(); ++r) {
        if (labels[r] < class_names.size()) continue;
        throw Error(ErrorCode::kData,
                    fmt::format("{}: row {}: label {}, but there are {} class names", rows.name(),
                                r, labels[r], class_names.size()));
    }
}

LabelledRows::LabelledRows(const Dataset& data)
    : LabelledRows(Rows(data), data.labels, data.class_names) {
    weights = data.weights;
}

TableColumns Rows::columns() const {
    return {features_,
            {column_names_.begin(), column_names_.end()},
            {categories_.begin(), categories_.end()},
            std::string(roles_),
            {other_names_.begin(), other_names_.end()}};
}

std::string Rows::where(std::size_t row) const {
    if (row < lines_.size()) return fmt::format("{}:{}", name_, lines_[row]);
    return fmt::format("{}: row {} (from 0)", name_, row);
}

}  // namespace bitbayes

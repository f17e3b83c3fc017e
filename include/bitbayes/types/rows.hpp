// A view of rows that the caller owns, read in place: bytes, floats or doubles with any strides, or
// compressed sparse rows. Every function that takes data takes this; a Dataset converts to it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "bitbayes/types/dataset.hpp"
#include "bitbayes/types/export.hpp"

namespace bitbayes {

/// Value j of row r is data[r * row_stride + j * column_stride]; NaN is a missing value.
template <class T>
struct DenseView {
    const T* data = nullptr;
    std::ptrdiff_t row_stride = 0;  // in elements
    std::ptrdiff_t column_stride = 1;

    T at(std::size_t row, std::size_t column) const {
        return data[static_cast<std::ptrdiff_t>(row) * row_stride +
                    static_cast<std::ptrdiff_t>(column) * column_stride];
    }
};

/// Compressed sparse rows, like SparseRows in dataset.hpp.
struct SparseView {
    std::span<const std::uint64_t> row_start;  // rows + 1 elements
    std::span<const std::uint32_t> column;     // ascending within a row
    std::span<const float> value;
};

class BITBAYES_API Rows {
  public:
    using Values =
        std::variant<DenseView<std::uint8_t>, DenseView<float>, DenseView<double>, SparseView>;

    /// The constructors throw Error(kUsage) for inconsistent arguments. The data must outlive the
    /// view.
    Rows(const Dataset& data);  // implicit: a Dataset is rows
    /// Row-major, without gaps.
    Rows(std::span<const std::uint8_t> values, std::size_t features);
    Rows(std::span<const float> values, std::size_t features);
    Rows(std::span<const double> values, std::size_t features);
    Rows(DenseView<std::uint8_t> values, std::size_t rows, std::size_t features);
    Rows(DenseView<float> values, std::size_t rows, std::size_t features);
    Rows(DenseView<double> values, std::size_t rows, std::size_t features);
    Rows(SparseView values, std::size_t features);

    /// What else is known of them: names of the columns, which must outlive the view; that they are
    /// images, whose pixels the columns are.
    Rows& set_column_names(std::span<const std::string> names);
    Rows& set_image(ImageSize size);

    std::size_t size() const { return rows_; }
    std::size_t features() const { return features_; }
    bool sparse() const { return std::holds_alternative<SparseView>(values_); }
    DataKind kind() const { return kind_; }
    /// The name used in error messages.
    std::string_view name() const { return name_; }
    ImageSize image() const { return image_; }
    /// Empty if the columns have no names.
    std::span<const std::string> column_names() const { return column_names_; }
    /// One list per feature, as in TableColumns; empty if all columns are numbers.
    std::span<const std::vector<std::string>> categories() const { return categories_; }
    /// All that is known of the columns; what a model remembers.
    TableColumns columns() const;
    /// "FILE:LINE" if the lines are known, else "NAME: row R (from 0)"; for error messages.
    std::string where(std::size_t row) const;
    const Values& values() const { return values_; }

    /// Writes a row into `out`: zeros where a sparse row has no entry and where `out` is longer
    /// than a dense row; columns beyond `out` are left out.
    void copy_row(std::size_t row, std::span<double> out) const;

    /// Calls visit(column, value) for the values of a row that are not 0, in ascending order of the
    /// columns.
    template <class Visit>
    void for_each_nonzero(std::size_t row, const Visit& visit) const {
        if (const auto* x = std::get_if<SparseView>(&values_)) {
            for (std::size_t e = x->row_start[row]; e < x->row_start[row + 1]; ++e) {
                if (x->value[e] != 0) visit(std::size_t{x->column[e]}, double{x->value[e]});
            }
            return;
        }
        std::visit(
            [&]<class View>(const View& x) {
                if constexpr (!std::is_same_v<View, SparseView>) {
                    for (std::size_t j = 0; j < features_; ++j) {
                        const auto value = static_cast<double>(x.at(row, j));
                        if (value != 0) visit(j, value);
                    }
                }
            },
            values_);
    }

  private:
    void check_columns() const;

    Values values_;
    std::size_t rows_ = 0;
    std::size_t features_ = 0;
    DataKind kind_ = DataKind::kTable;
    std::string_view name_ = "rows";
    std::span<const std::string> column_names_;
    std::span<const std::vector<std::string>> categories_;
    std::span<const std::uint32_t> lines_;
    std::string_view roles_;
    std::span<const std::string> other_names_;
    ImageSize image_;
};

/// Rows with one class each: labels are indices into class_names.
struct BITBAYES_API LabelledRows {
    Rows rows;
    std::span<const std::uint32_t> labels;
    std::span<const std::string> class_names;
    /// How many times each row counts in learning; empty: once.
    std::span<const float> weights = {};

    /// Error(kData) unless every row has a label and every label a name.
    LabelledRows(Rows what, std::span<const std::uint32_t> row_labels,
                 std::span<const std::string> names);
    LabelledRows(const Dataset& data);  // implicit
};

}  // namespace bitbayes

// Python objects as the library's types, and back.
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bitbayes/bitbayes.hpp"

namespace bitbayes::python {

namespace py = pybind11;

/// Rows of an array, of a scipy.sparse.csr_matrix or of a Dataset, with all they refer to.
class Input {
  public:
    explicit Input(const py::object& from);

    const Rows& rows() const { return *rows_; }
    Rows& rows() { return *rows_; }
    /// Null unless the rows are those of a Dataset.
    const Dataset* dataset() const { return dataset_; }

  private:
    void take_dense(const py::object& from);
    void take_sparse(const py::object& from);

    py::object kept_;
    const Dataset* dataset_ = nullptr;
    std::vector<std::uint64_t> row_start_;
    std::vector<std::uint32_t> column_;
    std::vector<float> value_;
    std::optional<Rows> rows_;
};

/// Rows with labels and weights; of a Dataset its own, unless others are given.
class LabelledInput {
  public:
    /// Without `class_names` labels are indices into `own_names`.
    LabelledInput(const py::object& rows, const py::object& labels, const py::object& class_names,
                  const py::object& weights = py::none(),
                  const std::vector<std::string>& own_names = {});

    LabelledRows get() const;
    Input& input() { return input_; }

  private:
    Input input_;
    std::vector<std::uint32_t> labels_;
    std::vector<std::string> class_names_;
    std::vector<float> weights_;
};

std::vector<std::uint32_t> labels_of(const py::object& labels);

/// An array of its own; the vector moves into it.
template <class T>
py::array_t<T> array_of(std::vector<T> values, std::vector<py::ssize_t> shape) {
    auto* owner = new std::vector<T>(std::move(values));
    const py::capsule free(owner, [](void* p) { delete static_cast<std::vector<T>*>(p); });
    return py::array_t<T>(std::move(shape), owner->data(), free);
}

/// A read-only array of memory that `owner` keeps.
template <class T>
py::array_t<T> view_of(const T* data, std::vector<py::ssize_t> shape, const py::handle& owner) {
    py::array_t<T> array(std::move(shape), data, owner);
    array.attr("setflags")(py::arg("write") = false);
    return array;
}

py::object answers_of(const std::vector<Answer>& answers);
py::dict dict_of(const Evaluation& evaluation);
py::dict dict_of(const PackedEvaluation& evaluation);

TrainOptions options_of(const py::dict& options);
py::dict dict_of(const TrainOptions& options);

void bind_data(py::module_& module);
void bind_options(py::module_& module);
void bind_model(py::module_& module);
void bind_training(py::module_& module);
void bind_packed(py::module_& module);

}  // namespace bitbayes::python

#include "convert.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace bitbayes::python {
namespace {

constexpr int kAligned = py::detail::npy_api::NPY_ARRAY_ALIGNED_;

std::string text(const py::handle& object) { return py::cast<std::string>(py::str(object)); }

py::array whole_numbers(const py::object& from, const char* what) {
    const py::array array(from);
    const char kind = array.dtype().kind();
    if (array.ndim() != 1 || (array.size() > 0 && kind != 'i' && kind != 'u')) {
        throw py::type_error(std::string(what) + " must be whole numbers in one dimension, not " +
                             text(array.dtype()) + " in " + std::to_string(array.ndim()));
    }
    return array.attr("astype")("int64");
}

std::vector<std::string> names_of(const py::object& names) {
    std::vector<std::string> result;
    for (const py::handle& name : py::list(names)) {
        if (py::isinstance<py::str>(names) || !py::isinstance<py::str>(name)) {
            throw py::type_error("class_names must be a list of str");
        }
        result.push_back(name.cast<std::string>());
    }
    return result;
}

template <class T>
DenseView<T> view(const py::array& array) {
    constexpr auto size = static_cast<py::ssize_t>(sizeof(T));
    return {static_cast<const T*>(array.data()), array.strides(0) / size, array.strides(1) / size};
}

/// Elements that can be read as they lie: whole strides, aligned.
bool readable(const py::array& array) {
    const py::ssize_t size = array.itemsize();
    return (array.flags() & kAligned) != 0 && array.strides(0) % size == 0 &&
           array.strides(1) % size == 0;
}

py::dict dict_of(const ClassFigures& figures) {
    using namespace py::literals;
    return py::dict("rows"_a = figures.rows, "precision"_a = figures.precision,
                    "recall"_a = figures.recall, "f1"_a = figures.f1, "auc"_a = figures.auc);
}

template <class T>
void add_classes(py::dict& to, const T& evaluation) {
    const auto classes = static_cast<py::ssize_t>(evaluation.confusion.classes());
    py::array_t<std::int64_t> confusion({classes, classes});
    std::fill_n(confusion.mutable_data(), confusion.size(), 0);
    for (const auto& [pair, times] : evaluation.confusion.entries()) {
        confusion.mutable_at(pair.first, pair.second) = static_cast<std::int64_t>(times);
    }
    py::list per_class;
    for (const ClassFigures& figures : evaluation.per_class) per_class.append(dict_of(figures));
    to["confusion"] = confusion;
    to["per_class"] = per_class;
    to["macro"] = dict_of(evaluation.macro);
}

}  // namespace

Input::Input(const py::object& from) {
    if (py::isinstance<Dataset>(from)) {
        kept_ = from;
        dataset_ = from.cast<const Dataset*>();
        rows_.emplace(*dataset_);
    } else if (py::hasattr(from, "indptr")) {
        take_sparse(from);
    } else {
        take_dense(from);
    }
}

void Input::take_dense(const py::object& from) {
    py::array array(from);
    if (array.ndim() != 2) {
        throw py::value_error("rows must have 2 dimensions, not " + std::to_string(array.ndim()));
    }
    const auto is = [&](auto sample) {
        return array.dtype().is(py::dtype::of<decltype(sample)>());
    };
    if (!is(std::uint8_t()) && !is(float()) && !is(double())) {
        const char kind = array.dtype().kind();
        if (std::string("buifO").find(kind) == std::string::npos) {
            throw py::type_error("rows must be numbers, not " + text(array.dtype()));
        }
        array = array.attr("astype")("float64");
    }
    if (!readable(array)) array = array.attr("copy")();
    kept_ = array;
    const auto rows = static_cast<std::size_t>(array.shape(0));
    const auto columns = static_cast<std::size_t>(array.shape(1));
    if (columns == 0) throw py::value_error("rows without columns");
    if (is(std::uint8_t())) {
        rows_.emplace(view<std::uint8_t>(array), rows, columns);
    } else if (is(float())) {
        rows_.emplace(view<float>(array), rows, columns);
    } else {
        rows_.emplace(view<double>(array), rows, columns);
    }
}

void Input::take_sparse(const py::object& from) {
    if (py::hasattr(from, "format") && text(from.attr("format")) != "csr") {
        throw py::type_error("sparse rows must be a CSR matrix, not " + text(from.attr("format")));
    }
    const auto shape = from.attr("shape").cast<std::pair<std::size_t, std::size_t>>();
    const auto starts = whole_numbers(from.attr("indptr"), "indptr");
    const auto indices = whole_numbers(from.attr("indices"), "indices");
    const py::array_t<float, py::array::c_style | py::array::forcecast> values(from.attr("data"));
    const auto* start = static_cast<const std::int64_t*>(starts.data());
    const auto* index = static_cast<const std::int64_t*>(indices.data());
    const py::ssize_t entries = std::min(indices.size(), values.size());
    if (starts.size() != static_cast<py::ssize_t>(shape.first) + 1 || values.ndim() != 1 ||
        start[0] != 0 || !std::is_sorted(start, start + starts.size()) ||
        start[shape.first] > entries) {
        throw py::value_error("indptr, indices and data of the CSR matrix do not fit together");
    }
    if (shape.second > std::numeric_limits<std::uint32_t>::max()) {
        throw py::value_error("a sparse matrix of more than 2^32 - 1 columns");
    }
    row_start_.assign(1, 0);
    std::vector<std::pair<std::uint32_t, float>> row;
    for (std::size_t r = 0; r < shape.first; ++r) {
        row.clear();
        for (std::int64_t e = start[r]; e < start[r + 1]; ++e) {
            if (index[e] < 0 || static_cast<std::size_t>(index[e]) >= shape.second) {
                throw py::value_error("row " + std::to_string(r) + ": column " +
                                      std::to_string(index[e]) + " of " +
                                      std::to_string(shape.second));
            }
            row.emplace_back(static_cast<std::uint32_t>(index[e]), values.data()[e]);
        }
        std::stable_sort(row.begin(), row.end(),
                         [](const auto& a, const auto& b) { return a.first < b.first; });
        for (const auto& [column, value] : row) {
            if (column_.size() > row_start_.back() && column_.back() == column) {
                value_.back() += value;
                continue;
            }
            column_.push_back(column);
            value_.push_back(value);
        }
        row_start_.push_back(column_.size());
    }
    rows_.emplace(SparseView{row_start_, column_, value_}, shape.second);
}

std::vector<std::uint32_t> labels_of(const py::object& from) {
    const py::array array = whole_numbers(from, "labels");
    const auto* label = static_cast<const std::int64_t*>(array.data());
    std::vector<std::uint32_t> labels;
    for (py::ssize_t r = 0; r < array.size(); ++r) {
        if (label[r] < 0 || label[r] > std::numeric_limits<std::uint32_t>::max()) {
            throw py::value_error("labels: " + std::to_string(label[r]) + " is no class index");
        }
        labels.push_back(static_cast<std::uint32_t>(label[r]));
    }
    return labels;
}

LabelledInput::LabelledInput(const py::object& rows, const py::object& labels,
                             const py::object& class_names, const py::object& weights,
                             const std::vector<std::string>& own_names)
    : input_(rows) {
    const Dataset* data = input_.dataset();
    if (!labels.is_none()) {
        labels_ = labels_of(labels);
        class_names_ = class_names.is_none() ? own_names : names_of(class_names);
    } else if (data != nullptr) {
        labels_ = data->labels;
        class_names_ = data->class_names;
    } else {
        throw py::value_error("labels are missing");
    }
    if (!weights.is_none()) {
        const py::array_t<float, py::array::forcecast> array(weights);
        if (array.ndim() != 1 || static_cast<std::size_t>(array.size()) != labels_.size()) {
            throw py::value_error("weights must be one number per row");
        }
        for (py::ssize_t r = 0; r < array.size(); ++r) weights_.push_back(array.at(r));
    } else if (data != nullptr) {
        weights_ = data->weights;
    }
}

LabelledRows LabelledInput::get() const {
    LabelledRows result(input_.rows(), labels_, class_names_);
    result.weights = weights_;
    return result;
}

py::object answers_of(const std::vector<Answer>& answers) {
    static const py::handle type =
        py::object(py::module_::import("bitbayes._core").attr("Answers")).release();
    const auto rows = static_cast<py::ssize_t>(answers.size());
    py::array_t<std::uint32_t> class_index(rows);
    py::array_t<double> probability(rows), validity(rows), margin(rows);
    py::array_t<bool> known(rows);
    auto* c = class_index.mutable_data();
    auto* p = probability.mutable_data();
    auto* v = validity.mutable_data();
    auto* m = margin.mutable_data();
    auto* k = known.mutable_data();
    for (std::size_t r = 0; r < answers.size(); ++r) {
        c[r] = answers[r].class_index;
        p[r] = answers[r].probability;
        v[r] = answers[r].validity;
        m[r] = answers[r].margin;
        k[r] = answers[r].known;
    }
    return type(class_index, probability, validity, margin, known);
}

py::dict dict_of(const Evaluation& e) {
    using namespace py::literals;
    py::dict result("rows"_a = e.rows, "error_map"_a = e.error_map, "error_mean"_a = e.error_mean,
                    "nll"_a = e.nll, "brier"_a = e.brier, "ece"_a = e.ece,
                    "validity"_a = e.validity);
    add_classes(result, e);
    return result;
}

py::dict dict_of(const PackedEvaluation& e) {
    using namespace py::literals;
    py::dict result("rows"_a = e.rows, "error_map"_a = e.error_map, "legal"_a = e.legal,
                    "abstained"_a = e.abstained, "error_accepted"_a = e.error_accepted,
                    "outside"_a = e.outside);
    add_classes(result, e);
    return result;
}

}  // namespace bitbayes::python

// A table of labelled rows in memory, kept as it came: bytes stay bytes, sparse rows stay sparse.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace bitbayes {

/// Compressed sparse rows. Row r holds entries row_start[r] .. row_start[r + 1] - 1, columns
/// ascending, from 0.
struct SparseRows {
    std::vector<std::uint64_t> row_start{0};
    std::vector<std::uint32_t> column;
    std::vector<float> value;
};

/// Where the rows came from; decides what `--preprocess auto` chooses.
enum class DataKind { kTable, kImages, kSparse, kTeacher };

struct Dataset {
    std::string name;  // how messages call it
    DataKind kind = DataKind::kTable;
    std::size_t rows = 0;
    std::size_t features = 0;
    /// Dense values are row-major, NaN where missing.
    std::variant<std::vector<std::uint8_t>, std::vector<float>, std::vector<double>, SparseRows>
        values;
    /// One per row, an index into class_names; empty if the data has no labels.
    std::vector<std::uint32_t> labels;
    /// Sorted numerically if all are integers, else by bytes.
    std::vector<std::string> class_names;
    /// What the reader has to say, e.g. "12 missing values".
    std::vector<std::string> notes;

    bool sparse() const { return std::holds_alternative<SparseRows>(values); }
    bool labelled() const { return !labels.empty(); }

    /// Writes dense row `row` (not for sparse data) into `out`, which has `features` elements.
    void copy_row(std::size_t row, std::span<double> out) const;

    /// The given rows, in the given order, with the same class names.
    Dataset select(std::span<const std::size_t> chosen) const;
};

enum class Split { kWhole, kTrain, kTest };

/// What one DATA argument names. `test` has no rows if the data has one split only.
struct LoadedData {
    Dataset train;
    Dataset test;
    bool has_test() const { return test.rows > 0; }
};

struct ReadOptions {
    std::string format;               // "", "csv", "libsvm", "idx", "npz"; empty: detect
    std::string label = "last";       // CSV: last, first, an index from 0, or a column name
    std::vector<std::string> ignore;  // CSV: columns to leave out, by index or name
    /// If known (not 0): a CSV with exactly this many columns has no label; LIBSVM indices above it
    /// are left out.
    std::size_t expected_features = 0;
};

/// Reads DATA: a name (mnist, fashion-mnist, teacher:M[:SEED]), a folder of IDX files, an
/// IMAGES,LABELS pair, a CSV, LIBSVM or NPZ file (each also gzipped), or "-". It may end in :train
/// or :test, and then in #A:B.
LoadedData load_data(const std::string& data, const ReadOptions& options = {});

/// One table: the test split of data that has two (or the one that :train or :test names), else the
/// whole.
Dataset load_dataset(const std::string& data, const ReadOptions& options = {},
                     Split preferred = Split::kTest);

}  // namespace bitbayes

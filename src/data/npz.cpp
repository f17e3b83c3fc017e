#include "data/npz.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "bitbayes/types/error.hpp"
#include "data/classes.hpp"
#include "data/npy.hpp"
#include "data/rows.hpp"
#include "data/zip.hpp"

namespace bitbayes::data {

namespace {

[[noreturn]] void fail(const std::string& name, const std::string& what,
                       const std::string& hint = "") {
    throw Error(ErrorCode::kData, name + ": " + what, hint);
}

/// What the arrays take, checked before it is taken.
struct Memory {
    const Input& input;
    std::size_t taken = 0;

    void add(std::size_t bytes) {
        taken += bytes;
        input.check_memory(taken);
    }
    void check(std::size_t more) const { input.check_memory(taken + more); }
};

const ZipMember* find_array(const std::vector<ZipMember>& members, char letter) {
    const auto upper = static_cast<char>(letter - 'a' + 'A');
    for (const auto& member : members) {
        if (member.name == std::string{letter} + ".npy" ||
            member.name == std::string{upper} + ".npy") {
            return &member;
        }
    }
    return nullptr;
}

/// Where in a row's elements feature c lies, in file order: C order varies the last index fastest,
/// Fortran the first.
std::size_t feature_offset(const NpyArray& x, std::size_t c) {
    if (!x.fortran_order) return c;
    std::size_t offset = 0, stride = x.size();
    for (std::size_t d = x.shape.size(); d-- > 1;) {
        stride /= x.shape[d];
        offset += c % x.shape[d] * stride;
        c /= x.shape[d];
    }
    return offset;
}

/// At most: whole numbers may become floats, or doubles.
std::size_t table_bytes(const NpyArray& x, DataKind kind) {
    const std::size_t per_value =
        kind == DataKind::kImages ? 1 : std::min<std::size_t>(8, 4 * x.item_size);
    return x.size() * per_value;
}

void fill_values(const NpyArray& x, Dataset& data) {
    const std::size_t row_stride = x.fortran_order ? 1 : data.features;
    std::vector<std::uint8_t> bytes;
    ValueBuilder numbers;
    for (std::size_t row = 0; row < data.rows; ++row) {
        for (std::size_t c = 0; c < data.features; ++c) {
            const double value = x.number(row * row_stride + feature_offset(x, c));
            if (!std::isfinite(value)) {
                fail(x.name, fmt::format("row {} (from 0) has a value that is not finite", row));
            }
            if (data.kind == DataKind::kImages) {
                bytes.push_back(static_cast<std::uint8_t>(value));
            } else {
                numbers.add(value);
            }
        }
    }
    if (data.kind == DataKind::kImages) {
        data.values = std::move(bytes);
    } else {
        numbers.finish(data);
    }
}

void fill_labels(const NpyArray& y, const Memory& memory, Dataset& data) {
    const bool column = y.shape.size() == 1 || (y.shape.size() == 2 && y.shape[1] == 1);
    if (!column || y.shape[0] != data.rows) {
        fail(y.name,
             fmt::format("shape ({}), where X has {} rows", fmt::join(y.shape, ", "), data.rows));
    }
    LabelBuilder labels;
    for (std::size_t row = 0; row < data.rows; ++row) {
        if (y.kind == 'f' && !std::isfinite(y.number(row))) {
            fail(y.name, fmt::format("label {} (from 0) is not finite", row));
        }
        const std::string label = y.text(row);
        if (label.empty()) fail(y.name, fmt::format("label {} (from 0) is missing", row));
        labels.add(label);
        memory.check(labels.bytes());
    }
    labels.finish(data);
}

bool is_workbook(const std::vector<ZipMember>& members) {
    return std::any_of(members.begin(), members.end(), [](const ZipMember& member) {
        return member.name == "[Content_Types].xml" || member.name.starts_with("xl/");
    });
}

}  // namespace

Dataset read_npz(Input& input) {
    const std::string archive = read_all(input), &name = input.name();
    Memory memory{input, archive.size()};
    const auto members = zip_members(archive, name);
    const ZipMember* x_member = find_array(members, 'x');
    if (!x_member) {
        fail(name, "no array X",
             is_workbook(members) ? "an Excel file? save it as CSV"
                                  : "numpy.savez(FILE, X=..., y=...)");
    }
    memory.add(x_member->size);
    const std::string x_bytes = unzip(archive, *x_member, name);
    const NpyArray x = parse_npy(x_bytes, name + " (" + x_member->name + ")");
    if (x.kind == 'U' || x.kind == 'S') fail(x.name, "strings, where numbers are needed");
    if (x.shape.empty() || x.values.empty()) fail(x.name, "no rows");

    Dataset data;
    data.name = name;
    data.kind = x.kind == 'u' && x.item_size == 1 ? DataKind::kImages : DataKind::kTable;
    data.rows = x.shape[0];
    data.features = x.size() / data.rows;
    if (x.shape.size() == 3) data.image = {x.shape[1], x.shape[2]};
    memory.add(table_bytes(x, data.kind));
    fill_values(x, data);
    if (const ZipMember* y_member = find_array(members, 'y')) {
        memory.add(y_member->size);
        const std::string y_bytes = unzip(archive, *y_member, name);
        fill_labels(parse_npy(y_bytes, name + " (" + y_member->name + ")"), memory, data);
    }
    return data;
}

Dataset read_npz(std::string_view archive, const std::string& name) {
    Input input(archive, name);
    return read_npz(input);
}

}  // namespace bitbayes::data

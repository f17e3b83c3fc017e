// NPY arrays (versions 1.0 to 3.0) in memory: numbers, booleans and strings of either byte order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace bitbayes::data {

struct NpyArray {
    std::string name;  // the name used in error messages
    char kind = 'f';   // NumPy's letter: b u i f, U (UTF-32), S (bytes)
    bool big_endian = false;
    std::size_t item_size = 0;  // in bytes
    bool fortran_order = false;
    std::vector<std::size_t> shape;
    std::string_view values;

    std::size_t size() const { return values.size() / item_size; }
    /// Element `i` in file order; not for strings.
    double number(std::size_t i) const;
    /// The same as a label: whole numbers without a decimal point, strings in UTF-8.
    std::string text(std::size_t i) const;

  private:
    std::uint64_t bits(std::size_t offset, std::size_t count) const;
    std::int64_t integer(std::size_t i) const;
    std::string utf8(std::size_t i) const;
};

/// The array points into `bytes`. Error(kData) for anything that is not such an array, pickled
/// objects included.
NpyArray parse_npy(std::string_view bytes, const std::string& name);

}  // namespace bitbayes::data

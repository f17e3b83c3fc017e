// What the cells of a CSV column say: missing values, numbers, words.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace bitbayes::data {

/// Codes of words must fit the 16-bit columns of a packed network.
inline constexpr std::size_t kMaxCategories = 32767;

/// An empty cell, ?, NA, nan, NULL, None.
bool is_missing(std::string_view cell);

class ColumnCells {
  public:
    enum class Kind {
        kUndecided,  // the first cell that is not missing decides: numbers or words
        kNumbers,
        kWords,       // a number among them is an error
        kAnyWords,    // numbers are words too
        kKnownWords,  // those of a model; others count as missing
    };

    explicit ColumnCells(Kind kind = Kind::kUndecided, std::vector<std::string> categories = {});

    /// The number, the code of the word, or NaN where missing; nullopt for a cell of the other kind.
    std::optional<double> value(std::string_view cell, std::size_t line);
    /// Error(kData) for a cell that value() did not take.
    [[noreturn]] void refuse(std::string_view cell, const std::string& where,
                             const std::string& column) const;

    bool words() const { return kind_ > Kind::kNumbers; }
    /// Words in the order of their codes.
    const std::vector<std::string>& categories() const { return categories_; }
    /// There were more than kMaxCategories words; those beyond count as missing.
    bool too_many() const { return too_many_; }
    std::size_t missing() const { return missing_; }
    /// Words unknown to the model, and the first of them.
    std::size_t unknown() const { return unknown_; }
    const std::string& first_unknown() const { return first_unknown_; }

  private:
    double code(std::string_view word);

    Kind kind_;
    std::string first_word_;  // that decided the kind
    std::size_t first_line_ = 0;
    std::vector<std::string> categories_;
    std::unordered_map<std::string, std::uint32_t> code_of_;
    bool too_many_ = false;
    std::size_t missing_ = 0, unknown_ = 0;
    std::string first_unknown_;
};

}  // namespace bitbayes::data

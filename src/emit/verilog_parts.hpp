// What both forms of Verilog share.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "emit/verilog.hpp"

namespace bitbayes::emit {

/// Bits needed for 0 .. `largest`; at least 1.
std::size_t unsigned_width(std::size_t largest);
/// Bits needed for -`largest` .. `largest`, with a sign.
std::size_t signed_width(std::int64_t largest);

/// Levels of runtime/rtl/popcount.v: the largest L with 2^L <= count.
std::size_t popcount_levels(std::size_t count);

/// A column in the network: its bits, and whether the highest is a sign.
struct ColumnFormat {
    std::size_t width = 1;
    bool is_signed = false;
};
ColumnFormat column_format(packed::ColumnType type);
/// Inputs of -1 and +1 are one bit b, x = 2b - 1.
bool has_sign_inputs(const packed::Network& network);
/// Whether the values of inputs have a sign bit.
bool has_signed_values(const packed::Network& network);
/// The comparator in the form in which columns are sent; one beyond their range is moved to its
/// end.
int travelling_comparator(packed::ColumnType type, int comparator);

/// Dense layers below the trees; at least 1.
std::size_t dense_layers(const packed::Network& network);
/// An upper bound on |sum - threshold| in layer l + 1 of all members.
std::int64_t largest_sum(const packed::Network& network, std::size_t l);

/// A number of any width, lowest bit first.
class Bits {
  public:
    void add(bool bit) { bits_.push_back(bit); }
    /// The lowest `width` bits of a number.
    void add(std::int64_t value, std::size_t width);
    std::size_t size() const { return bits_.size(); }
    std::string hex() const;
    /// SIZE'hDIGITS
    std::string literal() const;

  private:
    std::vector<bool> bits_;
};

using Pairs = std::vector<std::pair<std::string, std::string>>;
/// "    MODULE #(.PARAMETER(VALUE), ...) INSTANCE (.PORT(SIGNAL), ...);", one per line.
std::string instance(const std::string& module, const std::string& name, const Pairs& parameters,
                     const Pairs& ports);
/// "    wire [W-1:0] NAME;"
std::string wire(std::size_t width, const std::string& name, bool is_signed = false);
/// Whether the margin reaches `abstain_below`.
std::string known(const packed::Network& network, const std::string& margin, std::size_t width);

/// What the testbench and README.md need to know about a form.
struct Form {
    std::string top;                  // text of NAME.v
    Files roms;                       // NAME_*.hex
    std::vector<std::string> blocks;  // of runtime/rtl, without .v
    std::size_t score_width = 0, label_width = 0;
    VerilogFigures figures;
};

Form parallel_form(const packed::Network& network, const std::string& name);
Form folded_form(const packed::Network& network, const std::string& name, std::size_t parallel);

std::string verilog_readme(const packed::Network& network, const std::string& name,
                           const Form& form);

}  // namespace bitbayes::emit

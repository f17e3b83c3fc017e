// The AXI-Stream ports and what stands behind them: the same for both forms.
#pragma once

#include "emit/verilog_parts.hpp"

namespace bitbayes::emit {

/// Error(kUsage) if classes or scores do not fit the ports.
void check_ports(const packed::Network& network, const Form& form);

/// Module, parameter and ports of the top, after a comment that says what the form does.
std::string stream_head(const packed::Network& network, const std::string& name,
                        const std::string& form);

/// runtime/rtl/columns.v: the signals valid, ready, column, last and wrong; also declares loaded,
/// loaded_wrong and start.
std::string stream_input(const packed::Network& network, const std::string& name);

/// Of a score that a committee adds from members' scores of `member_width` bits.
std::size_t committee_width(const packed::Network& network, std::size_t member_width);

struct MemberSignals {
    std::string scores;        // read with NAME_valid; the label is NAME_label
    std::string labels_valid;  // written
};
/// runtime/rtl/argmax_stream.v for a member of a committee: only its label is used.
std::string label_of(const packed::Network& network, const std::string& name, const Form& form,
                     const MemberSignals& member);

/// The parameters of runtime/rtl/answers.v that differ between forms.
struct AnswerPlaces {
    std::size_t places = 1, spacing = 0;
};
/// From the signals SCORES and SCORES_valid, one score per clock, to the ports.
std::string stream_output(const packed::Network& network, const std::string& name, const Form& form,
                          const std::string& scores, AnswerPlaces places);

}  // namespace bitbayes::emit

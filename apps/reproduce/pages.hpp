// The report: results.json with its verdicts, as sections of text, tables and figures.
#pragma once

#include "report/document.hpp"
#include "terminal/output.hpp"

namespace bitbayes::cli::reproduce {

report::Document report_of(const Json& results);

/// Raises the top of the panel, if it is fixed, where a series with dots goes beyond it.
void make_room_for_dots(report::Panel& panel);

// Its parts.
report::Section teacher_student_page(const Json& runs);
report::Section mnist_page(const Json& mnist);
report::Section single_layer_page(const Json& single_layer);
report::Section dense_page(const Json& results);
report::Section claims_page(const Json& claims);

}  // namespace bitbayes::cli::reproduce

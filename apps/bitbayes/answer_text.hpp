// Answers as CSV and JSON rows.
#pragma once

#include <string>
#include <vector>

#include "bitbayes/types/answer.hpp"
#include "terminal/output.hpp"

namespace bitbayes::cli {

/// One row of answers, and what goes with it.
struct AnswerRow {
    const std::string* id = nullptr;  // null: there are no ids
    const Answer& answer;
    const double* probabilities = nullptr;  // of all classes; null: not asked for
};

class AnswerText {
  public:
    struct Layout {
        std::vector<std::string> class_names;
        std::string id;      // the name of the id column; empty: none
        bool map = false;    // validity and margin are whole numbers
        bool known = false;  // a packed network may answer "don't know"
        bool proba = false;
    };

    explicit AnswerText(Layout layout) : layout_(std::move(layout)) {}
    std::string csv_header() const;
    std::string csv(const AnswerRow& row) const;
    Json json(const AnswerRow& row) const;

  private:
    Layout layout_;
};

}  // namespace bitbayes::cli

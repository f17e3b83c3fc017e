#include "answer_text.hpp"

#include <fmt/format.h>

#include <cmath>

namespace bitbayes::cli {

namespace {

std::string csv_cell(const std::string& text) {
    if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
    std::string quoted = "\"";
    for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
    return quoted + "\"";
}

/// The shortest digits that give the same number when read again; empty for NaN.
std::string exact(double value) { return std::isnan(value) ? "" : fmt::format("{}", value); }

}  // namespace

std::string AnswerText::csv_header() const {
    std::string text = layout_.id.empty() ? "" : csv_cell(layout_.id) + ",";
    text += "label,probability,validity,margin";
    if (layout_.known) text += ",known";
    for (std::size_t k = 0; layout_.proba && k < layout_.class_names.size(); ++k) {
        text += "," + csv_cell("p_" + layout_.class_names[k]);
    }
    return text + "\n";
}

std::string AnswerText::csv(const AnswerRow& row) const {
    const Answer& answer = row.answer;
    std::string text = layout_.id.empty() ? "" : csv_cell(*row.id) + ",";
    text += csv_cell(layout_.class_names[answer.class_index]) + "," + exact(answer.probability);
    text += layout_.map ? fmt::format(",{:.0f},{:.0f}", answer.validity, answer.margin)
                        : fmt::format(",{},{}", exact(answer.validity), exact(answer.margin));
    if (layout_.known) text += answer.known ? ",1" : ",0";
    for (std::size_t k = 0; layout_.proba && k < layout_.class_names.size(); ++k) {
        text += "," + exact(row.probabilities[k]);
    }
    return text + "\n";
}

Json AnswerText::json(const AnswerRow& row) const {
    const auto number = [&](double value) {
        return layout_.map ? Json(static_cast<std::int64_t>(value)) : Json(value);
    };
    Json object;
    if (!layout_.id.empty()) object["id"] = *row.id;
    object["label"] = layout_.class_names[row.answer.class_index];
    object["probability"] = row.answer.probability;
    object["validity"] = number(row.answer.validity);
    object["margin"] = number(row.answer.margin);
    if (layout_.known) object["known"] = row.answer.known;
    if (!layout_.proba) return object;
    for (std::size_t k = 0; k < layout_.class_names.size(); ++k) {
        object["probabilities"][layout_.class_names[k]] = row.probabilities[k];
    }
    return object;
}

}  // namespace bitbayes::cli

// The report of `eval --report`: whether a model's probabilities can be trusted, and whether it
// notices rows that it knows nothing about.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bitbayes/model.hpp"
#include "learn/confidence.hpp"
#include "report/document.hpp"
#include "terminal/output.hpp"

namespace bitbayes::cli {

/// What a model thinks of its answers; one value per row.
struct Trust {
    std::vector<double> confidence, validity;  // confidence: NaN for BackProp
};

/// Rows without meaning for the model, against those that it was evaluated on.
struct UnknownRows {
    std::string name;
    Trust trust;
    double auroc_validity = 0, auroc_confidence = 0;  // NaN if there is none
    std::string note;                                 // why there is none
};

struct EvalReport {
    std::string model, data;  // names
    std::vector<std::string> classes;
    Evaluation evaluation;
    bool probabilities = true;  // false: BackProp
    bool one_output = false;    // two classes: validity is always 1
    Trust trust;
    std::vector<learn::ReliabilityBin> reliability;
    learn::RiskCoverage risk;
    double auroc_errors = 0;  // NaN if all answers are right, or none
    std::optional<UnknownRows> unknown;
};

/// Without `unknown`, without names.
EvalReport report_on(const Model& model, const Dataset& data, const Evaluation& evaluation,
                     unsigned threads);
void add_unknown(EvalReport& report, const Model& model, const std::string& name,
                 const Dataset& unknown, unsigned threads);

Json to_json(const EvalReport& report);
report::Document to_document(const EvalReport& report);

}  // namespace bitbayes::cli

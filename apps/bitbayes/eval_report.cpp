#include "eval_report.hpp"

#include <cmath>

#include "learn/class_scores.hpp"
#include "learn/live_model.hpp"

namespace bitbayes::cli {

namespace {

Trust trust_of(const std::vector<Answer>& answers) {
    Trust trust;
    for (const Answer& answer : answers) {
        trust.confidence.push_back(answer.probability);
        trust.validity.push_back(answer.validity);
    }
    return trust;
}

/// The probability that a known row has a higher value than an unknown one.
double auroc(const std::vector<double>& known, const std::vector<double>& unknown) {
    std::vector<double> values = known;
    values.insert(values.end(), unknown.begin(), unknown.end());
    std::vector<std::uint32_t> is_known(known.size(), 1);
    is_known.resize(values.size(), 0);
    return learn::area_under_roc(values, is_known, 1);
}

Json reliability_json(const std::vector<learn::ReliabilityBin>& bins) {
    Json list = Json::array();
    for (const auto& bin : bins) {
        list.push_back({{"low", bin.low},
                        {"high", bin.high},
                        {"rows", bin.rows},
                        {"confidence", bin.confidence},
                        {"accuracy", bin.accuracy}});
    }
    return list;
}

Json curve_json(const std::vector<learn::CoveragePoint>& curve) {
    Json list = Json::array();
    for (const auto& point : curve) {
        list.push_back({{"coverage", point.coverage}, {"risk", point.risk}});
    }
    return list;
}

Json confusion_json(const Confusion& confusion, const std::vector<std::string>& classes) {
    Json list = Json::array();
    for (const auto& [pair, rows] : confusion.entries()) {
        list.push_back(
            {{"truth", classes[pair.first]}, {"answer", classes[pair.second]}, {"rows", rows}});
    }
    return list;
}

Json unknown_json(const UnknownRows& unknown) {
    Json object{{"name", unknown.name},
                {"rows", unknown.trust.validity.size()},
                {"auroc_validity", unknown.auroc_validity},
                {"auroc_confidence", unknown.auroc_confidence}};
    if (!unknown.note.empty()) object["note"] = unknown.note;
    return object;
}

}  // namespace

EvalReport report_on(const Model& model, const Dataset& data, const Evaluation& evaluation,
                     unsigned threads) {
    EvalReport report;
    report.classes = model.class_names();
    report.evaluation = evaluation;
    report.probabilities = model.algorithm() == Algorithm::kMfb;
    report.one_output = model.live().outputs() == 1;
    const auto answers = model.predict(data, Mode::kMean, threads);
    const auto labels = model.live().classes().labels_of(data);
    learn::Reliability reliability;
    std::vector<std::uint32_t> right;
    for (std::size_t r = 0; r < answers.size(); ++r) {
        right.push_back(answers[r].class_index == labels[r]);
        reliability.add(answers[r].probability, right[r]);
    }
    report.trust = trust_of(answers);
    report.reliability = reliability.bins();
    report.risk = learn::risk_coverage(report.trust.confidence, right);
    report.auroc_errors = learn::area_under_roc(report.trust.confidence, right, 1);
    return report;
}

void add_unknown(EvalReport& report, const Model& model, const std::string& name,
                 const Dataset& unknown, unsigned threads) {
    UnknownRows rows{name, trust_of(model.predict(unknown, Mode::kMean, threads)), NAN, NAN, ""};
    rows.auroc_confidence = auroc(report.trust.confidence, rows.trust.confidence);
    if (report.one_output) {
        rows.note =
            "With two classes the network has one output, every output pattern is legal, and "
            "validity is always 1: it cannot tell unknown rows.";
    } else {
        rows.auroc_validity = auroc(report.trust.validity, rows.trust.validity);
    }
    report.unknown = std::move(rows);
}

Json to_json(const EvalReport& report) {
    const Evaluation& evaluation = report.evaluation;
    return {{"rows", evaluation.rows},
            {"error_map", evaluation.error_map},
            {"error_mean", evaluation.error_mean},
            {"nll", evaluation.nll},
            {"brier", evaluation.brier},
            {"ece", evaluation.ece},
            {"validity", evaluation.validity},
            {"aurc", report.risk.area},
            {"auroc_errors", report.auroc_errors},
            {"reliability", report.probabilities ? reliability_json(report.reliability) : Json()},
            {"risk_coverage", report.probabilities ? curve_json(report.risk.curve) : Json()},
            {"confusion", confusion_json(evaluation.confusion, report.classes)},
            {"ood", report.unknown ? unknown_json(*report.unknown) : Json()}};
}

}  // namespace bitbayes::cli

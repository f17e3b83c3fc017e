// Ways to a clipped network that is as good as the Bayes average: the figures of
// docs/decisions/0016-polishing.md.
//   polish MODEL TRAIN TEST ROUNDS    a model of `train --polish 0`, the rows it learned, rows to test
// prints one line of JSON per way. train and test are errors of the clipped network: round by round,
// of the posterior's signs first; other ways give the signs and what was found.
#include <fmt/format.h>

#include <ctime>
#include <nlohmann/json.hpp>
#include <numeric>

#include "base/philox.hpp"
#include "bitbayes/read.hpp"
#include "learn/live_model.hpp"
#include "local_search.hpp"
#include "model/model_file.hpp"
#include "training/evaluate.hpp"

namespace {

using namespace bitbayes;
using Json = nlohmann::ordered_json;

constexpr std::size_t kBatch = 30;  // of dense networks, as `train`
constexpr unsigned kThreads = 1;
constexpr std::size_t kDraws = 10, kFlips = 5000, kFlipRows = 1000;

struct Way {
    std::string name;
    double factor;
    std::vector<double> evidence;  // of each round
    bool hold_out = false;         // a tenth of the rows is not learned
};

class Comparison {
  public:
    Comparison(const std::string& model, const std::string& training, const std::string& testing)
        : state_(model::load_model(model)),
          training_file_(load_dataset(training)),
          testing_file_(load_dataset(testing)),
          model_(state_, {kThreads}) {
        labels_ = model_.classes().labels_of(training_);
        const auto order =
            Philox(state_.seed, Purpose::kHoldOut).permutation(training_.rows.size());
        order_.assign(order.begin(), order.end());
        practice_.batch = state_.architecture.is_tree() ? 1 : kBatch;
    }

    void run(std::size_t count) {
        const auto same = [&](double evidence) { return std::vector<double>(count, evidence); };
        const auto figures = training::evaluate(model_, testing_, kThreads);
        print({{"way", "mean"}, {"evidence", state_.evidence}, {"test", figures.error_mean}});
        Found best{state_, errors_of(model_)};
        const std::vector<double> tree{1, 2, 5, 10}, dense{0.25, 0.5, 1, 2, 5};
        for (const double e : state_.architecture.is_tree() ? tree : dense) {
            Found found = rounds({fmt::format("double {:g}", e), 2, same(e)});
            if (found.errors.training <= best.errors.training) best = std::move(found);
        }
        rounds({"1.5 times", 1.5, same(usual())});
        rounds({"hold out", 2, same(usual()), true});
        rounds({"ramp", 1, {2, 4, 8, 16, 32}});
        draws();
        search("flips", state_);
        search("double any, flips", best.state);
    }

  private:
    double usual() const {
        return std::max(state_.architecture.is_tree() ? 5. : 1., state_.evidence);
    }
    std::size_t held_out() const { return order_.size() / 10; }  // the first rows of order_

    static void print(const Json& line) {
        fmt::print("{}\n", line.dump());
        std::fflush(stdout);
    }

    struct Errors {
        double training, held_out, test;
    };
    struct Found {
        learn::ModelState state;
        Errors errors;
    };
    Errors errors_of(const learn::LiveModel& model) const {
        const auto answers = training::clipped_answers(model, training_.rows, kThreads);
        double all = 0, part = 0;
        for (std::size_t k = 0; k < order_.size(); ++k) {
            const bool wrong = answers[order_[k]].class_index != labels_[order_[k]];
            all += wrong;
            if (k < held_out()) part += wrong;
        }
        return {all / static_cast<double>(order_.size()), part / static_cast<double>(held_out()),
                training::clipped_error(model, testing_, kThreads)};
    }
    Errors errors_of(const learn::SignPattern& pattern) const {
        learn::LiveModel copy(state_, {kThreads});
        copy.set_polished(pattern);
        return errors_of(copy);
    }

    void learn(learn::LiveModel& model, std::size_t round, bool hold_out) const {
        const auto shuffled =
            Philox(state_.seed, Purpose::kPolish, static_cast<std::uint32_t>(round))
                .permutation(order_.size());
        std::vector<std::size_t> rows;
        std::vector<std::uint32_t> labels;
        for (const std::size_t k : shuffled) {
            if (hold_out && k < held_out()) continue;
            rows.push_back(order_[k]);
            labels.push_back(labels_[order_[k]]);
        }
        model.learn(training_.rows, rows, labels, [](std::size_t, auto, auto) {});
        model.end_epoch();
    }

    /// The best round on the training rows, the latest of equal ones.
    Found rounds(const Way& way) const {
        const std::clock_t start = std::clock();
        Json all = Json::array(), part = Json::array(), test = Json::array();
        const auto note = [&](const Errors& errors) {
            all.push_back(errors.training);
            part.push_back(errors.held_out);
            test.push_back(errors.test);
        };
        Found best{state_, errors_of(model_)};
        note(best.errors);
        learn::ModelState state = state_;
        for (std::size_t round = 0; round < way.evidence.size(); ++round) {
            for (learn::LayerPosterior& layer : state.posterior.layers) {
                for (float& h : layer.learned) h *= static_cast<float>(way.factor);
                layer.carried.clear();
            }
            state.evidence = way.evidence[round];
            learn::LiveModel copy(std::move(state), {kThreads}, practice_);
            learn(copy, round + 1, way.hold_out);
            const Errors errors = errors_of(copy);
            note(errors);
            state = copy.snapshot();
            if (errors.training <= best.errors.training) best = {state, errors};
        }
        Json line{{"way", way.name}, {"train", all}, {"test", test}};
        if (way.hold_out) line["held_out"] = part;
        line["seconds"] = seconds_since(start);
        print(line);
        return best;
    }

    /// The best on the training rows among the signs and draws of the posterior.
    void draws() const {
        const std::clock_t start = std::clock();
        const Errors signs = errors_of(model_);
        Errors best = signs;
        for (std::uint32_t draw = 0; draw < kDraws; ++draw) {
            learn::Posterior drawn = state_.posterior;
            for (std::size_t l = 0; l < drawn.layers.size(); ++l) {
                const auto stream = static_cast<std::uint32_t>(draw * drawn.layers.size() + l);
                const Philox philox(state_.seed, Purpose::kCommittee, stream);
                auto& h = drawn.layers[l].learned;
                const auto means = learn::weight_means(h);
                for (std::size_t k = 0; k < h.size(); ++k) {
                    h[k] = philox.uniform(k) < (1 + means[k]) / 2 ? 1 : -1;
                }
            }
            const Errors errors = errors_of(learn::SignPattern(drawn));
            if (errors.training < best.training) best = errors;
        }
        print({{"way", "draws"},
               {"train", {signs.training, best.training}},
               {"test", {signs.test, best.test}},
               {"seconds", seconds_since(start)}});
    }

    void search(const std::string& name, const learn::ModelState& state) const {
        const std::clock_t start = std::clock();
        const learn::SignPattern signs(state.posterior);
        const Errors before = errors_of(signs);
        const auto rows = std::span(order_).first(std::min(kFlipRows, order_.size()));
        std::vector<std::uint32_t> labels;
        for (const std::size_t r : rows) labels.push_back(labels_[r]);
        const Errors after = errors_of(
            experiments::local_search(state, signs, training_.rows, rows, labels, kFlips));
        print({{"way", name},
               {"train", {before.training, after.training}},
               {"test", {before.test, after.test}},
               {"seconds", seconds_since(start)}});
    }

    /// Processor seconds.
    static double seconds_since(std::clock_t start) {
        return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
    }

    learn::ModelState state_;
    Dataset training_file_, testing_file_;
    LabelledRows training_{training_file_}, testing_{testing_file_};
    learn::LiveModel model_;
    std::vector<std::uint32_t> labels_;
    std::vector<std::size_t> order_;
    learn::Practice practice_;
};

}  // namespace

int main(int count, char** arguments) try {
    if (count != 5) throw std::runtime_error("usage: polish MODEL TRAIN TEST ROUNDS");
    Comparison(arguments[1], arguments[2], arguments[3]).run(std::stoul(arguments[4]));
} catch (const std::exception& error) {
    fmt::print(stderr, "polish: {}\n", error.what());
    return 1;
}

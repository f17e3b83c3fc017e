#include <fmt/format.h>

#include <chrono>
#include <optional>

#include "base/thread_team.hpp"
#include "bitbayes/bitbayes.hpp"
#include "cuda/card.hpp"
#include "learn/learner.hpp"
#include "reproduce/claims.hpp"
#include "reproduce/results.hpp"
#include "reproduce/teacher_student.hpp"
#include "reproduce/training_runs.hpp"
#include "terminal/machine.hpp"
#include "terminal/ranks.hpp"
#include "terminal/report.hpp"
#include "terminal/workers.hpp"

namespace bitbayes::cli::reproduce {

namespace {

std::string command_of(const Plan& plan) {
    std::string command = fmt::format("bitbayes reproduce {}", plan.what);
    if (plan.quick) command += " --quick";
    if (plan.trials_asked) command += fmt::format(" --trials {}", *plan.trials_asked);
    if (plan.epochs_asked) command += fmt::format(" --epochs {}", *plan.epochs_asked);
    if (plan.backend != "auto") command += fmt::format(" --backend {}", plan.backend);
    return command + fmt::format(" --seed {} -o DIR", plan.seed);
}

/// Training on images.
void run_trainings(const Plan& plan, const RunStore& store, const LoadedData& data, Json& results) {
    if (plan.includes("single-layer")) results["single_layer"] = single_layer(plan, store, data);
    if (plan.includes("mnist")) results["mnist"] = mnist(plan, store, data);
    if (plan.includes("dense")) results["dense"] = dense(plan, store, data);
}

void run_all(const Plan& plan, const RunStore& store, const LoadedData& data, Json& results) {
    if (plan.includes("teacher-student")) results["teacher_student"] = teacher_student(plan, store);
    if (plan.what == "all") results["claims"] = claims(plan, store, data);
    run_trainings(plan, store, data, results);
}

/// On a card several runs learn side by side, and while some learn, the CPU evaluates others. Those who make the results find their
/// checkpoints.
void train_side_by_side(const Plan& asked, const RunStore& store, const LoadedData& data) {
    constexpr std::size_t kRuns = 4;
    Plan plan = asked;
    plan.common.progress = "none";
    const RunStore shared = store.among_threads();
    run_workers(kRuns, [&] {
        Json parts;
        run_trainings(plan, shared, data, parts);
    });
}

}  // namespace

Json run_experiments(const Plan& plan) {
    if (const auto number = cuda::card_number(plan.backend))
        cuda::open_card(*number);  // or says why not
    const bool needs_mnist = plan.what != "teacher-student";
    const LoadedData data = needs_mnist ? mnist_data(plan) : LoadedData{};
    RunStore store(plan);
    if (cuda::card_number(plan.backend) && !store.sharing()) train_side_by_side(plan, store, data);
    if (store.sharing()) {
        Json parts;
        run_all(plan, store, data, parts);
        ranks().barrier();
        store.stop_sharing();
        if (!ranks().first()) return {};
    }
    Json results{{"command", command_of(plan)},
                 {"quick", plan.quick},
                 {"seed", plan.seed},
                 {"version", version()},
                 {"machine",
                  {{"cpu", cpu_name()},
                   {"cores", ThreadTeam::usable_cores()},
                   {"threads", threads_used(plan.threads)},
                   {"kernels", plan.backend == "auto" ? learn::default_backend() : plan.backend}}}};
    if (ranks().several()) results["machine"]["ranks"] = ranks().size();
    run_all(plan, store, data, results);
    return results;
}

}  // namespace bitbayes::cli::reproduce

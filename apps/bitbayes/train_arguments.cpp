#include "train_arguments.hpp"

#include <algorithm>

#include "bitbayes/types/error.hpp"
#include "model/members_file.hpp"
#include "options/options.hpp"
#include "terminal/flags.hpp"

namespace bitbayes::cli {

namespace {

/// The default that help shows; empty if the help text states it.
std::string shown_default(const TrainOption& option) {
    if (option.help.find("default") != option.help.npos) return "";
    return options::text(TrainOptions{}, option);
}

/// A row of the table as an option of the command line. Values are checked here, and used once the
/// data is known.
void add_table_option(CLI::App& command, TrainArguments& arguments, const TrainOption& option) {
    const std::string flag = flag_of(option), help(option.help), group(option.group);
    const auto take = [&arguments, &option, flag](const std::string& value) {
        if (option.name == "class_weight" && value != "balanced") {
            arguments.class_weights = value;
            return;
        }
        if (value.empty()) throw Error(ErrorCode::kUsage, flag + ": '' is not a value");
        TrainOptions scratch;
        options::set(scratch, option, value, flag);
        arguments.given.emplace_back(&option, value);
    };
    const TrainOptions defaults;
    if (const bool* on = default_of_flag(option, defaults)) {
        const std::string other = *on ? "false" : "true";
        command
            .add_flag_callback(
                flag, [take, other] { take(other); }, help)
            ->group(group);
        return;
    }
    command.add_option_function<std::string>(flag, take, help)
        ->type_name(std::string(option.values))
        ->default_str(shown_default(option))
        ->group(group);
}

void add_single(CLI::App& command, TrainArguments& arguments) {
    const TrainOption& tree = options::find("tree");
    command
        .add_flag_callback(
            "--single", [&arguments, &tree] { arguments.given.emplace_back(&tree, "single"); },
            "No hidden layer: every output reads the inputs")
        ->excludes(command.get_option("--tree"))
        ->excludes(command.get_option("--dense"))
        ->group(std::string(tree.group));
}

void add_table(CLI::App& command, TrainArguments& arguments) {
    for (const TrainOption& option : kTrainOptions) {
        add_table_option(command, arguments, option);
        if (option.name == "dense") add_single(command, arguments);
    }
}

void add_evaluation_options(CLI::App& command, TrainArguments& arguments) {
    constexpr const char* kGroup = "Testing";
    auto* test = command.add_option("--test", arguments.test, "Test on DATA after each epoch");
    test->type_name("DATA")->group(kGroup);
    const auto parse_hold_out = [&](const std::string& text) {
        arguments.hold_out = parse_fraction("--hold-out", text);
    };
    auto* hold_out =
        command.add_option_function<std::string>("--hold-out", parse_hold_out,
                                                 "Test on this fraction of each class instead of "
                                                 "training on it (default: 0.2 if no other option "
                                                 "says how to test or what to write)");
    hold_out->type_name("FRACTION")->excludes(test)->group(kGroup);
    add_whole(
        command, "--cv", arguments.folds,
        "Cross-validate: train K times, each time without another K-th of the rows, and test on "
        "those; with -o also train on all rows",
        2)
        ->type_name("K")
        ->excludes(test)
        ->excludes(hold_out)
        ->group(kGroup);
    command
        .add_option(
            "--group", arguments.reading.group,
            "CSV: rows with the same value in this column (e.g. one patient) stay together in "
            "a hold-out or fold")
        ->type_name("COL")
        ->group(kGroup);
}

void add_run_options(CLI::App& command, TrainArguments& arguments) {
    constexpr const char* kGroup = "Run";
    add_output(command, "-o,--output", arguments.model,
               "Write the model to FILE (default: NAME.bb if no other option says how to test or "
               "what to write)")
        ->group(kGroup);
    auto* checkpoint = add_output(command, "--checkpoint", arguments.checkpoint,
                                  "Save the run to FILE as it goes");
    checkpoint->group(kGroup);
    add_whole(command, "--every", arguments.every,
              "Samples between checkpoints (default: one epoch)", 1)
        ->needs(checkpoint)
        ->group(kGroup);
    auto* resume = command.add_option("--resume", arguments.resume,
                                      "Continue the run that a checkpoint holds");
    resume->type_name("FILE")->group(kGroup);
    add_choice(command, "--read", arguments.read, {"first", "each"},
               "Under mpirun: who reads DATA. first: rank 0, which sends it to the others; each: "
               "every rank, from its own disk for example")
        ->group(kGroup);
    auto* members = add_whole(
        command, "--members", arguments.members,
        "Train N networks that differ in their seed as one model: they answer together, mostly "
        "better than one alone; training, eval and predict take N times as long (a GPU trains up "
        "to 8 side by side)",
        1, model::kMaxMembers);
    members->default_str("1")->group(kGroup);
    command.get_option("--cv")->excludes(checkpoint)->excludes(resume)->excludes(members);
    add_output(command, "--metrics", arguments.metrics,
               "Write one JSON object per epoch to FILE (with --members at the end)")
        ->group(kGroup);
}

}  // namespace

TrainOptions TrainArguments::options(TrainOptions defaults) const {
    for (const auto& [option, value] : given) {
        options::set(defaults, *option, value, flag_of(*option));
    }
    options::validate(defaults);
    if (members > 1 && defaults.algorithm == Algorithm::kBackprop) {
        throw Error(ErrorCode::kUsage, "--members: BackProp has no probabilities to average",
                    "leave it out, or train with --algorithm mfb");
    }
    return defaults;
}

void add_train_arguments(CLI::App& command, TrainArguments& arguments) {
    command.add_option("DATA", arguments.data, "Rows to learn from, each with its class")
        ->required()
        ->type_name("");
    add_table(command, arguments);
    add_row_weight(command, arguments.reading);
    add_evaluation_options(command, arguments);
    add_run_options(command, arguments);
    add_reading(command, arguments.reading);
    add_columns(
        command, "--categorical", arguments.reading.categorical,
        "CSV: columns whose numbers are names of things, e.g. a postcode: one input per value");
    add_id(command, arguments.reading);
    add_common(command, arguments.common);
}

}  // namespace bitbayes::cli

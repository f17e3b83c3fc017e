#include "train_arguments.hpp"

namespace bitbayes::cli {

namespace {

void add_network_options(CLI::App& command, TrainArguments& arguments) {
    constexpr const char* kGroup = "Network";
    auto& options = arguments.options;
    const auto parse_tree = [&](const std::string& text) {
        options.tree.clear();
        for (const auto& part : split_list(text))
            options.tree.push_back(parse_whole("--tree", part, 1, 1 << 24));
        arguments.tree_given = true;
    };
    auto* tree = command.add_option_function<std::string>(
        "--tree", parse_tree,
        "Fan-ins of layers 2 to L, input side first; default 101, M for teacher:M");
    tree->type_name("K,...")->group(kGroup);
    const auto use_single = [&] {
        options.tree.clear();
        arguments.tree_given = true;
    };
    command.add_flag_callback("--single", use_single, "A single layer")
        ->excludes(tree)
        ->group(kGroup);
    command
        .add_option("--preprocess", options.preprocess,
                    "auto, center, thermometer:N, standardize or none")
        ->type_name("NAME")
        ->capture_default_str()
        ->group(kGroup);
    command.add_flag("--dense-ok", options.dense_ok, "Sparse data may become dense")->group(kGroup);
    command
        .add_flag_callback(
            "--no-bias", [&options] { options.bias = false; }, "No constant input")
        ->group(kGroup);
    add_positive(command, "--prior-scale", options.prior_scale, "Multiplies the width of the prior")
        ->default_str("1")
        ->group(kGroup);
}

void add_learning_options(CLI::App& command, TrainArguments& arguments) {
    constexpr const char* kGroup = "Learning";
    auto& options = arguments.options;
    add_choice(command, "--algorithm", arguments.algorithm, {"mfb", "backprop"},
               "Bayes updates of binary weights, or gradient descent on real ones")
        ->group(kGroup);
    add_positive(command, "--learning-rate", options.learning_rate,
                 "Of backprop; default: the paper's for the number of inputs")
        ->group(kGroup);
    const auto parse_epochs = [&](const std::string& text) {
        arguments.epochs = parse_whole("--epochs", text, 1, UINT32_MAX);
    };
    command
        .add_option_function<std::string>("--epochs", parse_epochs,
                                          "In all; default 10, 1 for teacher:M")
        ->type_name("N")
        ->group(kGroup);
    add_whole(command, "--seed", options.seed, "Of prior, shuffling and hold-out")
        ->default_str("1")
        ->group(kGroup);
    auto* test = command.add_option("--test", arguments.test, "Evaluate on DATA after each epoch");
    test->type_name("DATA")->group(kGroup);
    const auto parse_hold_out = [&](const std::string& text) {
        arguments.hold_out = parse_fraction("--hold-out", text);
    };
    command
        .add_option_function<std::string>(
            "--hold-out", parse_hold_out,
            "Evaluate on this fraction of each class instead of training on it")
        ->type_name("FRACTION")
        ->excludes(test)
        ->group(kGroup);
    add_positive(command, "--evidence", options.evidence, "Each sample counts this many times")
        ->default_str("1")
        ->group(kGroup);
    command
        .add_flag_callback(
            "--no-shuffle", [&options] { options.shuffle = false; },
            "Rows in the given order in every epoch")
        ->group(kGroup);
}

void add_run_options(CLI::App& command, TrainArguments& arguments) {
    constexpr const char* kGroup = "Run";
    command.add_option("-o,--output", arguments.model, "Write the model to FILE")
        ->type_name("FILE")
        ->group(kGroup);
    add_threads(command, arguments.options.threads)->group(kGroup);
    add_choice(command, "--backend", arguments.options.backend, {"auto", "scalar", "simd"},
               "Kernels to use")
        ->group(kGroup);
    auto* checkpoint =
        command.add_option("--checkpoint", arguments.checkpoint, "Save the run to FILE as it goes");
    checkpoint->type_name("FILE")->group(kGroup);
    add_whole(command, "--every", arguments.every,
              "Samples between checkpoints; default: one epoch", 1)
        ->needs(checkpoint)
        ->group(kGroup);
    command.add_option("--resume", arguments.resume, "Go on from a checkpoint")
        ->type_name("FILE")
        ->group(kGroup);
    command.add_option("--metrics", arguments.metrics, "One JSON object per epoch into FILE.jsonl")
        ->type_name("FILE")
        ->group(kGroup);
}

}  // namespace

void add_train_arguments(CLI::App& command, TrainArguments& arguments) {
    command.add_option("DATA", arguments.data, "Labelled rows")->required()->type_name("");
    add_network_options(command, arguments);
    add_learning_options(command, arguments);
    add_run_options(command, arguments);
    add_reading(command, arguments.reading);
    add_common(command, arguments.common);
}

}  // namespace bitbayes::cli

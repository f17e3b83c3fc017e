// Each command adds itself to the command line: its options, its help, and what runs after parsing.
#pragma once

namespace CLI {
class App;
}

namespace bitbayes::cli {

void add_fetch(CLI::App& app);
void add_train(CLI::App& app);
void add_update(CLI::App& app);
void add_eval(CLI::App& app);
void add_predict(CLI::App& app);
void add_info(CLI::App& app);
void add_pack(CLI::App& app);
void add_export(CLI::App& app);
void add_sweep(CLI::App& app);
void add_reproduce(CLI::App& app);
void add_bench(CLI::App& app);
void add_check_golden(CLI::App& app);
void add_backends(CLI::App& app);
void add_completion(CLI::App& app);

}  // namespace bitbayes::cli

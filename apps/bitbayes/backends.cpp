#include <fmt/format.h>

#include <memory>

#include "commands.hpp"
#include "cuda/card.hpp"
#include "dist/communicator.hpp"
#include "kernels/table.hpp"
#include "options.hpp"
#include "terminal/output.hpp"

namespace bitbayes::cli {

namespace {

void run(const Common& common) {
    const std::string best = kernels::best().name;
    std::string chosen, table;
    Json list = Json::array();
    for (const auto& backend : kernels::backends()) {
        const bool is_default = backend.name == best || backend.name == "simd " + best;
        if (is_default) chosen = backend.name;
        list.push_back(
            {{"name", backend.name}, {"available", backend.available}, {"reason", backend.reason}});
        const auto state = is_default ? "default" : backend.available ? "yes" : "no";
        table += fmt::format("{:<12} {:<8} {}\n", backend.name, state, backend.reason);
    }
    const cuda::CardState card = cuda::state_of_card();
    list.push_back({{"name", "cuda"}, {"available", card.available}, {"reason", card.reason}});
    table += fmt::format("{:<12} {:<8} {}\n", "cuda", card.available ? "yes" : "no", card.reason);
    const bool mpi = dist::has_mpi_part();
    table += fmt::format("{:<12} {:<8} {}\n", "mpi", mpi ? "yes" : "no",
                         mpi ? "loaded under mpirun" : "built or installed without it");
    write_result(common, {{"backends", list}, {"default", chosen}, {"mpi", mpi}}, table);
}

}  // namespace

void add_backends(CLI::App& app) {
    auto common = std::make_shared<Common>();
    auto* command = app.add_subcommand(
        "backends", "What is compiled in, what runs on this machine, and why the rest does not");
    add_common(*command, *common);
    command->footer("Example:\n  bitbayes backends        # what --backend of train may be here");
    command->callback([common] { run(*common); });
}

}  // namespace bitbayes::cli

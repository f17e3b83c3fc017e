// The public API of exports.
#include "bitbayes/export.hpp"

#include <algorithm>

#include "base/folder.hpp"
#include "emit/c.hpp"
#include "emit/files.hpp"
#include "emit/names.hpp"
#include "emit/verilog.hpp"
#include "packed/packed_answers.hpp"

namespace bitbayes {

namespace {

/// The first rows as quantised columns, the form in which a device receives them.
std::vector<std::int16_t> quantised(const PackedNetwork& network, const std::optional<Rows>& rows,
                                    std::size_t max_rows) {
    if (!rows) return {};
    packed::check_columns(network.network(), *rows);
    std::vector<std::int16_t> columns(std::min(max_rows, rows->size()) *
                                      network.network().quantiser.columns());
    packed::quantise_rows(network.network(), *rows, 0, columns);
    return columns;
}

std::vector<std::string> write(const std::string& folder, bool overwrite,
                               const emit::Files& files) {
    check_folder(folder, overwrite);
    write_together(folder, files);
    std::vector<std::string> paths;
    for (const auto& [path, text] : files) paths.push_back(path);
    return paths;
}

}  // namespace

std::vector<std::string> export_c(const PackedNetwork& network, const std::string& folder,
                                  const ExportOptions& options, std::optional<Rows> examples) {
    emit::check_name(options.name);
    const emit::COptions c{options.name, options.single_header, options.arduino,
                           quantised(network, examples, emit::kExampleRows)};
    return write(folder, options.overwrite, emit::emit_c(network.network(), c));
}

std::vector<std::string> export_verilog(const PackedNetwork& network, const std::string& folder,
                                        const ExportOptions& options,
                                        std::optional<Rows> examples) {
    emit::check_name(options.name);
    const auto golden =
        emit::golden_rows(network.network(), quantised(network, examples, emit::kTestbenchRows));
    return write(folder, options.overwrite,
                 emit::emit_verilog(network.network(), {options.name, options.parallel},
                                    {golden.columns, golden.scores}));
}

}  // namespace bitbayes

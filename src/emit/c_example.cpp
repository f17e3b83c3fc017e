#include <fmt/format.h>
#include <fmt/ranges.h>

#include "emit/c_pages.hpp"
#include "emit/c_text.hpp"
#include "emit/names.hpp"

namespace bitbayes::emit {
namespace {

using packed::Network;

std::string include_line(const COptions& options) {
    const std::string implementation =
        options.single_header ? fmt::format("#define {}_IMPLEMENTATION\n", upper_case(options.name))
                              : "";
    return implementation + fmt::format("#include \"{}.h\"", options.name);
}

std::string row_text(std::span<const std::int16_t> row) {
    return number_lines(std::vector<std::int64_t>(row.begin(), row.end()));
}

int predicted(const Network& network, std::span<const std::int16_t> row) {
    const auto answer = Network::answer(network.scores(row));
    return answer.margin < network.abstain_below ? -1 : static_cast<int>(answer.class_index);
}

std::string library_properties(const COptions& options) {
    return fmt::format(
        "name={0}\nversion=1.0.0\nauthor=bitbayes\nmaintainer=bitbayes\n"
        "sentence=A classifier with weights +1 and -1.\n"
        "paragraph=A neural network on whole numbers, written by bitbayes.\n"
        "category=Data Processing\nurl=\narchitectures=*\nincludes={0}.h\n",
        options.name);
}

std::string main_c(const Network& network, const COptions& options,
                   std::span<const std::int16_t> rows) {
    const std::size_t columns = network.quantiser.columns();
    std::string values;
    std::vector<int> expected;
    for (std::size_t first = 0; first < rows.size(); first += columns) {
        const auto row = rows.subspan(first, columns);
        if (first > 0) values += ",\n";
        values += "    {\n" + row_text(row) + "\n    }";
        expected.push_back(predicted(network, row));
    }
    return fill_in("c/example.c", options.name,
                   {{"build", c_build_command(options)},
                    {"include", include_line(options)},
                    {"rows", std::to_string(expected.size())},
                    {"row_values", values},
                    {"expected", fmt::format("{}", fmt::join(expected, ", "))}});
}

}  // namespace

std::string c_build_command(const COptions& options) {
    return fmt::format("cc -std=c99 -O2 -I. example/main.c{} -o example/main",
                       options.single_header ? "" : " " + options.name + ".c");
}

Files c_example(const Network& network, const COptions& options) {
    const auto& rows =
        options.example_rows.empty() ? network.quantiser.missing : options.example_rows;
    if (!options.arduino) return {{"example/main.c", main_c(network, options, rows)}};
    const auto first = std::span(rows).first(network.quantiser.columns());
    return {{"library.properties", library_properties(options)},
            {"examples/Demo/Demo.ino",
             fill_in("c/demo.ino", options.name,
                     {{"include", include_line(options)}, {"row_values", row_text(first)}})}};
}

}  // namespace bitbayes::emit

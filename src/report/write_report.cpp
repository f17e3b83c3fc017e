#include <fmt/format.h>

#include <filesystem>
#include <set>

#include "base/atomic_file.hpp"
#include "bitbayes/types/error.hpp"
#include "report/document.hpp"
#include "report/markup.hpp"

namespace bitbayes::report {
namespace {

std::vector<const Figure*> figures_of(const Document& document) {
    std::vector<const Figure*> figures;
    std::set<std::string> ids;
    for (const Section& section : document.sections) {
        for (const Block& block : section.blocks) {
            const auto* figure = std::get_if<Figure>(&block);
            if (figure == nullptr) continue;
            if (figure->id.empty() || figure->id != to_anchor(figure->id))
                throw Error(ErrorCode::kInternal,
                            fmt::format("figure id '{}' is no file name", figure->id));
            if (!ids.insert(figure->id).second)
                throw Error(ErrorCode::kInternal,
                            fmt::format("two figures have the id '{}'", figure->id));
            figures.push_back(figure);
        }
    }
    return figures;
}

}  // namespace

void write_report(const Document& document, const std::string& folder) {
    const auto figures = figures_of(document);
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    if (error)
        throw Error(ErrorCode::kIo,
                    fmt::format("{}: cannot make the folder: {}", folder, error.message()));
    const std::filesystem::path path = folder;
    for (const Figure* figure : figures) {
        write_atomically((path / (figure->id + ".svg")).string(), to_svg(*figure));
        write_atomically((path / (figure->id + ".csv")).string(), to_csv(*figure));
    }
    write_atomically((path / "report.md").string(), to_markdown(document));
    write_atomically((path / "report.html").string(), to_html(document));
}

}  // namespace bitbayes::report

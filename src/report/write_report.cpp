#include <fmt/format.h>

#include <set>

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

FolderFiles to_files(const Document& document, const std::string& page) {
    FolderFiles files{{page + ".html", to_html(document)}, {page + ".md", to_markdown(document)}};
    for (const Figure* figure : figures_of(document)) {
        files[figure->id + ".svg"] = to_svg(*figure);
        files[figure->id + ".csv"] = to_csv(*figure);
    }
    return files;
}

void write_report(const Document& document, const std::string& folder) {
    write_files(folder, to_files(document, "report"));
}

}  // namespace bitbayes::report

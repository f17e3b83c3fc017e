// TableColumns in the metadata of models and packed networks:
//
//   column_kinds  "number", or "mixed" if some columns hold words
//   categories    JSON: {"FEATURE": [values], ...}, for columns of words
//   column_names  JSON: a list, one name per feature; if the table named them
//   table         JSON: {"roles": "ffl-", "other_names": [...]}; if the table was a CSV file
#pragma once

#include <cstddef>
#include <string>

#include "bitbayes/types/columns.hpp"
#include "container/container.hpp"
#include "container/container_reader.hpp"

namespace bitbayes::container {

void add_columns(Metadata& metadata, const TableColumns& columns);

/// What keeps these from being the columns of `features` features, in words; empty: nothing.
std::string problem_of(const TableColumns& columns, std::size_t features);

/// Error(kModel) unless they fit together and describe `features` columns. Keys that older files do
/// not have may be missing.
TableColumns read_columns(const ContainerReader& reader, std::size_t features);

}  // namespace bitbayes::container

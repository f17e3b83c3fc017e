#include "export.hpp"
#include "bitbayes/error.hpp"
namespace bitbayes::cli {
Exported export_c(const ExportJob&) { throw Error(ErrorCode::kUnavailable, "not yet"); }
}

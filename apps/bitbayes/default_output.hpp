#pragma once

#include <string>

namespace bitbayes::cli {

/// The model that `train DATA` writes if nothing else is asked for: data/iris.csv.gz -> iris.bb,
/// teacher:5 -> teacher-5.bb, - -> stdin.bb.
std::string default_model_name(const std::string& data);

}  // namespace bitbayes::cli

// Model files of one or more members. Several: format 4, whose container holds nothing but
//
//   metadata  format, format_version, library_version, members (how many, 2 to 1000)
//   tensors   member0, member1, ... U8 [bytes]: each a whole file of one model
//
// All have the same columns, classes, preprocessing, network and memory.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/atomic_file.hpp"
#include "learn/model_state.hpp"

namespace bitbayes::model {

inline constexpr std::size_t kMaxMembers = 1000;

/// Why these models cannot answer together, in words; empty if they can. One always can.
std::string problem_of_members(std::span<const learn::ModelState> members);

/// One member: the file of save_model. Error(kUsage), and nothing is written, for members that would
/// not load.
void save_members(const std::string& path, std::span<const learn::ModelState> members,
                  Existing existing = Existing::kReplace);
std::string members_bytes(std::span<const learn::ModelState> members);

/// As load_model and parse_model; a model or checkpoint of any format is one member.
std::vector<learn::ModelState> load_members(const std::string& path);
std::vector<learn::ModelState> parse_members(std::string_view bytes, const std::string& name);

}  // namespace bitbayes::model

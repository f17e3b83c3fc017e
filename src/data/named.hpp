// Data sets with a name: mnist and fashion-mnist, four IDX files each, known by their SHA-256.
#pragma once

#include <string>

namespace bitbayes::data {

/// $BITBAYES_DATA, else $XDG_CACHE_HOME/bitbayes, else ~/.cache/bitbayes.
std::string data_folder();

bool is_named(const std::string& name);

/// The folder of a data set that was fetched before; Error(kIo) with a hint if it is not there.
std::string named_folder(const std::string& name);

/// Brings the data set into its folder, unless good files are there and `force` is false; returns
/// the folder. Error(kUsage): no such name; kUnavailable: the files are not to be had; kData: they
/// are not the right ones.
std::string fetch(const std::string& name, bool force);

}  // namespace bitbayes::data

// Data sets with a name: mnist and fashion-mnist, four IDX files each, known by their SHA-256.
#pragma once

#include <array>
#include <string>

namespace bitbayes::data {

inline constexpr std::array kNamedFiles{"train-images-idx3-ubyte", "train-labels-idx1-ubyte",
                                        "t10k-images-idx3-ubyte", "t10k-labels-idx1-ubyte"};

struct NamedSet {
    const char* name;
    std::array<const char*, 4> sha256;  // of kNamedFiles, unpacked
};

/// Null if there is no such name.
const NamedSet* find_set(const std::string& name);

/// $BITBAYES_DATA, else $XDG_CACHE_HOME/bitbayes, else ~/.cache/bitbayes.
std::string data_folder();

/// A file of a set, plain or gzipped; empty if there is neither.
std::string find_file(const std::string& folder, const std::string& base);
bool all_present(const std::string& folder);

/// The folder of a data set that has been fetched; Error(kIo) with a hint if it has not.
std::string named_folder(const std::string& name);

}  // namespace bitbayes::data

// Parts of the library in files of their own (MPI, CUDA), loaded only when they are asked for: the program needs neither.
#pragma once

#include <string>

namespace bitbayes {

/// Whether the file is there: beside the program, as built, where it is installed, or in parts/ beside the module of Python that asks.
bool has_part(const char* file);

struct Part {
    const char* file;
    const char* name;  // in messages: "MPI part"
    bool global;       // other libraries find its symbols
};

/// A symbol of the part, which stays loaded; null if it cannot be had, and `why` says why.
void* load_part(const Part& part, const char* symbol, std::string& why);

}  // namespace bitbayes

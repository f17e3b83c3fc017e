#include "base/part.hpp"

#include <dlfcn.h>

#include <filesystem>

namespace bitbayes {
namespace {

namespace fs = std::filesystem;

/// Of the file that this code is in: the program, or a module of Python.
fs::path own_folder() {
    Dl_info own{};
    if (::dladdr(reinterpret_cast<const void*>(&has_part), &own) == 0) return {};
    std::error_code error;
    return fs::canonical(own.dli_fname, error).parent_path();
}

/// Empty if there is no such file.
fs::path path_of(const char* file) {
    std::error_code error;
    const fs::path folder = fs::read_symlink("/proc/self/exe", error).parent_path();
    for (const fs::path& place : {folder / file, folder / BITBAYES_PARTS_FROM_PROGRAM / file,
                                  own_folder() / "parts" / file}) {
        if (fs::exists(place, error)) return place;
    }
    return {};
}

}  // namespace

bool has_part(const char* file) { return !path_of(file).empty(); }

void* load_part(const Part& part, const char* symbol, std::string& why) {
    const fs::path place = path_of(part.file);
    if (place.empty()) {
        why = std::string("this build or installation has no ") + part.name;
        return nullptr;
    }
    void* library = ::dlopen(place.c_str(), RTLD_NOW | (part.global ? RTLD_GLOBAL : RTLD_LOCAL));
    void* found = library == nullptr ? nullptr : ::dlsym(library, symbol);
    if (found == nullptr) why = std::string("the ") + part.name + " does not load: " + ::dlerror();
    return found;
}

}  // namespace bitbayes

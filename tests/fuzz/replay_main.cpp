// Runs a fuzz target once on every file of the given folders, without libFuzzer.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "only_errors.hpp"

namespace {

std::vector<std::filesystem::path> files_of(int folders, char** names) {
    std::vector<std::filesystem::path> files;
    for (int i = 0; i < folders; ++i) {
        for (const auto& entry : std::filesystem::directory_iterator(names[i])) {
            files.push_back(entry.path());
        }
    }
    std::sort(files.begin(), files.end());
    return files;
}

}  // namespace

int main(int argc, char** argv) {
    const auto files = files_of(argc - 1, argv + 1);
    for (const auto& file : files) {
        std::printf("%s\n", file.c_str());
        std::fflush(stdout);  // the last line names the culprit if the target crashes
        std::ifstream in(file, std::ios::binary);
        const std::string bytes{std::istreambuf_iterator<char>(in), {}};
        LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
    }
    std::printf("%zu files\n", files.size());
    return files.empty() ? 1 : 0;
}

#include "terminal/outputs.hpp"

#include "base/atomic_file.hpp"
#include "bitbayes/types/error.hpp"
#include "data/spec.hpp"

namespace bitbayes::cli {

namespace {

void refuse_same(const std::string& output, const std::string& other, const char* what) {
    if (output.empty() || other.empty() || !same_file(output, other)) return;
    throw Error(ErrorCode::kUsage, output + what, "another name for the output");
}

}  // namespace

std::vector<std::string> data_files(const std::vector<std::string>& data) {
    std::vector<std::string> all;
    for (const std::string& each : data) {
        if (each.empty()) continue;
        const auto files = data::files_of(each);
        all.insert(all.end(), files.begin(), files.end());
    }
    return all;
}

void check_apart(const std::vector<std::string>& outputs, const std::vector<std::string>& inputs) {
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        for (std::size_t j = 0; j < i; ++j) {
            refuse_same(outputs[i], outputs[j], ": named as two different outputs");
        }
        for (const std::string& input : inputs) {
            refuse_same(outputs[i], input, ": an output that would replace an input of this run");
        }
    }
}

}  // namespace bitbayes::cli

#include "tools/c_program.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <cstring>
#include <iterator>
#include <sstream>

#include "bitbayes/types/error.hpp"
#include "emit/c_learn.hpp"
#include "emit/c_text.hpp"
#include "emit/names.hpp"
#include "tools/process.hpp"
#include "tools/temporary_folder.hpp"

namespace bitbayes::tools {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

/// Only the compiler can fail to start: all other programs were built by it.
int status_of(const std::optional<int>& status, const Words& words) {
    if (status) return *status;
    throw Error(ErrorCode::kUnavailable, fmt::format("there is no C compiler '{}'", words[0]),
                "install one, or name it in the environment variable CC");
}

Words compiler_words() {
    std::istringstream text(c_compiler());
    return {std::istream_iterator<std::string>(text), {}};
}

void run_in(const TemporaryFolder& work, const Words& words, const std::string& what) {
    const int status = status_of(work.run(words, "talk"), words);
    if (status == 0) return;
    work.check_room();
    std::string text = work.read("talk");
    if (text.empty()) text = "it said nothing";
    throw Error(ErrorCode::kInternal, fmt::format("{} (exit status {}): {}", what, status,
                                                  text.substr(0, text.find('\n'))));
}

void compile(const TemporaryFolder& work, const std::string& source, const Words& more) {
    Words words = compiler_words();
    for (const char* flag : {"-std=c99", "-O2", "-Wall", "-Wextra", "-Werror", "-pedantic"}) {
        words.emplace_back(flag);
    }
    words.push_back(source);
    words.insert(words.end(), more.begin(), more.end());
    run_in(work, words, "the exported C cannot be compiled");
}

void build(const TemporaryFolder& work, const fs::path& folder, const emit::COptions& options) {
    const std::string header = options.name + ".h", code = options.name + ".c";
    Words files{header};
    if (!options.single_header) files.push_back(code);
    work.copy(options.arduino ? folder / "src" : folder, files);
    if (options.single_header) {
        work.write(code, fmt::format("#define {}_IMPLEMENTATION\n#include \"{}\"\n",
                                     emit::upper_case(options.name), header));
    }
    work.write("check-main.c",
               emit::fill_in("c/verify_main.c", options.name, {{"header", header}}));
    compile(work, code, {"-ffreestanding", "-c", "-o", "library.o"});
    compile(work, "check-main.c", {"library.o", "-o", "verify"});
}

CAnswers parse(const std::string& bytes, std::size_t rows, std::size_t outputs, bool raw) {
    constexpr std::size_t kHead = 4;
    const std::size_t record = kHead + outputs + (raw ? 1 : 0);
    std::vector<std::int32_t> numbers(rows * record);
    if (bytes.size() != numbers.size() * sizeof numbers[0]) {
        throw Error(ErrorCode::kInternal, "the exported C did not answer every row");
    }
    std::memcpy(numbers.data(), bytes.data(), bytes.size());
    CAnswers result;
    for (std::size_t at = 0; at < numbers.size(); at += record) {
        const auto row = std::span(numbers).subspan(at, record);
        result.answers.push_back({static_cast<std::uint32_t>(row[0]), row[2], row[3] != 0});
        result.predicted.push_back(row[1]);
        const auto scores = row.subspan(kHead, outputs);
        result.scores.insert(result.scores.end(), scores.begin(), scores.end());
        if (raw) result.raw_predicted.push_back(row.back());
    }
    return result;
}

/// Rows as runtime/c/verify_main.c reads them.
std::string row_bytes(const CRows& rows, std::size_t columns) {
    std::string bytes;
    const auto add = [&](const auto& part) {
        bytes.append(reinterpret_cast<const char*>(part.data()), part.size_bytes());
    };
    for (std::size_t at = 0; at < rows.columns.size(); at += columns) {
        add(rows.columns.subspan(at, columns));
        if (!rows.raw.empty()) add(rows.raw.subspan(at, columns));
    }
    return bytes;
}

/// Takes the next values out of `bytes`.
template <class T>
void take(const std::string& bytes, std::size_t& at, std::size_t count, std::vector<T>& out) {
    const std::size_t before = out.size();
    out.resize(before + count);
    std::memcpy(&out[before], &bytes[at], count * sizeof(T));
    at += count * sizeof(T);
}

CLearned parse_learned(const std::string& bytes, std::size_t rows, const device::Network& network) {
    const std::size_t weights = network.h1.size() + network.h2.size();
    if (bytes.size() != rows * 4 * (network.outputs() + 1) + weights) {
        throw Error(ErrorCode::kInternal, "the exported C did not learn every row");
    }
    CLearned result;
    std::vector<std::int32_t> scores;
    std::size_t at = 0;
    for (std::size_t r = 0; r < rows; ++r) {
        take(bytes, at, network.outputs(), scores);
        take(bytes, at, 1, result.fingerprints);
    }
    take(bytes, at, weights, result.h);
    result.scores.assign(scores.begin(), scores.end());
    return result;
}

}  // namespace

std::string c_compiler() {
    const char* named = std::getenv("CC");
    return named != nullptr && std::strspn(named, " ") < std::strlen(named) ? named : "cc";
}

void check_c_compiler() {
    Words words = compiler_words();
    words.emplace_back("--version");
    status_of(run({words}), words);
}

CAnswers run_c(const fs::path& folder, const emit::COptions& options,
               const packed::Network& network, const CRows& rows) {
    const TemporaryFolder work;
    build(work, folder, options);
    const std::size_t columns = network.quantiser.columns();
    work.write("rows", row_bytes(rows, columns));
    run_in(work, {(work.path() / "verify").string(), "rows", "answers"}, "the exported C failed");
    return parse(work.read("answers"), rows.columns.size() / columns, network.outputs(),
                 network.quantiser.has_raw());
}

CLearned run_learning_c(const fs::path& folder, const std::string& name,
                        const device::Network& network, std::span<const std::int16_t> rows,
                        std::uint32_t seed) {
    const TemporaryFolder work;
    const Words files{name + ".h", name + ".c"};
    work.copy(folder, files);
    work.write("check-main.c", emit::learn_verify_main(network, name));
    compile(work, files[1], {"-ffreestanding", "-c", "-o", "library.o"});
    compile(work, "check-main.c", {"library.o", "-o", "verify"});
    work.write("rows", {reinterpret_cast<const char*>(rows.data()), rows.size() * sizeof rows[0]});
    run_in(work, {(work.path() / "verify").string(), "rows", "answers", std::to_string(seed)},
           "the exported C failed");
    return parse_learned(work.read("answers"),
                         rows.size() / (1 + network.clipped.quantiser.columns()), network);
}

}  // namespace bitbayes::tools

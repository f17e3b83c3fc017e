#include "bench/torch.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/thread_team.hpp"
#include "bench/binarynet.hpp"
#include "tools/temporary_folder.hpp"

namespace bitbayes::cli {
namespace {

// The interpreter that Debian's python3-torch belongs to.
constexpr const char* kPython = "/usr/bin/python3";
constexpr double kMaxSeconds = 120;

// Arguments: columns, neurons of each layer, batch, slices, seconds of a slice. The last line is JSON.
constexpr const char* kScript = R"script(
import json, sys, time
columns, neurons, batch, slices, seconds = (json.loads(a) for a in sys.argv[1:])
try:
    import torch
except ImportError as error:
    print(json.dumps({"missing": str(error)}))
    sys.exit()
torch.set_num_threads(1)
first = torch.nn.Linear(columns, neurons[0])
trees = [torch.randn(n, below // n) for below, n in zip(neurons, neurons[1:])]
x = torch.randint(1, 256, (batch, columns)) * (torch.rand(batch, columns) > 0.81) / 255

def answer():
    v = first(x)
    for w in trees:
        v = v.tanh_().view(batch, *w.shape).mul_(w).sum(2)
    return v

best = float("inf")
with torch.inference_mode():
    answer()
    with open("/proc/self/maps") as maps:
        fast = torch.backends.mkl.is_available() or "openblas" in maps.read()
    for _ in range(slices):
        calls, start, now = 0, time.perf_counter(), 0
        while now < seconds or calls == 0:
            answer()
            calls, now = calls + 1, time.perf_counter() - start
        best = min(best, now / calls)
if fast:
    print(json.dumps({"images_per_second": batch / best, "version": torch.__version__}))
else:
    print(json.dumps({"missing": "PyTorch has no fast matrix product here (libopenblas0-pthread)"}))
)script";

std::string last_line(const std::string& text) {
    std::istringstream stream(text);
    std::string line, last;
    while (std::getline(stream, line)) {
        if (!line.empty()) last = line;
    }
    return last;
}

/// The last line of the script's output; if that is no JSON object, {"missing": why}.
nlohmann::json run_script(const char* script, unsigned threads,
                          const std::vector<std::string>& arguments, double max_seconds) {
    const tools::TemporaryFolder folder;
    std::vector<std::string> words{"env",
                                   fmt::format("OMP_NUM_THREADS={}", threads),
                                   fmt::format("OPENBLAS_NUM_THREADS={}", threads),
                                   kPython,
                                   "-c",
                                   script};
    words.insert(words.end(), arguments.begin(), arguments.end());
    const auto status = folder.run(words, "output", max_seconds);
    const std::string line = last_line(folder.read("output"));
    auto answer = nlohmann::json::parse(line, nullptr, false);
    if (status == 0 && answer.is_object()) return answer;
    return {{"missing", fmt::format("{} failed: {}", kPython, line)}};
}

BinaryNetTime run_binarynet(const BinaryNetShape& shape, std::vector<std::string> arguments,
                            const char* seconds, double max_seconds) {
    const unsigned threads = ThreadTeam::usable_cores();
    arguments.insert(arguments.end(),
                     {"--layers", fmt::format("{}", fmt::join(shape.layers, ",")), "--batch",
                      std::to_string(shape.batch), "--threads", std::to_string(threads)});
    const auto answer = run_script(kBinaryNet, threads, arguments, max_seconds);
    BinaryNetTime result;
    if (answer.contains("missing")) {
        result.missing = answer["missing"];
        return result;
    }
    if (!answer[seconds].is_null()) result.seconds = answer[seconds].get<double>();
    result.threads = answer["threads"];
    result.version = answer["version"];
    return result;
}

}  // namespace

TorchSpeed torch_speed(const TorchShape& shape, std::size_t batch, std::size_t slices,
                       double slice_seconds) {
    const auto answer = run_script(
        kScript, 1,
        {std::to_string(shape.columns), fmt::format("[{}]", fmt::join(shape.neurons, ",")),
         std::to_string(batch), std::to_string(slices), fmt::format("{}", slice_seconds)},
        kMaxSeconds);
    if (answer.contains("missing")) return {0, "", answer["missing"]};
    return {answer["images_per_second"], answer["version"], ""};
}

BinaryNetTime binarynet_epoch(const BinaryNetShape& shape, const BenchOptions& options) {
    const double measuring = static_cast<double>(options.slices) * options.slice_seconds;
    return run_binarynet(shape,
                         {"--slices", std::to_string(options.slices), "--slice-seconds",
                          fmt::format("{}", options.slice_seconds)},
                         "best_epoch_seconds", kMaxSeconds + 2 * measuring);
}

BinaryNetTime binarynet_until(const BinaryNetShape& shape, double error, const std::string& folder,
                              double limit) {
    return run_binarynet(
        shape,
        {"--until", fmt::format("{}", error), "--data", std::filesystem::absolute(folder).string(),
         "--limit", fmt::format("{}", limit)},
        "seconds", kMaxSeconds + 2 * limit);
}

}  // namespace bitbayes::cli

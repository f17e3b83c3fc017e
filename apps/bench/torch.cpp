#include "bench/torch.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>
#include <sstream>

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

}  // namespace

TorchSpeed torch_speed(const TorchShape& shape, std::size_t batch, std::size_t slices,
                       double slice_seconds) {
    const tools::TemporaryFolder folder;
    const auto status = folder.run(
        {"env", "OMP_NUM_THREADS=1", "OPENBLAS_NUM_THREADS=1", kPython, "-c", kScript,
         std::to_string(shape.columns), fmt::format("[{}]", fmt::join(shape.neurons, ",")),
         std::to_string(batch), std::to_string(slices), fmt::format("{}", slice_seconds)},
        "output", kMaxSeconds);
    const std::string line = last_line(folder.read("output"));
    const auto answer = nlohmann::json::parse(line, nullptr, false);
    if (status != 0 || !answer.is_object()) {
        return {0, "", fmt::format("{} failed: {}", kPython, line)};
    }
    if (answer.contains("missing")) return {0, "", answer["missing"]};
    return {answer["images_per_second"], answer["version"], ""};
}

}  // namespace bitbayes::cli

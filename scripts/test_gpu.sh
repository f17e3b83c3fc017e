#!/usr/bin/env bash
# What only a machine with an NVIDIA card can tell: the tests of test_cuda on the card, memory and race checks, and models of the
# CPU and the card, byte by byte, with their times; with MNIST also what docs/performance.md asks of a card. Needs nvcc and what
# scripts/install.sh apt.txt installs; or, on a machine with nvcc alone, a folder BUILT that holds bitbayes and test_cuda of another machine.
# Usage: [BUILT=FOLDER] scripts/test_gpu.sh [MNIST-FOLDER]
set -euo pipefail
cd "$(dirname "$0")/.."
mnist=${1:-}

step() { printf '\n== %s (%d s)\n' "$*" "$SECONDS"; }

step "build"
if [ -n "${BUILT:-}" ]; then
    tool=$BUILT/bitbayes test=$BUILT/test_cuda
    nvcc -std=c++17 -O3 -arch=native -shared -Xcompiler -fPIC,-fvisibility=hidden -fmad=false --expt-relaxed-constexpr -diag-suppress 128 \
        -Iinclude -Isrc src/cuda/card.cu -o "$BUILT/libbitbayes_cuda.so"
else
    cmake --preset release -DBITBAYES_CUDA=ON > /dev/null
    cmake --build --preset release --target bitbayes bitbayes_cuda test_cuda
    tool=build/release/bitbayes test=build/release/tests/cuda/test_cuda
fi
$tool backends
nvidia-smi --query-gpu=name,clocks.sm,driver_version --format=csv,noheader

step "test_cuda on the card"
BITBAYES_TEST_CARD=cuda $test --gtest_brief=1
if command -v compute-sanitizer > /dev/null; then
    for check in memcheck racecheck; do
        step "$check"
        BITBAYES_TEST_CARD=cuda compute-sanitizer --tool $check --error-exitcode 1 $test --gtest_brief=1 --gtest_filter='*Card*'
    done
fi

work=$(mktemp -d)
trap 'rm -r "$work"' EXIT
# same NAME ARGUMENTS: trains on both, compares the files, prints seconds of training.
same() {
    local name=$1
    shift
    for backend in auto cuda; do
        $tool train "$@" --polish 0 --backend $backend -o "$work/$name.$backend.bb" --json > "$work/$name.$backend.json" 2> "$work/log" ||
            { cat "$work/log"; return 1; }
    done
    cmp "$work/$name.auto.bb" "$work/$name.cuda.bb"
    python3 - "$name" "$work/$name.auto.json" "$work/$name.cuda.json" <<'PYTHON'
import json, sys
cpu, card = (json.load(open(path)) for path in sys.argv[2:])
epochs = max(1, len(card["history"]))
print(f"{sys.argv[1]}: same bytes; CPU {cpu['seconds'] / epochs:.3f} s, card {card['seconds'] / epochs:.3f} s per epoch")
PYTHON
}

step "models of CPU and card, byte by byte"
same teacher teacher:21 --evidence 1
same three_layers teacher:21 --tree 5,3 --evidence 1
if [ -n "$mnist" ]; then
    same paper "$mnist" --tree 301 --epochs 3 --evidence 1
    same one_layer "$mnist" --single --epochs 1 --evidence 1
    same streamed "$mnist:train#0:2000" --tree 2501 --epochs 1 --evidence 1
    same backprop "$mnist" --tree 301 --algorithm backprop --epochs 1
    same dense "$mnist" --dense 1024 --epochs 2 --evidence 4
    same deep "$mnist:train#0:10000" --dense 4096,4096 --batch 200 --epochs 1 --evidence 2

    step "seconds of training until the clipped network errs on 4.68 %"
    $tool train "$mnist" --tree 301 --evidence 1 --epochs 25 --polish 0 --backend cuda --json -v > "$work/until.json"
    python3 - "$work/until.json" <<'PYTHON'
import json, sys
passed = 0.0
for epoch in json.load(open(sys.argv[1]))["history"]:
    passed += epoch["seconds"]
    print(f"epoch {epoch['epoch']}: {passed:.2f} s, clipped {100 * epoch['error_map']:.2f} %, mean {100 * epoch['error_mean']:.2f} %")
    if epoch["error_map"] <= 0.0468:
        break
PYTHON

    step "a dense network that leaves the card"
    $tool train "$mnist:train" --dense 4096,4096 --batch 200 --evidence 2 --epochs 1 --polish 0 --backend cuda -o "$work/deep.bb" -q
    $tool pack "$work/deep.bb" -o "$work/deep.bbn"

    step "bench"
    $tool bench train --backend cuda --slices 5 --slice-ms 200
    $tool bench train --backend cuda --dense 4096,4096 --batch 200 --slices 3 --slice-ms 300

    step "reproduce mnist, 60 epochs"
    BITBAYES_DATA=$(dirname "$mnist") $tool reproduce mnist --epochs 60 --backend cuda -o "$work/reproduce" -q
fi
step "done"

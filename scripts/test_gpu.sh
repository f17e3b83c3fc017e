#!/usr/bin/env bash
# What only a machine with an NVIDIA card can tell: the tests of test_cuda on the card, memory and race checks, and models of the
# CPU and the card, byte by byte, with their times; with MNIST also what docs/performance.md asks of a card. A step that fails does not
# keep the others from running. Needs nvcc and what scripts/install.sh apt.txt installs; or, on a machine with a driver alone, a folder
# BUILT that holds bitbayes, test_cuda, the CUDA part and the libraries they need, all of another machine ($0 pack FOLDER fills one).
# Usage: [BUILT=FOLDER] [STEPS="test memcheck ..."] scripts/test_gpu.sh [MNIST-FOLDER] | tee bench/results/DATE-CARD.txt
#        scripts/test_gpu.sh pack FOLDER
set -uo pipefail
cd "$(dirname "$0")/.."

# The form for cards before 8.0 in a folder of its own, which the driver compiles on any card.
build_turing() {
    cmake --preset release -B build/turing -DBITBAYES_CUDA=ON -DCMAKE_CUDA_ARCHITECTURES=75-virtual -DBITBAYES_TESTS=OFF \
        -DBITBAYES_PYTHON=OFF -DBITBAYES_MPI=OFF > /dev/null
    cmake --build build/turing --target bitbayes_cuda
    mkdir -p "$1/turing"
    cp build/turing/libbitbayes_cuda.so build/release/tests/cuda/test_cuda "$1/turing"
}

# The program beside a part that breaks the card.
with_broken_part() {
    mkdir -p "$1/broken"
    cp "$1/bitbayes" build/release/tests/cuda/broken/libbitbayes_cuda.so "$1/broken"
}

if [ "${1:-}" = pack ]; then
    set -e
    folder=${2:?which folder}
    mkdir -p "$folder"
    cp build/release/bitbayes build/release/libbitbayes_cuda.so build/release/tests/cuda/test_cuda "$folder"
    build_turing "$folder"
    strip "$folder"/bitbayes "$folder"/test_cuda "$folder"/libbitbayes_cuda.so "$folder"/turing/*
    with_broken_part "$folder"
    ldd "$folder/bitbayes" "$folder/test_cuda" | awk '/libfmt|libhwy|libz/ { print $3 }' | sort -u | xargs -I{} cp -L {} "$folder"
    exit
fi

mnist=${1:-}
steps=${STEPS:-"test same until members bench leaves full lost reproduce memcheck racecheck spills ptx turing profile"}
failed=()
PATH=$PATH:/usr/local/cuda/bin
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT

# step NAME SECONDS COMMAND: runs it if it is among the steps, for so long at most.
step() {
    local name=$1 limit=$2
    shift 2
    case " $steps " in *" $name "*) ;; *) return ;; esac
    printf '\n== %s (%d s)\n' "$name" "$SECONDS"
    # Not in a condition, where set -e would mean nothing.
    (set -e; limit=$limit; "$@")
    [ $? -eq 0 ] || { failed+=("$name"); echo "FAILED: $name"; }
}
within() { timeout "$limit" "$@"; }

build() {
    [ -z "${BUILT:-}" ] || return 0
    cmake --preset release -DBITBAYES_CUDA=ON > /dev/null
    cmake --build --preset release --target bitbayes_cli bitbayes_cuda test_cuda broken_cuda_part
    # Beside the CUDA part, where it looks for it.
    cp build/release/tests/cuda/test_cuda build/release/test_cuda
    with_broken_part build/release
    case " $steps " in *" turing "*) build_turing build/release ;; esac
}
folder=${BUILT:-build/release}
tool=$folder/bitbayes test=$folder/test_cuda
export LD_LIBRARY_PATH=${BUILT:-}${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} BITBAYES_GOLDEN=$PWD/tests/golden
printf '== build (%d s)\n' "$SECONDS"
(set -e; build)
[ $? -eq 0 ] || exit 1
$tool backends
nvidia-smi --query-gpu=name,clocks.sm,driver_version --format=csv,noheader

on_card() { BITBAYES_TEST_CARD=cuda within "$@"; }
tests() { on_card "$test" --gtest_brief=1; }
# The forms that the driver compiles itself: the newest, as on cards between Ampere and Hopper and after it, and the one for cards before Ampere.
few=--gtest_filter='*OneLayer*:*/TwoLayers:*/InTheCardsMemory:*/WideUpperLayers:*/BesideOthers:*/Sparse:*OneHiddenLayer*'
from_ptx() { CUDA_FORCE_PTX_JIT=1 on_card "$test" --gtest_brief=1 "$few"; }
turing() { on_card "$folder/turing/test_cuda" --gtest_brief=1 "$few"; }
checked() {
    command -v compute-sanitizer > /dev/null || { echo "skipped: no compute-sanitizer"; return; }
    if within compute-sanitizer "$tool" backends 2>&1 | grep -q 'Device not supported'; then
        echo "skipped: compute-sanitizer does not work here"
        return
    fi
    on_card compute-sanitizer --tool "$1" --error-exitcode 1 "$test" --gtest_brief=1 \
        --gtest_filter='*/TwoLayers:*/OneLayer:*/ThreeLayers:*/Backprop:*/InTheCardsMemory:*/WideUpperLayers:*/BesideOthers:*/BesideOthersMemory:*SeveralOnOneCard*:*/Sparse:*/SparseBackprop:*/OneHiddenLayer:*/RowByRow:*/LargeTiles:*/Trees:*CardScores*:*CardInputs*'
}
# A card whose memory is taken by somebody else: exit 5 and one line, before any work.
full() {
    python3 -c 'import torch' 2> /dev/null || { echo "skipped: PyTorch, which would take the memory, is not here"; return; }
    coproc taker { python3 -c '
import sys, torch
free, _ = torch.cuda.mem_get_info()
taken = torch.empty(free - (1 << 30), dtype=torch.uint8, device="cuda")
print("taken", flush=True)
sys.stdin.read()'; }
    read -r -t 60 _ <&"${taker[0]}"
    local code=0
    within "$tool" train teacher:21 --dense 16384,16384 --backend cuda -q -o "$work/full.bb" 2> "$work/full.log" > /dev/null || code=$?
    exec {taker[1]}>&-
    cat "$work/full.log"
    echo "exit $code"
    [ $code -eq 5 ] && [ "$(wc -l < "$work/full.log")" -eq 1 ] && [ ! -e "$work/full.bb" ]
}
# A card that fails in the middle of a run: exit 5 and one line, and the last checkpoint is good.
lost() {
    local run=(train teacher:21 --tree 21 --evidence 1 --polish 0 --backend cuda -q) code=0
    within "$tool" "${run[@]}" -o "$work/whole.bb" > /dev/null
    BREAK_CARD_AFTER=60 within "$folder/broken/bitbayes" "${run[@]}" --checkpoint "$work/lost.ck" --every 50000 -o "$work/lost.bb" \
        2> "$work/lost.log" > /dev/null || code=$?
    cat "$work/lost.log"
    echo "exit $code"
    [ $code -eq 5 ] && [ "$(wc -l < "$work/lost.log")" -eq 1 ] && [ ! -e "$work/lost.bb" ]
    within "$tool" "${run[@]}" --resume "$work/lost.ck" -o "$work/lost.bb" > /dev/null
    cmp "$work/whole.bb" "$work/lost.bb"
    echo "resumed to the same bytes"
}
# Where the time of the two kernels of the paper's network goes, alone and beside another network, and how long the steps of a dense batch take.
profile() {
    command -v ncu > /dev/null || { echo "skipped: no ncu"; return; }
    for kernel in 'learn_trees.*MfbELj2E.*PlaceE1' learn_twoILj2E; do
        within ncu --clock-control none --kernel-name-base mangled --kernel-name "regex:$kernel" --launch-skip 2 --launch-count 1 \
            --section SpeedOfLight --section LaunchStats --section Occupancy --section SchedulerStats --section WarpStateStats \
            --section MemoryWorkloadAnalysis --section ComputeWorkloadAnalysis \
            "$tool" bench train --backend cuda --tree 301 --slices 1 --slice-ms 1
    done
    within ncu --clock-control none --kernel-name-base mangled --kernel-name regex:dense_kernel --launch-skip 55 --launch-count 11 --csv --page raw \
        --metrics gpu__time_duration.sum,sm__throughput.avg.pct_of_peak_sustained_elapsed,launch__registers_per_thread \
        "$tool" bench train --backend cuda --dense 4096,4096 --batch 200 --slices 1 --slice-ms 1 | grep '^"' | python3 -c '
import csv, sys
columns = ["Kernel Name", "Grid Size", "Block Size", "launch__registers_per_thread", "gpu__time_duration.sum",
           "sm__throughput.avg.pct_of_peak_sustained_elapsed"]
for row in csv.DictReader(sys.stdin):
    print("  ".join(row[column] for column in columns))'
}
# Registers that did not suffice: bytes of stack of each kernel.
spills() { cuobjdump -res-usage "$folder/libbitbayes_cuda.so" 2>&1 | grep -o 'Function [^:]*\|STACK:[0-9]*' | paste - - | grep -v 'STACK:0$' || echo none; }

# same NAME ARGUMENTS: trains on both, compares the files, prints seconds of training.
same() {
    local name=$1
    shift
    for backend in auto cuda; do
        within "$tool" train "$@" --polish 0 --backend $backend -o "$work/$name.$backend.bb" --json > "$work/$name.$backend.json" 2> "$work/log" ||
            { cat "$work/log"; return 1; }
    done
    cmp "$work/$name.auto.bb" "$work/$name.cuda.bb"
    python3 - "$name" "$work/$name.auto.json" "$work/$name.cuda.json" <<'PYTHON'
import json, sys
cpu, card = (json.load(open(path)) for path in sys.argv[2:])
epochs = max(1, len(card["history"]))
# Members learn side by side.
on_card = max((run["seconds"] for run in card.get("member_runs", [])), default=card["seconds"])
print(f"{sys.argv[1]}: same bytes; CPU {cpu['seconds'] / epochs:.3f} s, card {on_card / epochs:.3f} s per epoch")
PYTHON
}

until_clipped() {
    within "$tool" train "$mnist" --tree 301 --evidence 1 --epochs 25 --polish 0 --backend cuda --json -v > "$work/until.json"
    python3 - "$work/until.json" <<'PYTHON'
import json, sys
passed = 0.0
for epoch in json.load(open(sys.argv[1]))["history"]:
    passed += epoch["seconds"]
    print(f"epoch {epoch['epoch']}: {passed:.2f} s, clipped {100 * epoch['error_map']:.2f} %, mean {100 * epoch['error_mean']:.2f} %")
    if epoch["error_map"] <= 0.0468:
        sys.exit()
sys.exit("the clipped network never erred on 4.68 % or less")
PYTHON
}

# Rows of text, more or less: 2,000 of 40 words out of 5,000, of which some belong to the class.
sparse_rows() {
    python3 - <<'PYTHON'
import random
draw = random.Random(1)
for row in range(2000):
    label = row % 4
    words = {draw.randrange(5000) for _ in range(35)} | {label * 100 + draw.randrange(100) for _ in range(5)}
    print(label, *(f"{word + 1}:{1 + word % 3}" for word in sorted(words)))
PYTHON
}

# Eight seeds side by side, without evaluation: rows per second against one seed.
members() {
    for count in 1 8; do
        within "$tool" train "$mnist:train" --tree 301 --evidence 1 --epochs 4 --polish 0 --backend cuda --members $count --json -q > "$work/$count.json"
    done
    python3 - "$work" <<'PYTHON'
import json, sys
one = json.load(open(f"{sys.argv[1]}/1.json"))
eight = json.load(open(f"{sys.argv[1]}/8.json"))["member_runs"]
slowest = max(run["seconds"] for run in eight)
print(f"one seed: {one['seconds'] / 4:.3f} s per epoch; eight: {slowest / 4:.3f} s for an epoch of each, "
      f"{8 * one['seconds'] / slowest:.2f} times the rows per second")
PYTHON
}

# A dense network leaves the card, and is packed; the packed file answers as exactly elsewhere.
leaves() {
    within "$tool" train "$mnist:train" --dense 4096,4096 --batch 200 --evidence 2 --epochs 1 --polish 0 --backend cuda -o "$work/deep.bb" -q
    "$tool" pack "$work/deep.bb" -o "$work/deep.bbn"
    "$tool" eval "$work/deep.bbn" "$mnist:test"
}

printf '\nsteps: %s\n' "$steps"
step test 240 tests
step same 60 same teacher teacher:21 --evidence 1
step same 60 same three_layers teacher:21 --tree 5,3 --evidence 1
sparse_rows > "$work/rows.libsvm"
step same 60 same sparse "$work/rows.libsvm" --tree 51 --epochs 2 --evidence 1
step same 60 same sparse_dense "$work/rows.libsvm" --dense 256 --batch 50 --epochs 2 --evidence 2
if [ -n "$mnist" ]; then
    step same 120 same paper "$mnist" --tree 301 --epochs 3 --evidence 1
    step same 60 same one_layer "$mnist" --single --epochs 1 --evidence 1
    step same 120 same streamed "$mnist:train#0:2000" --tree 2501 --epochs 1 --evidence 1
    step same 60 same wide "$mnist:train#0:1000" --tree 5,360 --epochs 1 --evidence 1
    step same 60 same backprop "$mnist" --tree 301 --algorithm backprop --epochs 1
    step same 120 same dense "$mnist" --dense 1024 --epochs 2 --evidence 4
    step same 120 same mixed "$mnist:train#0:20000" --dense 256 --tree 21 --epochs 2 --evidence 2
    step same 120 same members "$mnist:train#0:20000" --tree 301 --members 5 --epochs 1 --evidence 1
    step same 240 same deep "$mnist:train#0:10000" --dense 4096,4096 --batch 200 --epochs 1 --evidence 2
    step until 120 until_clipped
    step leaves 120 leaves
    step members 120 members
    step bench 120 within "$tool" bench train --backend cuda --slices 5 --slice-ms 200
    step bench 120 within "$tool" bench train --backend cuda --dense 4096,4096 --batch 200 --slices 3 --slice-ms 300
    step reproduce 400 env BITBAYES_DATA="$(dirname "$mnist")" timeout 400 "$tool" reproduce mnist --epochs 60 --backend cuda -o "$work/reproduce" -q
fi
step full 90 full
step lost 60 lost
step memcheck 240 checked memcheck
step racecheck 240 checked racecheck
step spills 60 spills
step ptx 120 from_ptx
step turing 120 turing
step profile 120 profile
printf '\n== done (%d s), failed: %s\n' "$SECONDS" "${failed[*]:-none}"
[ ${#failed[@]} -eq 0 ]

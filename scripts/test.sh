#!/usr/bin/env bash
# Installs what is needed, builds, and runs every test: release (all), asan (unit), tsan (threads).
# --fuzz: also 30 seconds of libFuzzer for each reader, within 1 GiB; files made to unpack to far more (test_cli_bombs) are
# part of every run. --quick: release only. --core: without the packages of
# apt-hardware.txt, apt-python.txt and apt-slurm.txt; tests of exports whose compiler or simulator is not there skip, as do
# Slurm's, and the Python package is built and tested only where its packages happen to be there.
set -euo pipefail
cd "$(dirname "$0")/.."

fuzz=false quick=false packages=(apt.txt apt-test.txt apt-hardware.txt apt-python.txt) slurm=true
for option in "$@"; do
    case "$option" in
        --fuzz) fuzz=true ;;
        --quick) quick=true ;;
        --core) packages=(apt.txt apt-test.txt) slurm=false ;;
        *) echo "usage: scripts/test.sh [--fuzz] [--quick] [--core]" >&2; exit 2 ;;
    esac
done

step() { printf '\n== %s (%d s)\n' "$*" "$SECONDS"; }

step "packages"
scripts/install.sh "${packages[@]}"
# Its packages start daemons where that is allowed, which may fail.
if $slurm; then scripts/install.sh apt-slurm.txt || echo "Slurm is not installed: its test skips"; fi

step "release: build and test"
cmake --preset release > /dev/null
cmake --build --preset release
ctest --preset release

if ! $quick; then
    step "asan and ubsan: unit tests"
    cmake --preset asan > /dev/null
    cmake --build --preset asan --target unit_tests
    ctest --preset asan

    step "tsan: thread tests"
    cmake --preset tsan > /dev/null
    cmake --build --preset tsan --target thread_tests
    ctest --preset tsan
fi

if $fuzz; then
    step "fuzz: 30 s for each reader"
    scripts/install.sh clang libclang-rt-14-dev
    cmake --preset fuzz > /dev/null
    cmake --build --preset fuzz --target fuzzers
    for target in build/fuzz/tests/fuzz/fuzz_*; do
        [ -x "$target" ] && [ -f "$target" ] || continue
        name=$(basename "$target")
        found=$(mktemp -d)
        echo "-- $name"
        "$target" -max_total_time=30 -timeout=10 -rss_limit_mb=1024 -print_final_stats=1 -artifact_prefix="build/fuzz/$name-" \
            "$found" "tests/fuzz/corpus/${name#fuzz_}" 2>&1 | tail -n 12
        rm -r "$found"
    done
fi
step "done"

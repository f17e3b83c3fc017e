#!/usr/bin/env bash
# NEON computes the same as the levels here: cross-compiles a program that prints "LEVEL HASH" lines, runs it under
# qemu-user and compares its lines with those of the native one. Exit 77 (skipped) without the compiler or qemu (see
# apt-test.txt). Usage: neon_test.sh SOURCE_DIR NATIVE_PROGRAM HWY_INCLUDE_DIR SOURCE...
set -euo pipefail
source=$1 native=$2 hwy=$3
shift 3

compiler=aarch64-linux-gnu-g++
emulator=$(command -v qemu-aarch64 || command -v qemu-aarch64-static || true)
skip() { echo "skipped: $*; see apt-test.txt"; exit 77; }
command -v "$compiler" > /dev/null || skip "no $compiler"
[ -n "$emulator" ] || skip "no qemu-aarch64"
command -v ccache > /dev/null && compiler="ccache $compiler"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/include"
ln -s "$hwy/hwy" "$work/include/hwy"  # its folder also holds the native machine's headers
objects=()
for file in "$@"; do
    object=$work/$(basename "$file" .cpp).o
    # The flags of bitbayes_flags in CMakeLists.txt.
    $compiler -std=c++20 -O2 -ffp-contract=off -I "$source/include" -I "$source/src" -I "$source/tests" \
        -isystem "$work/include" -c "$source/$file" -o "$object"
    objects+=("$object")
done
aarch64-linux-gnu-g++ -static "${objects[@]}" -o "$work/program"

here=$("$native")
there=$("$emulator" "$work/program") || { echo "aarch64 levels differ:"; echo "$there"; exit 1; }
printf '%s\n' "-- native" "$here" "-- aarch64" "$there"
grep -q '^neon ' <<< "$there" || { echo "NEON did not run"; exit 1; }
hashes=$(printf '%s\n' "$here" "$there" | cut -d ' ' -f 2 | sort -u)
[ "$(wc -l <<< "$hashes")" -eq 1 ] || { echo "the numbers differ"; exit 1; }

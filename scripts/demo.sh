#!/usr/bin/env bash
# On a bare Debian 12: installs what is missing, builds, fetches MNIST, trains the paper's network on a part of it for
# about a minute, and shows what the network answers to ten test images and how sure it is.
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/install.sh apt.txt
cmake --preset release > /dev/null
cmake --build --preset release --target bitbayes_cli
bitbayes=build/release/bitbayes
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
run() { printf '\n$ bitbayes %s\n' "$*"; "$bitbayes" "$@"; }

if run fetch mnist; then
    # 785x(301x10)x10: ten trees of 301 hidden neurons, 2,365,860 binary weights.
    # Each sample counts ten times (--evidence 10), or a minute would not get far: the paper's 1 wants some 30 epochs.
    run train 'mnist:train#0:20000' --test mnist:test --tree 301 --epochs 2 --evidence 10 -o "$work/mnist.bb"
    run info "$work/mnist.bb"
    run predict "$work/mnist.bb" 'mnist:test#0:10'
else
    echo "MNIST cannot be had here; the teacher-student task of the paper instead."
    run train teacher:5 -o "$work/teacher.bb"
    run info "$work/teacher.bb"
    run predict "$work/teacher.bb" 'teacher:5:1:test#0:10'
fi

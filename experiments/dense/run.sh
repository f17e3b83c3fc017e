#!/usr/bin/env bash
# Trains the dense networks of docs/dense.md on MNIST and keeps what `train --json` says of each run in results/.
# Usage: run.sh BITBAYES [MNIST], from anywhere; runs whose result is there are not repeated. MNIST: default mnist.
set -euo pipefail
bitbayes=$1 data=${2:-mnist} results=$(dirname "$0")/results
run() {  # NAME FLAG...
    local name=$1
    shift
    [ -e "$results/$name.json" ] && return
    echo "$name: bitbayes train mnist --batch 100 --polish 0 $*"
    "$bitbayes" train "$data" --batch 100 --polish 0 "$@" --json -q > "$results/$name.tmp"
    mv "$results/$name.tmp" "$results/$name.json"
}
mkdir -p "$results"
for seed in 1 2 3; do run "512_seed$seed" --dense 512 --epochs 20 --evidence 2 --seed "$seed"; done
for seed in 1 2 3; do
    run "1024_1024_dropout_seed$seed" --dense 1024,1024 --epochs 20 --dropout 0.3 --prior-scale 2 --evidence 3 --seed "$seed"
done
run 1024_1024_seed1 --dense 1024,1024 --epochs 20 --evidence 2 --seed 1

#!/usr/bin/env bash
# The figures of docs/decisions/0016-polishing.md: run.sh DATA, a folder with optdigits, semeion, spambase and letter.
# Needs a release build and python3-sklearn; renews results.json, prints the table.
set -euo pipefail
data=$(realpath "$1") work=$(mktemp -d)
trap 'rm -r "$work"' EXIT
cd "$(dirname "$0")/../.."
cmake --build build/release --target polish bitbayes_cli

compare() {  # TABLE NETWORK SEED ROUNDS FLAGS...
    local table=$1 network=$2 seed=$3 rounds=$4 split
    split=$(PYTHONPATH=experiments/tables /usr/bin/python3 -c 'import sys, tables; print(*tables.splits(*sys.argv[1:])[0])' "$data" "$table")
    local train=${split% *} test=${split#* }
    build/release/bitbayes train "$train" -o "$work/m.bb" --force -q --threads 1 --polish 0 --seed "$seed" "${@:5}" > /dev/null
    build/release/experiments/polish/polish "$work/m.bb" "$train" "$test" "$rounds" |
        sed "s/^{/{\"table\":\"$table\",\"network\":\"$network\",\"seed\":$seed,/" >> "$work/lines"
}

for seed in 1 2; do
    for table in optdigits semeion spambase; do
        compare $table tree $seed 8 --tree 101 --evidence 1 --epochs 10
        compare $table default $seed 8
    done
    for width in 64 256; do
        for table in optdigits spambase; do compare $table dense$width $seed 8 --dense $width; done
        compare letter dense$width $seed 5 --dense $width
    done
    compare letter default $seed 5
done
(echo "["; sed '$!s/$/,/' "$work/lines"; echo "]") > experiments/polish/results.json
experiments/polish/table.py

#!/usr/bin/env bash
# The figures and the picture of docs/drift.md: run.sh DATA, a folder with spambase, optdigits, a9a and letter. Needs a release build.
set -euo pipefail
data=$(realpath "$1") tables=$(mktemp -d)
trap 'rm -r "$tables"' EXIT
cd "$(dirname "$0")/../.."
cp "$data/spambase/spambase.csv.gz" "$data/a9a/a9a.libsvm.gz" "$data/letter/letter.csv.gz" "$tables"
zcat "$data"/optdigits/optdigits.t*.csv.gz > "$tables/optdigits.csv"
cmake --build build/release --target drift
build/release/experiments/drift/drift "$tables" "$tables"
cp "$tables/results.json" experiments/drift/
cp "$tables/drift.svg" docs/

#!/usr/bin/env bash
# The full reproduction, as docs/reproduction.md shows it: runs what is not there yet in build/reproduction, then renews the
# committed results, document and pictures. Takes hours on two cores; an interrupted run goes on when started again.
set -euo pipefail
cd "$(dirname "$0")/.."

bitbayes=build/release/bitbayes
folder=${1:-build/reproduction}

"$bitbayes" fetch mnist
"$bitbayes" reproduce all -o "$folder"

cp "$folder/results.json" experiments/results.json
rm -f docs/reproduction/*.svg
cp "$folder"/*.svg docs/reproduction/
sed -E 's|\]\(([a-z-]+)\.svg\)|](reproduction/\1.svg)|' "$folder/report.md" > docs/reproduction.md
python3 tests/report/browser.py "$folder/report.html" docs/reproduction/report.png 1200 light 2600 > /dev/null

#!/usr/bin/env python3
"""Few thermometer inputs: those of `--thermometer-budget N` against `--preprocess thermometer:K` of about as many. Prints the error
of the clipped network (in %, mean of the seeds) as a table: the figures of docs/tables.md.

Usage: run.py BITBAYES DATA [SEEDS]; DATA is the folder that holds the data sets' folders.
"""

import gzip
import json
import os
import subprocess
import sys
import tempfile

TABLES = {"spambase": None,  # every fifth row is a test row
          "letter": ("letter/letter.csv.gz#0:4000", "letter/letter.csv.gz#16000:20000"),
          "optdigits": ("optdigits/optdigits.tra.csv.gz", "optdigits/optdigits.tes.csv.gz")}
NETWORKS = (("--tree", "21"), ("--dense", "64"))
CHOICES = [("thermometer:2", 0), ("thermometer:4", 0), ("thermometer:8", 0),
           ("thermometer:8", 30), ("thermometer:8", 60), ("thermometer:8", "thermometer:2"), ("thermometer:8", "thermometer:4")]


def split(data, name, folder):
    if TABLES[name]:
        return [f"{data}/{part}" for part in TABLES[name]]
    lines = gzip.open(f"{data}/{name}/{name}.csv.gz", "rt").readlines()
    paths = [f"{folder}/train.csv", f"{folder}/test.csv"]
    open(paths[0], "w").writelines(line for r, line in enumerate(lines) if r % 5)
    open(paths[1], "w").writelines(lines[::5])
    return paths


def main(bitbayes, data, seeds):
    print("| data | network | preprocessing | inputs | error, clipped % | error, mean % |\n| --- | --- | --- | ---: | ---: | ---: |")
    for name in TABLES:
        for network in NETWORKS:
            inputs_of = {}
            with tempfile.TemporaryDirectory() as folder:
                train, test = split(data, name, folder)
                for choice, budget in CHOICES:
                    budget = inputs_of.get(budget, budget)
                    results = []
                    for seed in range(1, seeds + 1):
                        out = subprocess.run(
                            [bitbayes, "train", train, "--test", test, *network, "--preprocess", choice, "--evidence", "0.25",
                             *(["--thermometer-budget", str(budget)] if budget else []), "--epochs", "10", "--seed", str(seed), "--json"],
                            check=True, capture_output=True, text=True).stdout
                        results.append(json.loads(out))
                    inputs = results[0]["inputs"] - 1
                    if not budget:
                        inputs_of[choice] = inputs
                    mean, clipped = (100 * sum(r[key] for r in results) / seeds for key in ("error_mean", "error_map"))
                    what = f"{choice}, budget {budget}" if budget else choice
                    print(f"| {name} | {' '.join(network)} | {what} | {inputs} | {clipped:.2f} | {mean:.2f} |", flush=True)


if __name__ == "__main__":
    main(os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2]), int(sys.argv[3]) if len(sys.argv) > 3 else 3)

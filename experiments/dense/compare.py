#!/usr/bin/env python3
"""Trees against dense networks of the same number of weights, on tables, images and text.

Usage: compare.py BITBAYES DATA_FOLDER RESULTS.json; runs that RESULTS.json has are not repeated. Prints the table of
docs/dense.md: averages over the seeds (large sets: one). Every run is `bitbayes train ... --epochs 20 --polish 0`
with the evidence at which the search for one would start.
"""
import json
import os
import subprocess
import sys

TREE, SEEDS, EPOCHS = 21, (1, 2, 3), 20
ONE_SEED = {"mnist", "ocr-letters", "20news-bydate"}  # they take longer
HOLD_OUT = ["--hold-out", "0.2"]
DATA = {
    "optdigits": ["optdigits/optdigits.tra.csv.gz", "--test", "optdigits/optdigits.tes.csv.gz"],
    "semeion": ["semeion/semeion.csv.gz", *HOLD_OUT],
    "letter": ["letter/letter.csv.gz#0:16000", "--test", "letter/letter.csv.gz#16000:20000"],
    "spambase": ["spambase/spambase.csv.gz", *HOLD_OUT],
    "magic-wand-digits": ["magic-wand-digits/magic-wand-digits.csv.gz", *HOLD_OUT],
    "a9a": ["a9a/a9a.libsvm.gz", "--test", "a9a/a9a.t.libsvm.gz"],
    "comp-pc-vs-mac": ["20newsgroups/comp-pc-vs-mac.libsvm.gz", *HOLD_OUT],
    "elec-vs-med": ["20newsgroups/elec-vs-med.libsvm.gz", *HOLD_OUT],
    "mnist": ["mnist"],
    "ocr-letters": ["ocr-letters/ocr-train-images-idx3-ubyte.gz,ocr-letters/ocr-train-labels-idx1-ubyte.gz", "--test",
                    "ocr-letters/ocr-test-images-idx3-ubyte.gz,ocr-letters/ocr-test-labels-idx1-ubyte.gz"],
    "20news-bydate": ["20newsgroups/20news-bydate.train.libsvm.gz", "--test",
                      "20newsgroups/20news-bydate.test.libsvm.gz"],
}


def weights(inputs, widths, outputs):
    below, total = inputs, 0
    for width in [*widths, outputs]:
        total += width * below
        below = width + 1
    return total


def width_of(inputs, outputs, layers, budget):
    """The widest network of equal layers that has at most `budget` weights."""
    width = 1
    while weights(inputs, [width + 1] * layers, outputs) <= budget:
        width += 1
    return width


def train(bitbayes, folder, arguments, flags, seed):
    paths = [",".join(os.path.join(folder, part) for part in word.split(",")) if "/" in word or word == "mnist" else word
             for word in arguments]
    narrowest = min(map(int, flags[1].split(",")))
    evidence = min(max(narrowest / 256, 0.25), 2) if flags[0] == "--dense" else 1
    command = [bitbayes, "train", *paths, *flags, "--epochs", str(EPOCHS), "--evidence", str(evidence), "--polish", "0",
               "--seed", str(seed), "--json", "-q"]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: {done.stderr}")
    result = json.loads(done.stdout)
    return {key: result[key] for key in ("weights", "inputs", "classes", "evidence", "batch", "error_map", "error_mean",
                                         "nll", "seconds")} | {"flags": " ".join(flags)}


def main():
    bitbayes, folder, path = sys.argv[1:]
    results = json.load(open(path)) if os.path.exists(path) else {}

    def run(name, kind, flags, seed):
        key = f"{name} {kind} {seed}"
        if key not in results:
            results[key] = train(bitbayes, folder, DATA[name], flags, seed)
            with open(path + ".tmp", "w") as file:
                json.dump(results, file, indent=1)
            os.replace(path + ".tmp", path)
        return results[key]

    print("| data | network | kB | clipped % | mean % | NLL | seconds |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for name in DATA:
        tree = run(name, "tree", ["--tree", str(TREE)], SEEDS[0])
        outputs = tree["classes"] if tree["classes"] > 2 else 1
        kinds = {"tree": ["--tree", str(TREE)]}
        for layers in (1, 2):
            width = width_of(tree["inputs"], outputs, layers, tree["weights"])
            kinds[f"dense {layers}"] = ["--dense", ",".join([str(width)] * layers)]
        for kind, flags in kinds.items():
            seeds = SEEDS[:1] if name in ONE_SEED else SEEDS
            runs = [run(name, kind, flags, seed) for seed in seeds]
            mean = {key: sum(each[key] for each in runs) / len(runs)
                    for key in ("error_map", "error_mean", "nll", "seconds")}
            print(f"| {name if kind == 'tree' else ''} | `{' '.join(flags)}` | {runs[0]['weights'] / 8000:.1f} | "
                  f"{100 * mean['error_map']:.1f} | {100 * mean['error_mean']:.1f} | {mean['nll']:.3f} | "
                  f"{mean['seconds']:.1f} |", flush=True)


main()

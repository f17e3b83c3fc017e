#!/usr/bin/python3
"""What Python costs: one row at a time beside C++ on optdigits, 64x(21x10)x10, and fit beside `bitbayes train` on MNIST.

Usage, with the package and `one_row` built:
    cmake --build --preset release --target one_row
    PYTHONPATH=build/release/python experiments/python/run.py --data FOLDER

FOLDER has optdigits/ and mnist/. Runs alternate, figures are medians; prints Markdown.
"""
import argparse
import json
import os
import statistics
import subprocess
import tempfile
import time

import bitbayes

HERE = os.path.dirname(os.path.abspath(__file__))


def median_microseconds(call, times=3000):
    for k in range(200):
        call(k)
    passed = []
    for k in range(times):
        start = time.perf_counter_ns()
        call(k)
        passed.append(time.perf_counter_ns() - start)
    return statistics.median(passed) / 1000


def one_row(build, data, rounds):
    table = bitbayes.read(data)
    options = {"epochs": 2, "evidence": 1, "polish": 0}
    estimator = bitbayes.BitBayesClassifier(architecture="tree", hidden_layers=21, **options).fit(table.X, table.y)
    rows = [table.X[k:k + 1] for k in range(1000)]
    labels = [table.y[k:k + 1] for k in range(1000)]
    found = {"predict": [], "partial_fit": [], "C++ predict": [], "C++ learn": []}
    with tempfile.TemporaryDirectory() as folder:
        estimator.save(os.path.join(folder, "m.bb"))
        for _ in range(rounds):
            cpp = json.loads(subprocess.run([os.path.join(build, "experiments/python/one_row"),
                                             os.path.join(folder, "m.bb"), data],
                                            capture_output=True, text=True, check=True).stdout)
            found["C++ predict"].append(cpp["predict"])
            found["C++ learn"].append(cpp["learn"])
            found["predict"].append(median_microseconds(lambda k: estimator.predict(rows[k % 1000])))
            found["partial_fit"].append(
                median_microseconds(lambda k: estimator.partial_fit(rows[k % 1000], labels[k % 1000])))
    return {name: statistics.median(values) for name, values in found.items()}


def mnist(build, data, rounds):
    """Seconds of the same training, reading of the files left out."""
    table = bitbayes.read(data + ":train")
    X, y = table.X, table.y
    found = {"fit": [], "bitbayes train": []}
    for _ in range(rounds):
        done = subprocess.run([os.path.join(build, "bitbayes"), "train", data + ":train", "--tree", "21", "--epochs", "1",
                               "--evidence", "1", "--polish", "0", "--json", "-q"],
                              capture_output=True, text=True, check=True)
        found["bitbayes train"].append(json.loads(done.stdout)["seconds"])
        estimator = bitbayes.BitBayesClassifier(architecture="tree", hidden_layers=21, epochs=1, evidence=1, polish=0,
                                                image_shape=table.image_shape)
        start = time.perf_counter()
        estimator.fit(X, y)
        found["fit"].append(time.perf_counter() - start)
    return {name: statistics.median(values) for name, values in found.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", required=True)
    parser.add_argument("--build", default=os.path.join(HERE, "../../build/release"))
    parser.add_argument("--rounds", type=int, default=5)
    given = parser.parse_args()
    row = one_row(given.build, os.path.join(given.data, "optdigits/optdigits.tes.csv.gz"), given.rounds)
    print("| one row, 64x(21x10)x10 | Python, microseconds | C++, microseconds |\n| --- | --- | --- |")
    print(f"| `predict` | {row['predict']:.1f} | {row['C++ predict']:.1f} |")
    print(f"| `partial_fit`, `Model::learn` | {row['partial_fit']:.1f} | {row['C++ learn']:.1f} |")
    run = mnist(given.build, os.path.join(given.data, "mnist"), given.rounds)
    print(f"\nMNIST, tree 21, one epoch: `fit` {run['fit']:.2f} s, `bitbayes train` {run['bitbayes train']:.2f} s of "
          f"training (ratio {run['fit'] / run['bitbayes train']:.3f})")


if __name__ == "__main__":
    main()

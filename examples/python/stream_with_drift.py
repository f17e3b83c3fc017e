"""A stream whose labels swap: what was true is now false. The classifier has been trained on rows of before; it answers
each further row before it learns it. With a memory it forgets what it was sure of, and follows.

Usage: stream_with_drift.py [--plot FILE]     (the plot needs matplotlib)
"""
import argparse

import numpy as np
from sklearn.datasets import make_classification

from bitbayes import BitBayesClassifier

TRAINED, SWAP, ROWS, WINDOW = 4_000, 7_000, 10_000, 500


def stream(memory):
    """1 for each row that was answered wrongly before it was learned."""
    X, y = make_classification(ROWS, n_features=20, n_informative=10, class_sep=1.5, flip_y=0.05, random_state=0)
    y[SWAP:] = 1 - y[SWAP:]

    classifier = BitBayesClassifier(architecture="tree", hidden_layers=21, epochs=10, evidence=1, memory=memory)
    classifier.fit(X[:TRAINED], y[:TRAINED])
    wrong = np.zeros(ROWS)
    for row in range(TRAINED, ROWS):
        one = slice(row, row + 1)
        wrong[row] = classifier.predict(X[one])[0] != y[row]
        classifier.partial_fit(X[one], y[one])
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--plot", metavar="FILE", help="draw the errors of both memories")
    arguments = parser.parse_args()
    errors = {memory: stream(memory) for memory in ("inf", 3000)}
    print("memory    before the swap    right after   2,000 rows after")
    for memory, wrong in errors.items():
        before, after, later = (wrong[start:start + WINDOW].mean() for start in (SWAP - WINDOW, SWAP, SWAP + 2000))
        print(f"{memory:<8}{before:>17.1%}{after:>15.1%}{later:>19.1%}")
    if arguments.plot:
        import matplotlib.pyplot as plt

        figure, ax = plt.subplots(figsize=(7, 3.5), constrained_layout=True)
        for memory, wrong in errors.items():
            step = WINDOW // 2
            windows = wrong[TRAINED:].reshape(-1, step).mean(axis=1)
            ax.plot(TRAINED + step * (np.arange(len(windows)) + 0.5), 100 * windows, label=f"memory {memory}")
        ax.axvline(SWAP, color="0.6", linestyle="--", linewidth=1, label="labels swap")
        ax.set(xlabel="rows", ylabel=f"error of {step} rows, %", ylim=(0, 100))
        ax.legend(frameon=False)
        figure.savefig(arguments.plot, dpi=120)


if __name__ == "__main__":
    main()

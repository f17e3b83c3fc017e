"""How long single rows take on a network 64x(21x10)x10. The limits are loose: machines are noisy."""

import statistics
import time
import unittest

import numpy as np

from bitbayes import BitBayesClassifier
from support import digits

GOALS = {"predict": 30, "partial_fit": 50}  # microseconds, medians


def median_microseconds(call, times=3000):
    for k in range(200):
        call(k)
    passed = []
    for k in range(times):
        start = time.perf_counter_ns()
        call(k)
        passed.append(time.perf_counter_ns() - start)
    return statistics.median(passed) / 1000


class OneRow(unittest.TestCase):
    def test_medians(self):
        X, y = digits(1000)
        estimator = BitBayesClassifier(architecture="tree", hidden_layers=21, epochs=2, evidence=1, polish=0).fit(X, y)
        model, names = estimator.model_, [str(label) for label in y]
        rows, labels = [X[k:k + 1] for k in range(1000)], [y[k:k + 1] for k in range(1000)]
        found = {
            "predict": median_microseconds(lambda k: estimator.predict(rows[k % 1000])),
            "partial_fit": median_microseconds(lambda k: estimator.partial_fit(rows[k % 1000], labels[k % 1000])),
            "Model.predict": median_microseconds(lambda k: model.predict(rows[k % 1000])),
            "Model.learn": median_microseconds(lambda k: model.learn(X[k % 1000], names[k % 1000])),
            "clip().predict": median_microseconds(lambda k, c=estimator.clip(): c.predict(rows[k % 1000])),
        }
        print("one row, microseconds: " + ", ".join(f"{name} {value:.1f}" for name, value in found.items()))
        for name, goal in GOALS.items():
            self.assertLess(found[name], 5 * goal, name)

    def test_a_bad_row_is_still_seen(self):
        X, y = digits(200)
        estimator = BitBayesClassifier(architecture="tree", hidden_layers=3, epochs=1, evidence=1).fit(X, y)
        bad = X[:1].copy()
        bad[0, 20] = np.inf
        for call in [estimator.predict, lambda row: estimator.partial_fit(row, y[:1])]:
            with self.assertRaisesRegex(ValueError, "[Ii]nf"):
                call(bad)


if __name__ == "__main__":
    unittest.main()

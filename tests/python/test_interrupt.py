"""Ctrl-C stops a fit and leaves a model that predicts; a callback stops it too."""

import os
import signal
import subprocess
import sys
import threading
import time
import unittest
from unittest import mock

import numpy as np

from bitbayes import BitBayesClassifier, Trainer, train
from support import blobs

PROGRAM = """
import sys, time
import numpy as np
from bitbayes import BitBayesClassifier
sys.path.insert(0, sys.argv[1])
from support import blobs
X, y = blobs(3000, features=50)
estimator = BitBayesClassifier(hidden_layers=256, {parameters})
print("go", flush=True)
try:
    estimator.fit(X, y)
    print("finished")
except KeyboardInterrupt:
    stopped = time.time()
    print("seen", estimator.model_.samples_seen, "score", estimator.score(X, y), "epochs", len(estimator.history_))
    estimator.partial_fit(X[:1], y[:1])
    print("time", stopped)
"""


class CtrlC(unittest.TestCase):
    def interrupted(self, parameters):
        """What the program printed, by name, and the seconds from the signal to the exception."""
        here = os.path.dirname(os.path.abspath(__file__))
        process = subprocess.Popen([sys.executable, "-B", "-c", PROGRAM.format(parameters=parameters), here],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.kill)
        self.assertEqual(process.stdout.readline(), "go\n")
        time.sleep(1)
        sent = time.time()
        process.send_signal(signal.SIGINT)
        output, errors = process.communicate(timeout=50)
        self.assertEqual(process.returncode, 0, errors)
        words = output.split()
        found = dict(zip(words[::2], map(float, words[1::2])))
        self.assertIn("seen", found, output)
        return found, found["time"] - sent

    def test_epochs(self):
        found, seconds = self.interrupted("epochs=100000, evidence=1")
        self.assertGreater(found["seen"], 0)
        self.assertGreater(found["score"], 0.9)
        self.assertLess(found["epochs"], 100000)
        self.assertLess(seconds, 5)
        print(f"Ctrl-C: KeyboardInterrupt after {seconds:.2f} s")

    def test_trials(self):
        found, seconds = self.interrupted("epochs=100000, architecture='tree'")
        self.assertGreater(found["seen"], 0)
        self.assertLess(found["epochs"], 100000)
        self.assertLess(seconds, 5)

    def test_with_a_bar(self):
        found, _ = self.interrupted("epochs=100000, evidence=1, verbose=1")
        self.assertGreater(found["score"], 0.9)

    def test_before_the_first_epoch(self):
        X, y = blobs()
        estimator = BitBayesClassifier(hidden_layers=8)
        with mock.patch("bitbayes.classifier._core.Trainer", side_effect=KeyboardInterrupt):
            self.assertRaises(KeyboardInterrupt, estimator.fit, X, y)
        self.assertEqual(estimator.model_.samples_seen, 0)
        self.assertEqual(estimator.predict(X).shape, y.shape)
        self.assertGreater(estimator.partial_fit(X, y).score(X, y), 0.8)


class Callbacks(unittest.TestCase):
    def setUp(self):
        self.X, self.y = blobs(3000, features=50)

    def test_false_stops(self):
        seen = []

        def progress(now):
            seen.append(now)
            return len(seen) < 3

        result = train(self.X, self.y, dense=[256], epochs=100000, evidence=1, progress=progress)
        self.assertEqual(len(seen), 3)
        self.assertGreater(result.model.samples_seen, 0)
        self.assertEqual(seen[-1]["epochs"], 100000)
        self.assertGreater(np.mean(result.model.predict(self.X).class_index == self.y), 0.8)

    def test_an_exception_passes_through(self):
        def progress(now):
            raise LookupError("enough")

        trainer = Trainer(self.X, self.y, ["0", "1", "2"], {"dense": [256], "epochs": 100000, "evidence": 1})
        with self.assertRaisesRegex(LookupError, "enough"):
            trainer.run(progress)
        self.assertGreater(trainer.model().samples_seen, 0)

    def test_other_threads_run_meanwhile(self):
        estimator = BitBayesClassifier(hidden_layers=256, epochs=30, evidence=1, polish=0, n_jobs=1)
        thread = threading.Thread(target=estimator.fit, args=(self.X, self.y))
        thread.start()
        ticks = 0
        while thread.is_alive():
            time.sleep(0.01)
            ticks += 1
        thread.join()
        self.assertGreater(ticks, 5)


if __name__ == "__main__":
    unittest.main()

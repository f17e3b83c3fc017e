"""What the tests of the Python package share: small data, a scratch folder, the command line tool."""

import os
import shutil
import subprocess
import tempfile
import unittest

import numpy as np

BITBAYES = os.environ["BITBAYES"]
TIMEOUT = 60


class FolderTest(unittest.TestCase):
    """Each test has an empty folder of its own."""

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="bitbayes_python_")
        self.addCleanup(shutil.rmtree, self.folder)

    def path(self, name):
        return os.path.join(self.folder, name)

    def read(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def write(self, name, content):
        with open(self.path(name), "w" if isinstance(content, str) else "wb") as file:
            file.write(content)
        return self.path(name)

    def cli(self, *arguments):
        """Runs the command line tool; its standard output."""
        done = subprocess.run([BITBAYES, *map(str, arguments)], cwd=self.folder, timeout=TIMEOUT,
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout


def blobs(rows=300, classes=3, features=5, seed=1):
    """Rows around one random centre per class; centres do not depend on the seed."""
    centres = np.random.RandomState(0).uniform(-3, 3, (classes, features))
    y = np.arange(rows) % classes
    return centres[y] + np.random.RandomState(seed).normal(size=(rows, features)), y


def digits(rows=500):
    """Handwritten digits of scikit-learn: 8x8 pixels from 0 to 16."""
    from sklearn.datasets import load_digits
    X, y = load_digits(return_X_y=True)
    return X[:rows], y[:rows]


if __name__ == "__main__":
    raise SystemExit("run one of the test_*.py files")

"""backend="cuda" from Python, on an emulated card (tests/cuda/emulated_part.cpp) in a copy of the package."""

import os
import shutil
import subprocess
import sys
import unittest

import bitbayes
from support import TIMEOUT, FolderTest

PROGRAM = """
import bitbayes
from support import blobs
X, y = blobs(rows=90)
def trained(backend):
    return bitbayes.BitBayesClassifier(architecture="tree", hidden_layers=5, epochs=2, evidence=1, backend=backend).fit(X, y)
cpu, card = trained("auto"), trained("cuda")
assert cpu.model_.to_bytes() == card.model_.to_bytes()
try:
    trained("cuda:7")
except RuntimeError as error:
    print(error)
"""


class Card(FolderTest):
    def test_models_have_the_bytes_of_the_cpu(self):
        package = os.path.dirname(bitbayes.__file__)
        copy = self.path("bitbayes")
        shutil.copytree(package, copy, ignore=shutil.ignore_patterns("parts", "__pycache__"))
        os.mkdir(os.path.join(copy, "parts"))
        shutil.copy(os.environ["BITBAYES_EMULATED_PART"], os.path.join(copy, "parts", "libbitbayes_cuda.so"))
        here = os.path.dirname(os.path.abspath(__file__))
        done = subprocess.run([sys.executable, "-B", "-c", PROGRAM], cwd=self.folder, timeout=TIMEOUT, capture_output=True,
                              text=True, env={**os.environ, "PYTHONPATH": os.pathsep.join([self.folder, here])})
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("the first is number 0", done.stdout)


if __name__ == "__main__":
    unittest.main()

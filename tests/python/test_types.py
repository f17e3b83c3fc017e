"""mypy accepts the package and right programs, and finds what is wrong in others."""

import os
import shutil
import subprocess
import tempfile
import textwrap
import unittest
from pathlib import Path

SOURCE = Path(os.environ["BITBAYES_SOURCE"])
MYPY = "/usr/bin/mypy"

RIGHT = """
    from typing import Optional

    import numpy as np
    from numpy.typing import NDArray

    import bitbayes
    from bitbayes import BitBayesClassifier, Model, PackedNetwork, Trainer

    X = np.zeros((4, 2))
    y = np.array([0, 1, 0, 1])
    classifier = BitBayesClassifier(epochs=3, random_state=1)
    classifier.fit(X, y)
    classifier.partial_fit(X, y)
    answers: NDArray[np.float64] = classifier.predict_proba(X)
    trainer = Trainer(X, y, ["no", "yes"], options={"epochs": 2})
    done: bool = trainer.run(lambda progress: None)
    model: Model = trainer.model()
    memory: Optional[int] = model.memory
    probability: float = float(model.predict(X).probability[0])
    network = PackedNetwork(model)
    scores: NDArray[np.int64] = network.scores(X)
    files: list[str] = bitbayes.export_c(network, "firmware")
    try:
        Model.load("model.bb")
    except bitbayes.BitBayesError as error:
        code: int = error.exit_code
"""

# What mypy must say of each line.
WRONG = {
    "bitbayes.Model.load(3)": "arg-type",
    "bitbayes.Model.load('model.bb').predict()": "call-arg",
    "bitbayes.Model.load('model.bb').features.lower()": "attr-defined",
    "bitbayes.Model.load('model.bb').samples": "attr-defined",
    "bitbayes.export_c(bitbayes.Model.load('model.bb'), 'firmware')": "arg-type",
    "bitbayes.no_such_name": "attr-defined",
}


@unittest.skipUnless(os.path.exists(MYPY), f"{MYPY} is not there")
class Types(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="bitbayes_types_"))
        self.addCleanup(shutil.rmtree, self.folder)

    def mypy(self, *arguments):
        """The cache is kept in the folder in which the test runs: NumPy's types take a while."""
        environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
        return subprocess.run(
            [MYPY, "--config-file", SOURCE / "pyproject.toml", "--cache-dir", Path("mypy_cache").absolute(),
             "--no-error-summary", *arguments],
            cwd=self.folder, env=environment | {"MYPYPATH": str(SOURCE / "python")}, capture_output=True, text=True)

    def program(self, text):
        (self.folder / "program.py").write_text(textwrap.dedent(text))
        return self.mypy("program.py")

    def test_package(self):
        done = self.mypy("-p", "bitbayes")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_right_use(self):
        done = self.program(RIGHT)
        self.assertEqual([line for line in done.stdout.splitlines() if line.startswith("program.py")], [])
        self.assertEqual(done.stderr, "")

    def test_wrong_use(self):
        done = self.program("import bitbayes\n" + "".join(line + "\n" for line in WRONG))
        found = {line.split(":")[1]: line for line in done.stdout.splitlines() if " error: " in line}
        for number, (line, kind) in enumerate(WRONG.items(), start=2):
            self.assertIn(f"[{kind}]", found.get(str(number), ""), line + "\n" + done.stdout + done.stderr)


if __name__ == "__main__":
    unittest.main()

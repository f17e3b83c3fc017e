"""Every program of examples/python runs, and prints what its description says."""

import importlib.util
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(os.environ["BITBAYES_SOURCE"])
EXAMPLES = SOURCE / "examples" / "python"
TIMEOUT = 60


def numbers(line):
    return [float(number.replace(",", "")) for number in re.findall(r"[-\d.,]*\d", line)]


class Examples(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="bitbayes_examples_"))
        self.addCleanup(shutil.rmtree, self.folder)

    def lines(self, name, *arguments):
        """What examples/python/NAME prints; nothing on stderr."""
        done = subprocess.run([sys.executable, "-B", EXAMPLES / name, *map(str, arguments)], cwd=self.folder,
                              timeout=TIMEOUT, capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout.splitlines()

    def test_each_example_is_tested(self):
        self.assertEqual({path.name for path in EXAMPLES.iterdir() if path.suffix in (".py", ".ipynb")},
                         {"digits.py", "stream_with_drift.py", "choose_what_to_label.py", "fit_to_firmware.py",
                          "tour.ipynb"})

    def test_digits(self):
        mean, clipped, validity = map(numbers, self.lines("digits.py"))
        self.assertGreater(mean[0], 96)
        self.assertGreater(clipped[0], 94)
        self.assertGreater(validity[0], validity[1] + 0.2)
        info = subprocess.run([os.environ["BITBAYES"], "info", "digits.bb"], cwd=self.folder, check=True,
                              capture_output=True, text=True).stdout
        self.assertRegex(info, r"(?m)^features +64$")

    def test_stream_with_drift(self):
        plot = importlib.util.find_spec("matplotlib") is not None
        header, endless, memory = self.lines("stream_with_drift.py", *(["--plot", "drift.png"] if plot else []))
        self.assertIn("before the swap", header)
        self.assertTrue(endless.startswith("inf"))
        before, after, later = numbers(memory)[1:]
        self.assertGreater(after, before + 20)
        self.assertLess(later, before + 10)
        self.assertGreater(numbers(endless)[-1], later + 10)  # without a memory it is still wrong
        if plot:
            self.assertTrue((self.folder / "drift.png").read_bytes().startswith(b"\x89PNG"))

    def test_choose_what_to_label(self):
        lines = self.lines("choose_what_to_label.py")
        ends = []
        for title, start in (("Digits only", 0), ("Half of the pool is noise", 8)):
            self.assertIn(title, lines[start])
            self.assertEqual(lines[start + 1].split("  ")[0], "labels")
            table = [numbers(line) for line in lines[start + 2:start + 8]]
            self.assertEqual([row[0] for row in table], [40, 60, 80, 100, 120, 140])
            self.assertEqual(len(set(table[0][1:])), 1)  # all start from the same rows
            ends.append(table[-1][1:])
        (random, margin, _), (_, margin_of_all, margin_of_valid) = ends
        self.assertLess(margin, random - 1)
        self.assertLess(margin_of_valid, margin_of_all - 2)

    def test_readme(self):
        code = re.findall(r"```python\n(.*?)```", (SOURCE / "README.md").read_text(), re.DOTALL)
        self.assertEqual(len(code), 1)
        setup = ("from sklearn.datasets import load_digits\nX, y = load_digits(return_X_y=True)\n"
                 "X_train, y_train, X_test, X_new, y_new = X[:500], y[:500], X[500:600], X[600:700], y[600:700]\n")
        done = subprocess.run([sys.executable, "-B", "-c", setup + code[0]], cwd=self.folder, timeout=TIMEOUT,
                              capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout + done.stderr), (0, ""))
        for name in ("model.bb", "firmware/bitbayes_net.c"):
            self.assertTrue((self.folder / name).exists(), name)

    @unittest.skipIf(shutil.which("gcc") is None, "there is no gcc")
    def test_fit_to_firmware(self):
        right, same = self.lines("fit_to_firmware.py")
        self.assertRegex(right, r"^450 rows, 9[3-9]\.\d\d% right on the device$")
        self.assertEqual(same, "0 differences between the C and the library")


if __name__ == "__main__":
    unittest.main()

"""The examples in docstrings, in docs/python.md and in python/README.md run and print what they say."""

import doctest
import importlib
import os
import pkgutil
import re
import shutil
import tempfile
import unittest
from pathlib import Path

import bitbayes

SOURCE = Path(os.environ["BITBAYES_SOURCE"])
DOCUMENTS = ("docs/python.md", "python/README.md")
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def modules():
    names = [found.name for found in pkgutil.iter_modules(bitbayes.__path__)]
    return [bitbayes] + [importlib.import_module("bitbayes." + name) for name in names]


def python_blocks(text):
    """The text with every line outside of ```python blocks left empty, so that line numbers stay."""
    kept, inside = [], False
    for line in text.split("\n"):
        if re.match(r"```", line):
            inside = not inside and line.startswith("```python")
            line = ""
        kept.append(line if inside else "")
    return "\n".join(kept)


class Doctests(unittest.TestCase):
    """Each test runs in an empty folder of its own, since examples write files."""

    def setUp(self):
        try:
            import sklearn  # noqa: F401
        except ImportError:
            self.skipTest("scikit-learn is not there")
        folder = tempfile.mkdtemp(prefix="bitbayes_doctest_")
        self.addCleanup(shutil.rmtree, folder)
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(folder)

    def run_examples(self, test):
        report = []
        result = doctest.DocTestRunner(optionflags=FLAGS).run(test, out=report.append)
        self.assertEqual(result.failed, 0, "".join(report))
        return result.attempted

    def test_docstrings(self):
        attempted = 0
        for module in modules():
            for test in doctest.DocTestFinder().find(module):
                with self.subTest(test.name):
                    attempted += self.run_examples(test)
        self.assertGreater(attempted, 0, "no docstring has an example")

    def test_documents(self):
        for name in DOCUMENTS:
            with self.subTest(name):
                text = python_blocks((SOURCE / name).read_text())
                test = doctest.DocTestParser().get_doctest(text, {}, name, str(SOURCE / name), 0)
                self.assertGreater(self.run_examples(test), 0, "no examples")


class Blocks(unittest.TestCase):
    def test_lines_stay_where_they_are(self):
        text = "a\n```python\n>>> 1\n1\n```\n>>> 2\n```sh\n>>> 3\n```\n"
        self.assertEqual(python_blocks(text), "\n\n>>> 1\n1\n\n\n\n\n\n")


if __name__ == "__main__":
    unittest.main()

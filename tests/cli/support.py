"""What the tests of the command line share: running it, and small tables to run it on."""

import json
import os
import random
import shutil
import subprocess
import tempfile
import unittest

BITBAYES = os.environ["BITBAYES"]
TIMEOUT = 60
MPI_PART = os.path.join(os.path.dirname(BITBAYES), "libbitbayes_mpi.so")
ERROR_LINE = r"^bitbayes: error: [^\n]+\n$"


class CliTest(unittest.TestCase):
    """Each test runs in an empty folder of its own."""

    timeout = TIMEOUT  # of one command, in seconds

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="bitbayes_cli_")
        self.addCleanup(shutil.rmtree, self.folder)

    def path(self, name):
        return os.path.join(self.folder, name)

    def read(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def write(self, name, content):
        with open(self.path(name), "w" if isinstance(content, str) else "wb") as file:
            file.write(content)
        return name

    def run_cli(self, *arguments, **options):
        return subprocess.run(
            [BITBAYES, *map(str, arguments)], cwd=self.folder, timeout=self.timeout, capture_output=True,
            text=True, **options)

    def start(self, *arguments):
        return subprocess.Popen(
            [BITBAYES, *map(str, arguments)], cwd=self.folder, stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=0)

    def succeed(self, *arguments, **options):
        done = self.run_cli(*arguments, **options)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done

    def json(self, *arguments, **options):
        """The one JSON object on stdout."""
        return json.loads(self.succeed(*arguments, "--json", **options).stdout)

    def mpirun(self, ranks, *arguments, env=None):
        """The command on so many ranks; skips where there is no MPI."""
        if shutil.which("mpirun") is None or not os.path.exists(MPI_PART):
            self.skipTest("no mpirun here, or a build without MPI")
        allowed = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
        return subprocess.run(
            ["mpirun", "--oversubscribe", "-n", str(ranks), BITBAYES, *map(str, arguments)], cwd=self.folder,
            env={**os.environ, **allowed, **(env or {})}, timeout=self.timeout, capture_output=True, text=True)

    def fail_with(self, code, pattern, *arguments, **options):
        """Exit code, nothing on stdout, and one error line on stderr that matches."""
        done = self.run_cli(*arguments, "-q", **options)
        self.assertEqual(done.returncode, code, done.stderr)
        self.assertEqual(done.stdout, "")
        self.assertRegex(done.stderr, ERROR_LINE)
        self.assertRegex(done.stderr, pattern)
        return done

    def table(self, name, rows=300, classes=3, features=5, seed=1, **options):
        return self.write(name, table(rows, classes, features, seed, **options))

    def model(self, name="model.bb", data="train.csv"):
        """A small trained model of a table of three classes."""
        if not os.path.exists(self.path(data)):
            self.table(data)
        self.succeed("train", data, "-o", name, "--tree", 11, "--evidence", 1, "--epochs", 2, "-q")
        return name


def table(rows, classes, features, seed, labels=True, names="{}", header=False, missing=0.0):
    """Rows around one random centre per class, as CSV text; centres do not depend on the seed."""
    centre = random.Random(0)
    centres = [[centre.uniform(-3, 3) for _ in range(features)] for _ in range(classes)]
    draw = random.Random(seed)
    lines = []
    if header:
        lines.append(",".join([f"f{j}" for j in range(features)] + ["kind"] * labels))
    for row in range(rows):
        kind = row % classes
        cells = ["?" if draw.random() < missing else f"{draw.gauss(mean, 1):.4f}"
                 for mean in centres[kind]]
        lines.append(",".join(cells + [names.format(kind)] * labels))
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    raise SystemExit("run one of the test_*.py files")

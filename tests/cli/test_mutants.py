"""Every reader through the command line: files that are damaged, cut or made up give one clear line and its exit code."""

import glob
import os
import random
import subprocess
import unittest

from support import BITBAYES, CliTest

CORPUS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "fuzz", "corpus")
GOLDEN = os.environ["BITBAYES_GOLDEN_DIR"]
PIECES = [b"\0", b"\xff\xff\xff\xff", b"\x1b[2J", b"\n", b"\"", b"-1", b"1e999", b"nan", b"9" * 40, b"[" * 5000, b"{\"a\":" * 5000]


def mutants(seeds, count, seed=1):
    """The seeds, changed in one place or two."""
    draw = random.Random(seed)
    for _ in range(count):
        text = draw.choice(seeds)
        for _ in range(draw.choice((1, 1, 2))):
            at = draw.randrange(len(text) + 1)
            text = draw.choice((
                lambda: text[:at] + bytes([draw.randrange(256)]) + text[at + 1:],
                lambda: text[:at] + text[at + draw.randrange(1, 9):],
                lambda: text[:at] + draw.choice(PIECES) + text[at:],
                lambda: text[:at],
                lambda: text[:at] + text[at // 2:at] + text[at:]))()
        yield text


def corpus(reader):
    seeds = []
    for path in sorted(glob.glob(os.path.join(CORPUS, reader, "*"))):
        with open(path, "rb") as file:
            seeds.append(file.read())
    return [seed for seed in seeds if len(seed) < 100_000]


class Mutants(CliTest):
    def check(self, allowed, *arguments):
        done = subprocess.run([BITBAYES, *arguments], cwd=self.folder, timeout=60, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        talk = done.stderr.decode("utf-8")  # strict
        self.assertIn(done.returncode, allowed, talk)
        self.assertNotIn("internal", talk)
        self.assertNotRegex(talk, "[\x00-\x09\x0b-\x1f\x7f-\x9f]")
        if done.returncode != 0:
            self.assertRegex(talk, r"^(bitbayes: note: [^\n]+\n)*bitbayes: error: [^\n]{1,2000}\n$")

    def check_reader(self, reader, name, allowed, *commands, count=40):
        for number, text in enumerate(mutants(corpus(reader), count)):
            self.write(name, text)
            with self.subTest(reader=reader, mutant=number):
                for command in commands:
                    self.check(allowed, *command)

    def test_data(self):
        for reader, name in (("csv", "x.csv"), ("libsvm", "x.libsvm"), ("npz", "x.npz"), ("idx", "x-idx3-ubyte"),
                             ("gzip", "x.csv.gz")):
            train = ("train", name, "--tree", "3", "--epochs", "1", "--progress", "none", "--json")
            self.check_reader(reader, name, (0, 2, 3), train)

    def test_specifications(self):
        for text in mutants(corpus("spec"), 60):
            if b"\0" not in text and not text.startswith(b"-") and len(text) < 10_000 and b"teacher" not in text:
                self.check((2, 3, 6), "train", text, "--epochs", "1", "-q")

    def test_models(self):
        self.write("rows.csv", "1,2,0\n2,1,1\n")
        self.check_reader("model", "x.bb", (0, 3, 4), ("info", "x.bb"), ("eval", "x.bb", "rows.csv"))
        self.check_reader("packed", "x.bbn", (0, 3, 4), ("info", "x.bbn"), ("predict", "x.bbn", "rows.csv"))

    def test_golden_vectors(self):
        seeds = []
        for name in ("teacher_3.json", "dense_then_tree.json"):
            with open(os.path.join(GOLDEN, name), "rb") as file:
                seeds.append(file.read())
        for text in [*mutants(seeds, 60), b"[" * 1_000_000, b'{"a":' * 1_000_000, b"{}", b"null", b""]:
            self.write("x.json", text)
            self.check((0, 1, 3), "check-golden", "x.json")


if __name__ == "__main__":
    unittest.main()

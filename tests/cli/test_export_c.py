"""bitbayes export c: real networks, packed, written as C and verified on every test row."""

import os
import re
import shutil
import stat
import subprocess
import unittest

from support import CliTest

DATA = os.environ["BITBAYES_SHARED_DATA"]
CORPUS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "fuzz", "corpus", "packed")
DENSE = (("--dense", 24), ("--dense", "24,16"), ("--dense", 24, "--tree", 5))
FORBIDDEN = re.compile(rb"float|double|malloc")


class ExportC(CliTest):
    def pack(self, *train, options=()):
        self.succeed("train", *train, "-o", "model.bb", "-q", "--force")
        self.succeed("pack", "model.bb", "-o", "net.bbn", *options, "-q", "--force")

    def pack_table(self, *options):
        self.model()
        self.table("test.csv", seed=2)
        self.succeed("pack", "model.bb", "-o", "net.bbn", *options, "-q")

    def verify(self, rows, *options):
        """Every row is compared, and the same."""
        result = self.json("export", "c", "net.bbn", "-o", "out", *options, "--force")
        (verification,) = result["verified"]
        self.assertEqual([verification["rows"], verification["differences"]], [rows, 0])
        return result

    def files(self, folder="out"):
        root = self.path(folder)
        found = sorted(os.path.relpath(os.path.join(at, name), root) for at, _, names in os.walk(root) for name in names)
        with open(os.path.join(root, ".bitbayes-files"), encoding="utf-8") as written:
            self.assertEqual(written.read().splitlines(), found[1:])
        return found[1:]

    def build_example(self, *sources):
        words = ["cc", "-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic", "-I.", "example/main.c", *sources]
        subprocess.run([*words, "-o", "run"], cwd=self.path("out"), check=True, timeout=60)
        return subprocess.run(["./run"], cwd=self.path("out"), timeout=60, capture_output=True, text=True)

    @unittest.skipUnless(os.path.isdir(DATA), f"no data sets at {DATA}")
    def test_real_data(self):
        for train, test, rows, options in (
                ("optdigits/optdigits.tra.csv.gz", "optdigits/optdigits.tes.csv.gz", 1797, ("--tree", 21)),
                ("semeion/semeion.csv.gz", "semeion/semeion.csv.gz", 1593, ("--tree", "5,3")),
                ("a9a/a9a.libsvm.gz", "a9a/a9a.t.libsvm.gz", 16281, ("--tree", 15)),
                ("spambase/spambase.csv.gz", "spambase/spambase.csv.gz", 4601, ("--tree", 15)),
                ("magic-wand-digits/magic-wand-digits.csv.gz", "magic-wand-digits/magic-wand-digits.csv.gz", 1000,
                 ("--single",))):
            with self.subTest(data=train):
                self.pack(f"{DATA}/{train}", *options, "--epochs", 1)
                self.verify(rows, "--verify", f"{DATA}/{test}")

    @unittest.skipUnless(os.path.isdir(DATA), f"no data sets at {DATA}")
    def test_dense_networks_on_real_data(self):
        for train, test, rows in (
                ("optdigits/optdigits.tra.csv.gz", "optdigits/optdigits.tes.csv.gz", 1797),
                ("semeion/semeion.csv.gz#0:1200", "semeion/semeion.csv.gz#1200:1593", 393),
                ("letter/letter.csv.gz#0:16000", "letter/letter.csv.gz#16000:20000", 4000)):
            for options in DENSE:
                with self.subTest(data=train, options=options):
                    self.pack(f"{DATA}/{train}", *options, "--epochs", 1)
                    self.assertGreater(self.verify(rows, "--verify", f"{DATA}/{test}")["words"], 0)

    def test_dense_packed_files(self):
        for name, row in (("dense", "{0},7,{1},0,{2},255,class 1"), ("dense_trees", "{0},-{1},{2},3,class 0"),
                          ("adding_dense", "{0},-{1},{2},3,class 0")):
            shutil.copy(os.path.join(CORPUS, name), self.path("net.bbn"))
            self.write("rows.csv", "".join(row.format(k, 37 * k % 256, k * k % 256) + "\n" for k in range(100)))
            for layout in ((), ("--single-header",), ("--arduino",)):
                result = self.verify(100, "--verify", "rows.csv", *layout)
                self.assertGreater(result["words"], 0)

    def test_dense_committees_and_abstention(self):
        self.table("train.csv")
        self.table("test.csv", seed=2)
        for options in DENSE:
            self.pack("train.csv", *options, "--epochs", 2,
                      options=("--ensemble", 4, "--data", "test.csv", "--abstain", 0.2))
            self.verify(300, "--verify", "test.csv")

    def test_teacher(self):
        self.pack("teacher:21", "--tree", 21)
        result = self.verify(10000, "--verify", "teacher:21")
        self.assertEqual(result["flash_bytes"], 4 * (22 + 5 + 1))

    def test_layouts(self):
        self.pack_table()
        self.verify(300, "--verify", "test.csv")
        self.assertEqual(self.files(), ["README.md", "bitbayes_net.c", "bitbayes_net.h", "example/main.c"])
        for path in self.files():
            if path != "README.md":
                self.assertIsNone(FORBIDDEN.search(self.read(os.path.join("out", path))))
        self.assertRegex(self.read("out/README.md").decode(), "300 rows, 0 differences")
        example = self.build_example("bitbayes_net.c")
        self.assertEqual([example.returncode, example.stdout.count("row ")], [0, 4])
        shutil.rmtree(self.path("out"))

        self.verify(300, "--verify", "test.csv", "--single-header", "--name", "Iris")
        self.assertEqual(self.files(), ["Iris.h", "README.md", "example/main.c"])
        self.assertEqual(self.build_example().returncode, 0)
        shutil.rmtree(self.path("out"))

        self.verify(300, "--verify", "test.csv", "--arduino", "--name", "iris")
        self.assertEqual(self.files(), ["README.md", "examples/Demo/Demo.ino", "library.properties", "src/iris.c",
                                        "src/iris.h"])

    def test_committees_and_abstention(self):
        self.pack_table("--ensemble", 4, "--data", "test.csv", "--abstain", 0.06)
        self.verify(300, "--verify", "test.csv")
        self.assertRegex(self.read("out/bitbayes_net.c"), rb"#define BITBAYES_NET_MEMBERS 5\n")
        margin = self.json("info", "net.bbn")["abstain_below"]
        self.assertGreater(margin, 0)
        self.assertRegex(self.read("out/README.md").decode(), f"A margin below {margin} means")

    def test_the_same_bytes_again(self):
        self.pack_table()
        for folder in ("one", "two"):
            self.succeed("export", "c", "net.bbn", "-o", folder)
        for path in self.files("one"):
            self.assertEqual(self.read(os.path.join("one", path)), self.read(os.path.join("two", path)))

    def test_mistakes(self):
        self.pack_table()
        for name in ("9net", "a-b", "", "x" * 33, "stdint", "string", "my_float", "aBBNETb", "features", "int",
                     "printf", "main", "Main", "module", "memcpy", "same"):
            self.fail_with(2, f"'{name}'.*hint: ", "export", "c", "net.bbn", "-o", "out", "--name", name)
        self.assertFalse(os.path.exists(self.path("out")))
        self.succeed("export", "c", "net.bbn", "-o", "out")
        self.fail_with(6, "out", "export", "c", "net.bbn", "-o", "out")
        self.succeed("export", "c", "net.bbn", "-o", "out", "--force")
        self.fail_with(5, "/nonexistent/cc", "export", "c", "net.bbn", "-o", "new", "--verify", "test.csv",
                       env={**os.environ, "CC": "/nonexistent/cc"})
        self.assertFalse(os.path.exists(self.path("new")))

    def test_a_difference_is_exit_1(self):
        """With a compiler that changes a weight of what it is given."""
        self.pack_table()
        self.write("wrong_cc", "#!/bin/sh\nfor file in \"$@\"; do\n  case $file in\n    *bitbayes_net.c)\n"
                   "      sed -i '/_weights_1/,/}/s/0x[0-9A-F]/0x5/g' \"$file\" ;;\n  esac\ndone\nexec cc \"$@\"\n")
        os.chmod(self.path("wrong_cc"), stat.S_IRWXU)
        done = self.run_cli("export", "c", "net.bbn", "-o", "out", "--verify", "test.csv", "--json",
                            env={**os.environ, "CC": self.path("wrong_cc")})
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertRegex(done.stderr, "row [0-9]+: ")


if __name__ == "__main__":
    unittest.main()

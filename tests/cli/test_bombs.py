"""Small files that would take far more memory or time than their size can justify: each is refused, or cheap."""

import gzip
import io
import os
import subprocess
import threading
import time
import unittest
import zipfile

import support

MOST_MEMORY = 1 << 30  # bytes
MOST_TIME = 20  # seconds of processor time


def packed(piece, megabytes):
    """Gzip of a repeated text, 1000 to 1: members of a gzip file may follow each other."""
    once = gzip.compress(piece * ((1 << 20) // len(piece)))
    return once * megabytes


def npy(kind, shape, zeros, fortran=False):
    header = f"{{'descr': '{kind}', 'fortran_order': {fortran}, 'shape': {shape}, }}\n".encode()
    return b"\x93NUMPY\1\0" + len(header).to_bytes(2, "little") + header + bytes(zeros)


def npz(**arrays):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, array in arrays.items():
            archive.writestr(f"{name}.npy", array)
    return out.getvalue()


class BombTest(support.CliTest):
    def run_bounded(self, *arguments):
        """Exit code and stderr, after memory and time were checked."""
        with open(self.path("talk"), "w+") as talk, open(os.devnull, "w") as nothing:
            started = subprocess.Popen([support.BITBAYES, *map(str, arguments)], cwd=self.folder,
                                       stdin=subprocess.DEVNULL, stdout=nothing, stderr=talk)
            alarm = threading.Timer(support.TIMEOUT * 2, started.kill)
            alarm.start()
            _, status, usage = os.wait4(started.pid, 0)
            alarm.cancel()
            started.returncode = os.waitstatus_to_exitcode(status)
            talk.seek(0)
            text = talk.read()
        what = f"{arguments}: {text}"
        self.assertLess(usage.ru_maxrss * 1024, MOST_MEMORY, what)
        self.assertLess(usage.ru_utime + usage.ru_stime, MOST_TIME, what)
        self.assertIn(started.returncode, (0, 3, 4), what)
        return started.returncode, text

    def refused(self, name, content, pattern=r"takes more than .*justify.*--max-memory"):
        """Commands that read a table refuse the file."""
        self.assertLess(len(content), 1 << 20)
        self.write(name, content)
        self.succeed("train", self.table("small.csv", rows=30), "-o", "small.bb", "--single", "--epochs", 1,
                     "-q", "--force")
        for command in (["train", name], ["predict", "small.bb", name]):
            code, text = self.run_bounded(*command, "-q")
            self.assertEqual(code, 3, text)
            self.assertRegex(text, support.ERROR_LINE)
            self.assertRegex(text, pattern)

    def test_a_sparse_table_costs_its_entries(self):
        self.write("x.libsvm", "1 16777216:1\n2 1:1\n")
        code, _ = self.run_bounded("train", "x.libsvm", "-o", "x.bb", "-q")
        self.assertEqual(code, 0)
        self.assertLess(os.path.getsize(self.path("x.bb")), 10000)
        for command in (["info", "x.bb"], ["eval", "x.bb", "x.libsvm"], ["pack", "x.bb", "-o", "x.bbn"],
                        ["eval", "x.bbn", "x.libsvm"], ["export", "c", "x.bbn", "-o", "c", "--verify", "x.libsvm"]):
            code, text = self.run_bounded(*command)
            self.assertEqual(code, 0, text)
        report = self.json("eval", "x.bb", "x.libsvm")
        self.assertEqual((report["features"], report["inputs"]), (16777216, 3))
        self.assertEqual(self.json("eval", "x.bbn", "x.libsvm")["features"], 16777216)
        self.write("later.libsvm", "1 99:5 16777216:1\n2 1:1 7:1\n")
        for command in (["update", "x.bb", "later.libsvm", "-o", "y.bb"], ["predict", "x.bb", "later.libsvm"],
                        ["eval", "x.bbn", "later.libsvm"]):
            self.assertIn("later.libsvm: 2 values of columns that were absent or constant in training, ignored",
                          self.succeed(*command).stderr)

    def test_gzip(self):
        self.refused("rows.libsvm.gz", packed(b"1 1:1\n", 360))

    def test_gzip_of_csv(self):
        self.refused("rows.csv.gz", packed(b"1,2,3,4,5,0\n", 360))

    def test_gzip_of_one_line(self):
        self.refused("line.csv.gz", packed(b"1,", 400))

    def test_gzip_of_blank_lines(self):
        self.refused("blank.csv.gz", packed(b"\n", 500))

    def test_gzip_of_an_open_quote(self):
        self.refused("quote.csv.gz", gzip.compress(b'1,"') + packed(b"\n", 300))

    def test_gzip_of_nothing(self):
        self.refused("nothing", packed(b"\0", 268))

    def test_gzip_of_images(self):
        sizes = b"\0\0\x08\x03" + (300_000).to_bytes(4, "big") + (28).to_bytes(4, "big") * 2
        self.refused("images.idx.gz", gzip.compress(sizes) + packed(b"\0", 235))

    def test_npz(self):
        self.refused("x.npz", npz(X=npy("<f8", "(1000, 12500)", 100_000_000)))
        self.refused("wide.npz", npz(X=npy("|i1", "(1, 40000000)", 40_000_000, fortran=True)))

    def test_a_table_that_is_known_to_be_good_may_take_more(self):
        self.write("x.npz", npz(X=npy("<f8", "(10, 1000000)", 80_000_000)))
        self.succeed("train", self.table("small.csv", rows=30), "-o", "small.bb", "--single", "--epochs", 1, "-q")
        self.fail_with(3, "justify", "predict", "small.bb", "x.npz")
        self.fail_with(3, "1000000 columns", "predict", "small.bb", "x.npz", "--max-memory", "2G")
        self.fail_with(3, "--max-memory, 1.0 MB", "predict", "small.bb", "x.npz", "--max-memory", "1M")
        self.fail_with(2, "--max-memory: 'much' is not an amount", "predict", "small.bb", "x.npz", "--max-memory",
                       "much")

    def test_many_classes(self):
        self.write("many.libsvm", "".join(f"{k} 1:{k % 7}\n" for k in range(1500)))
        self.fail_with(3, "1500 classes, and 1500 rows are fewer than 5 per class.*--classes-ok", "train",
                       "many.libsvm")
        code, text = self.run_bounded("train", "many.libsvm", "--classes-ok", "--single", "--epochs", 1,
                                      "-o", "many.bb", "--no-shuffle", "-q")
        self.assertEqual(code, 0, text)
        self.write("one.libsvm", "7 1:1\n")
        for model in ("many.bb", "many.bbn"):
            if model == "many.bbn":
                self.run_bounded("pack", "many.bb", "-o", model)
            self.assertEqual(self.run_bounded("eval", model, "one.libsvm")[0], 0)
            report = self.json("eval", model, "one.libsvm")
            self.assertIsNone(report["confusion"])
            [[truth, answer, count]] = report["confusion_entries"]
            self.assertEqual((truth, count), (7, 1))
            self.assertEqual(answer == 7, report["error_map" if model == "many.bbn" else "error_mean"] == 0)

    def test_a_run_beyond_the_limit_is_refused_before_it_starts(self):
        data = self.table("train.csv")
        done = self.fail_with(3, "training would take about .*, the limit is 100 MB.*--tree.*--max-memory", "train",
                              data, "--tree", 1_000_000, "--max-memory", "100M")
        self.assertEqual(self.run_bounded("train", data, "--tree", 1_000_000, "--max-memory", "100M")[0], 3)
        self.assertIn("train.csv", done.stderr)


if __name__ == "__main__":
    unittest.main()

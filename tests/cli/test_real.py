"""Tables of unknown origin work without any flag, and every promise about bytes holds on them."""

import os
import signal
import time
import unittest

from support import TIMEOUT, CliTest

DATA = os.environ["BITBAYES_SHARED_DATA"]
OPTDIGITS = (f"{DATA}/optdigits/optdigits.tra.csv.gz", "--test", f"{DATA}/optdigits/optdigits.tes.csv.gz", "--tree", 51)


@unittest.skipUnless(os.path.isdir(DATA), f"no data sets at {DATA}")
class Real(CliTest):
    timeout = 180  # letter takes 47 s of one core

    def test_optdigits_error_threads_and_kill(self):
        run = ("train", *OPTDIGITS, "--epochs", 20)
        result = self.json(*run, "--threads", 2, "-o", "two.bb")
        self.assertLess(result["error_mean"], 0.042)
        self.assertLess(result["error_map"], 0.06)
        self.assertEqual((result["n"], result["inputs"], result["weights"]), (3823, 65, 33660))
        self.succeed(*run, "--threads", 1, "-o", "one.bb", "-q")
        self.assertEqual(self.read("one.bb"), self.read("two.bb"))

        process = self.start(*run, "--checkpoint", "c.bb", "--every", 1000, "-q")
        end = time.monotonic() + TIMEOUT
        while not os.path.exists(self.path("c.bb")):
            self.assertIsNone(process.poll())
            self.assertLess(time.monotonic(), end)
            time.sleep(0.01)
        time.sleep(0.3)
        process.send_signal(signal.SIGKILL)
        process.communicate(timeout=TIMEOUT)
        self.succeed(*run, "--resume", "c.bb", "-o", "resumed.bb", "-q")
        self.assertEqual(self.read("resumed.bb"), self.read("two.bb"))

    def test_plain_loops_give_the_same_bytes(self):
        run = ("train", OPTDIGITS[0] + "#0:200", "--tree", 9, "--epochs", 1, "-q")
        self.succeed(*run, "-o", "simd.bb")
        plain = self.json(*run, "-o", "scalar.bb", "--backend", "scalar")
        self.assertEqual((plain["backend"], plain["simd_level"]), ("scalar", None))
        self.assertEqual(self.read("simd.bb"), self.read("scalar.bb"))

    def test_spambase_by_default(self):
        result = self.json("train", f"{DATA}/spambase/spambase.csv.gz", "--hold-out", 0.2, "--epochs", 20)
        self.assertLess(result["error_mean"], 0.075)

    def test_letter_first_epochs_by_default(self):
        letter = f"{DATA}/letter/letter.csv.gz"
        result = self.json("train", letter + "#0:16000", "--test", letter + "#16000:20000", "--tree", 51, "--epochs", 2)
        self.assertLess(result["error_mean"], 0.17)

    def test_sparse_tables(self):
        result = self.json("train", f"{DATA}/a9a/a9a.libsvm.gz", "--test", f"{DATA}/a9a/a9a.t.libsvm.gz", "--tree", 21,
                           "--epochs", 1)
        self.assertLess(result["error_mean"], 0.17)
        self.assertEqual(result["class_names"], ["-1", "1"])

    def test_idx_pairs(self):
        folder = f"{DATA}/ocr-letters"
        result = self.json("train", folder, "--tree", 5, "--epochs", 1, "-o", "ocr.bb")
        self.assertEqual(result["classes"], 26)
        self.assertEqual(self.json("eval", "ocr.bb", folder)["n"], 4617)


if __name__ == "__main__":
    unittest.main()

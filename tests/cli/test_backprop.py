"""The baseline: train --algorithm backprop, and every command on its models."""

import csv
import io
import os
import signal
import subprocess
import time
import unittest

from support import BITBAYES, TIMEOUT, CliTest

BACKPROP = ("--algorithm", "backprop")


class Backprop(CliTest):
    def trained(self, *options):
        """m.bb of a table of three classes."""
        self.table("train.csv")
        self.table("test.csv", rows=90, seed=2)
        return self.json("train", "train.csv", "--test", "test.csv", *BACKPROP, "--tree", 11, "--epochs",
                         3, "-o", "m.bb", *options)

    def test_learns_the_small_teacher(self):
        result = self.json("train", "teacher:5", *BACKPROP)
        self.assertEqual(result["error_mean"], 0)
        self.assertEqual([result["algorithm"], result["learning_rate"]], ["backprop", 0.03])
        for figures in (result, result["history"][0]):
            self.assertEqual([figures[key] for key in ("nll", "brier", "ece")], [None] * 3)
            self.assertEqual(figures["validity"], 1)
        self.assertGreater(result["error_map"], 0.1)  # clipping loses much, as in the paper

    def test_rate_is_the_papers_unless_given(self):
        self.assertEqual(self.trained()["learning_rate"], 0.003)
        self.assertEqual(self.trained("--learning-rate", 0.0625, "--force")["learning_rate"], 0.0625)
        mfb = self.json("train", "train.csv", "--tree", 5, "--epochs", 1)
        self.assertEqual([mfb["algorithm"], mfb["learning_rate"]], ["mfb", None])

    def test_options_that_do_not_go_together(self):
        self.table("train.csv")
        train = ("train", "train.csv")
        self.fail_with(2, "--learning-rate: .*hint: .*--algorithm backprop", *train, "--learning-rate", 0.1)
        self.fail_with(2, "--evidence .*--learning-rate", *train, *BACKPROP, "--evidence", 2)
        for noise in (0.1, "auto"):
            self.fail_with(2, "--label-noise is for --algorithm mfb", *train, *BACKPROP, "--label-noise", noise)
        self.fail_with(2, "--algorithm.*'sgd' is not one of mfb", *train, "--algorithm", "sgd")
        for rate in ("0", "-1", "nan", "inf", "x"):
            self.fail_with(2, f"--learning-rate: '{rate}'", *train, *BACKPROP, "--learning-rate", rate)

    def test_diverged_weights_are_not_written(self):
        self.table("train.csv")
        self.fail_with(2, "not finite.*smaller --learning-rate", "train", "train.csv", *BACKPROP,
                       "--learning-rate", 1e30, "--tree", 5, "-o", "m.bb")
        self.fail_with(2, r"after \d+ samples .*not finite.*smaller --learning-rate", "train", "train.csv",
                       *BACKPROP, "--learning-rate", 1e30, "--tree", 5)
        self.fail_with(2, r"after \d+ samples .*not finite.*smaller --evidence", "train", "train.csv",
                       "--evidence", 1e38, "--tree", 5, "--epochs", 100)
        self.assertFalse(os.path.exists(self.path("m.bb")))

    def test_info_and_eval(self):
        result = self.trained()
        info = self.json("info", "m.bb")
        self.assertEqual([info["algorithm"], info["learning_rate"], info["format_version"]],
                         ["backprop", 0.003, "5"])
        self.assertEqual([info["layers"][0]["certainty"], info["layers"][1]["share_sure"]], [None, None])
        text = self.succeed("info", "m.bb").stdout
        self.assertRegex(text, r"(?m)^algorithm +backprop, learning rate 0\.003$")
        self.assertNotRegex(text, r"(?m)^evidence")

        again = self.json("eval", "m.bb", "test.csv")
        for key in ("algorithm", "learning_rate", "error_map", "error_mean", "nll", "brier", "ece", "validity"):
            self.assertEqual(again[key], result[key], key)
        self.assertLess(again["error_mean"], 0.2)
        wrong = 90 - sum(again["confusion"][k][k] for k in range(3))
        self.assertAlmostEqual(wrong / 90, again["error_mean"])
        self.assertRegex(self.succeed("eval", "m.bb", "test.csv").stdout, r"NLL +-\nBrier +-\nECE +-\n")

    def test_predict(self):
        result = self.trained()
        for mode, key in (("mean", "error_mean"), ("map", "error_map")):
            text = self.succeed("predict", "m.bb", "test.csv", "--mode", mode).stdout
            rows = list(csv.DictReader(io.StringIO(text)))
            self.assertEqual({row["probability"] for row in rows}, {""})
            self.assertTrue({row["validity"] for row in rows} <= {"0", "1"})
            self.assertTrue(all(float(row["margin"]) >= 0 for row in rows))
            wrong = sum(row["label"] != str(k % 3) for k, row in enumerate(rows))
            self.assertAlmostEqual(wrong / 90, result[key])
            valid = sum(row["validity"] == "1" for row in rows) / 90
            if mode == "mean":
                self.assertAlmostEqual(valid, result["validity"])
        first = self.json("predict", "m.bb", "test.csv")["predictions"][0]
        self.assertIsNone(first["probability"])

    def test_update_goes_on_at_the_same_rate(self):
        self.table("train.csv")
        options = ("train", "train.csv", *BACKPROP, "--learning-rate", 0.0625, "--tree", 7, "--no-shuffle", "-q")
        self.succeed(*options, "--epochs", 1, "-o", "once.bb")
        self.succeed(*options, "--epochs", 2, "-o", "twice.bb")
        result = self.json("update", "once.bb", "train.csv", "-o", "updated.bb")
        self.assertEqual([result["algorithm"], result["learning_rate"]], ["backprop", 0.0625])
        self.assertEqual(self.read("updated.bb"), self.read("twice.bb"))
        self.succeed("update", "once.bb", "-", "-o", "streamed.bb", input=self.read("train.csv").decode())
        self.assertEqual(self.read("streamed.bb"), self.read("twice.bb"))

    def test_an_epoch_is_not_slower_than_one_of_mfb(self):
        self.table("train.csv", rows=1000, features=60)
        run = ("train", "train.csv", "--preprocess", "center", "--tree", 301, "--epochs", 1, "--threads", 1)
        seconds = {name: min(self.json(*run, "--algorithm", name)["seconds"] for _ in range(3))
                   for name in ("mfb", "backprop")}
        self.assertLess(seconds["backprop"], seconds["mfb"])  # about a tenth

    def test_threads_and_backend_do_not_change_the_bytes(self):
        for name, classes in (("three.csv", 3), ("two.csv", 2)):
            self.table(name, classes=classes, features=30)
            for k, more in enumerate((("--threads", 1), ("--threads", 3), ("--backend", "scalar"))):
                self.succeed("train", name, *BACKPROP, "--tree", 65, "--epochs", 1, *more, "-o", f"{name}{k}", "-q")
            self.assertEqual(self.read(f"{name}0"), self.read(f"{name}1"))
            self.assertEqual(self.read(f"{name}0"), self.read(f"{name}2"))

    def test_killed_and_resumed_gives_equal_bytes(self):
        self.table("train.csv", rows=600, features=20)
        run = ("train", "train.csv", *BACKPROP, "--learning-rate", 0.01, "--tree", 31, "--epochs", 100)
        process = self.start(*run, "--checkpoint", "c.bb", "--every", 350, "-o", "a.bb")
        end = time.monotonic() + TIMEOUT
        while not os.path.exists(self.path("c.bb")):
            self.assertIsNone(process.poll(), "ended before it could be stopped")
            self.assertLess(time.monotonic(), end)
            time.sleep(0.001)
        process.send_signal(signal.SIGKILL)
        process.communicate(timeout=TIMEOUT)
        self.assertEqual(process.returncode, -signal.SIGKILL)
        self.assertFalse(os.path.exists(self.path("a.bb")))
        self.assertEqual(self.json("info", "c.bb")["algorithm"], "backprop")
        self.succeed(*run, "--resume", "c.bb", "--threads", 1, "-o", "a.bb", "-q")
        self.succeed(*run, "-o", "whole.bb", "-q")
        self.assertEqual(self.read("a.bb"), self.read("whole.bb"))

    def test_resume_refuses_another_rule(self):
        self.table("train.csv")
        run = ("train", "train.csv", "--tree", 5, "--epochs", 2)
        self.succeed(*run, *BACKPROP, "--learning-rate", 0.01, "--checkpoint", "c.bb", "-q")
        resume = (*run, "--resume", "c.bb")
        self.fail_with(2, "--learning-rate is 0.02 here but 0.01 in the checkpoint", *resume, *BACKPROP,
                       "--learning-rate", 0.02)
        self.fail_with(2, "--learning-rate is auto here but 0.01", *resume, *BACKPROP)
        self.fail_with(2, "--algorithm is mfb here but backprop in the checkpoint", *resume)

    def test_completion_offers_the_algorithms(self):
        script = ("source <($0 completion bash); "
                  "try() { COMP_WORDS=(\"$@\"); COMP_CWORD=$(($# - 1)); _bitbayes; echo ${COMPREPLY[@]}; }; "
                  "try bitbayes train --alg; try bitbayes train a.csv --algorithm ''; "
                  "try bitbayes train a.csv --algorithm b")
        done = subprocess.run(["bash", "-c", script, BITBAYES], capture_output=True, text=True, timeout=TIMEOUT)
        self.assertEqual(done.stderr, "")
        self.assertEqual(done.stdout.splitlines(), ["--algorithm", "mfb backprop", "backprop"])


if __name__ == "__main__":
    unittest.main()

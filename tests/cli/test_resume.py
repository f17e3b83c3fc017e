"""Runs that are interrupted or killed, and go on."""

import json
import os
import re
import signal
import time
import unittest

from support import TIMEOUT, CliTest

RUN = ("train", "train.csv", "--test", "test.csv", "--tree", 31, "--epochs", 40)


class Resume(CliTest):
    def setUp(self):
        super().setUp()
        self.table("train.csv", rows=600, features=20)
        self.table("test.csv", rows=60, features=20, seed=2)

    def wait_for(self, name, process):
        end = time.monotonic() + TIMEOUT
        while not os.path.exists(self.path(name)):
            self.assertIsNone(process.poll(), "ended before it could be stopped")
            self.assertLess(time.monotonic(), end)
            time.sleep(0.001)

    def stop(self, name, which, *arguments):
        """Starts a run, sends it a signal once the file exists, returns exit code and stderr."""
        process = self.start(*RUN, *arguments)
        self.wait_for(name, process)
        process.send_signal(which)
        _, talk = process.communicate(timeout=TIMEOUT)
        return process.returncode, talk.decode()

    def uninterrupted(self):
        self.succeed(*RUN, "-o", "whole.bb", "--metrics", "whole.jsonl", "-q")
        return self.read("whole.bb")

    def test_killed_and_resumed_gives_equal_bytes(self):
        code, _ = self.stop("c.bb", signal.SIGKILL, "--checkpoint", "c.bb", "--every", 350, "-o", "a.bb")
        self.assertEqual(code, -signal.SIGKILL)
        self.assertFalse(os.path.exists(self.path("a.bb")))
        result = self.json(*RUN, "--resume", "c.bb", "--checkpoint", "c.bb", "--threads", 1, "-o", "a.bb",
                           "--metrics", "a.jsonl")
        self.assertEqual(self.read("a.bb"), self.uninterrupted())
        self.assertEqual([epoch["epoch"] for epoch in result["history"]], list(range(1, 41)))
        self.assertEqual(self.metrics("a.jsonl"), self.metrics("whole.jsonl"))

    def metrics(self, name):
        lines = [json.loads(line) for line in self.read(name).splitlines()]
        return [{key: value for key, value in line.items() if key != "seconds"} for line in lines]

    def test_interrupted_and_resumed_gives_equal_bytes(self):
        whole = self.uninterrupted()
        for which in (signal.SIGINT, signal.SIGTERM):
            file = f"{which}.bb"
            code, talk = self.stop(file, which, "--checkpoint", file, "--every", 500, "-q")
            self.assertEqual(code, 130)
            self.assertRegex(talk, r"^bitbayes: error: interrupted at epoch \d+, sample \d+; "
                                   rf"hint: go on with --resume {file}\n$")
            position = self.json("info", file)["checkpoint"]
            epoch, sample = map(int, re.search(r"epoch (\d+), sample (\d+)", talk).groups())
            self.assertEqual((epoch, sample), (position["epochs_done"] + 1, position["sample"]))
            self.succeed(*RUN, "--resume", file, "-o", "a.bb", "--force", "-q")
            self.assertEqual(self.read("a.bb"), whole)

    def test_interrupted_without_a_checkpoint(self):
        code, talk = self.stop("m.jsonl", signal.SIGINT, "--metrics", "m.jsonl", "-q")
        self.assertEqual(code, 130)
        self.assertRegex(talk, r"^bitbayes: error: interrupted at .*--checkpoint FILE.*\n$")

    def test_resume_refuses_another_run(self):
        small = ("train", "train.csv", "--tree", 5, "--epochs", 2)
        self.succeed(*small, "--checkpoint", "c.bb", "-o", "m.bb", "-q")
        for pattern, more in {"--tree": ("--tree", 7), "--seed": ("--seed", 2), "--epochs": ("--epochs", 1),
                              "test data": ("--test", "test.csv"), "--evidence": ("--evidence", 2),
                              "--label-noise": ("--label-noise", "auto")}.items():
            arguments = list(small) if more[0] not in small else list(small[:2])
            with self.subTest(pattern):
                rest = [] if more[0] != "--tree" else ["--epochs", 2]
                rest += [] if more[0] != "--epochs" else ["--tree", 5]
                self.fail_with(2, pattern, *arguments, *rest, *more, "--resume", "c.bb")
        self.fail_with(2, "training data", "train", "test.csv", *small[2:], "--resume", "c.bb")
        self.fail_with(4, "m.bb", *small, "--resume", "m.bb")
        self.fail_with(6, "exists", *small, "--resume", "c.bb", "--checkpoint", "m.bb")
        more = self.json(*small[:-1], 3, "--resume", "c.bb", "--checkpoint", "c.bb")
        self.assertEqual(more["samples_seen"], 1800)


if __name__ == "__main__":
    unittest.main()

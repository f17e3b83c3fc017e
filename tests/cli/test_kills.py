"""Runs that are stopped at any moment, and full disks: nothing that was saved is lost, and the run goes on to the
same bytes."""

import os
import random
import re
import resource
import signal
import subprocess
import time
import unittest

from support import BITBAYES, TIMEOUT, CliTest

ROWS, EVERY = 300, 70
TRAIN = ("train", "train.csv", "--tree", 31, "--epochs", 9, "--progress", "rows")
SIGNALS = (signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
MOMENTS = 25  # of each signal


def temporary(names):
    return [name for name in names if name.endswith(".tmp")]


class Kills(CliTest):
    def setUp(self):
        super().setUp()
        self.table("train.csv", rows=ROWS, features=20)
        begin = time.monotonic()
        self.succeed(*TRAIN, "--checkpoint", "whole.c", "--every", EVERY, "-o", "whole.bb")
        self.seconds = time.monotonic() - begin
        self.whole = self.read("whole.bb")

    def run_for(self, seconds, which, *arguments):
        """Starts a run and sends it a signal after that time; returns exit code and stderr."""
        process = self.start(*arguments)
        try:
            _, talk = process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            process.send_signal(which)
            _, talk = process.communicate(timeout=TIMEOUT)
        return process.returncode, talk.decode()

    def saved(self, name):
        """Samples of the run that a checkpoint holds; 0 if there is none. It must load."""
        if not os.path.exists(self.path(name)):
            return 0
        position = self.json("info", name)["checkpoint"]
        return position["epochs_done"] * ROWS + position["sample"]

    def reported(self, talk, start):
        """Samples that a run must have saved, from what it printed."""
        stopped = re.search(r"interrupted at epoch (\d+), sample (\d+); hint: go on with --resume", talk)
        if stopped:
            epoch, sample = map(int, stopped.groups())
            return (epoch - 1) * ROWS + sample
        rows = re.findall(r"^ *(\d+) +\d+ ", talk, re.MULTILINE)  # samples, epoch
        # Every checkpoint that was due before this row was printed has been written.
        return max(start, (int(rows[-1]) - 1) // EVERY * EVERY) if rows else start

    def test_every_moment(self):
        moments = random.Random(1)
        kills = [which for which in SIGNALS for _ in range(MOMENTS)]
        moments.shuffle(kills)
        before, finished, leftovers, early = 0, 0, 0, 0
        while kills:
            which = kills.pop()
            resume = ("--resume", "c.bb") if before else ()
            force = ("--force",) if os.path.exists(self.path("c.bb")) else ()
            code, talk = self.run_for(moments.random() * self.seconds, which, *TRAIN, *resume, *force,
                                      "--checkpoint", "c.bb", "--every", EVERY, "-o", "m.bb")
            self.assertIn(code, (0, 130, -which), talk)
            after = self.saved("c.bb")
            self.assertGreaterEqual(after, self.reported(talk, before), talk)
            leftovers += len(temporary(os.listdir(self.folder)))
            early += after == before
            before = after
            if code == 0:
                finished += 1
                before = self.whole_again()
        self.succeed(*TRAIN, *(("--resume", "c.bb") if before else ()), "--checkpoint", "c.bb", "--force",
                     "-o", "m.bb", "-q")
        self.whole_again()
        print(f"{finished} runs reached their end, {early} stops before the next checkpoint, "
              f"{leftovers} temporary files left by a kill and removed")

    def whole_again(self):
        """After a run that has ended: the bytes of an undisturbed run, and no temporary files."""
        self.assertEqual(self.read("m.bb"), self.whole)
        self.assertEqual(temporary(os.listdir(self.folder)), [])
        for name in ("m.bb", "c.bb"):
            os.remove(self.path(name))
        return 0

    def test_hangup_saves_unless_it_is_ignored(self):
        code, talk = self.run_for(self.seconds / 2, signal.SIGHUP, *TRAIN, "--checkpoint", "c.bb", "--every", EVERY)
        self.assertEqual(code, 130, talk)
        self.assertEqual(self.saved("c.bb"), self.reported(talk, 0))
        ignored = subprocess.Popen(
            ["nohup", BITBAYES, *map(str, TRAIN), "--checkpoint", "n.bb", "--every", str(EVERY), "-o", "m.bb"],
            cwd=self.folder,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        time.sleep(self.seconds / 2)
        ignored.send_signal(signal.SIGHUP)
        _, talk = ignored.communicate(timeout=TIMEOUT)
        self.assertEqual(ignored.returncode, 0, talk)
        self.assertEqual(self.read("m.bb"), self.whole)

    def test_a_killed_writer_leaves_a_file_that_the_next_run_removes(self):
        self.succeed("train", "train.csv", "--tree", 3, "--epochs", 1, "-o", "small.bb", "-q")
        predict = self.start("predict", "small.bb", "-", "-o", "answers.csv")
        while not temporary(os.listdir(self.folder)):
            self.assertIsNone(predict.poll())
            time.sleep(0.01)
        self.succeed("predict", "small.bb", "train.csv", "-o", "answers.csv", "-q")
        self.assertEqual(len(temporary(os.listdir(self.folder))), 1)  # still in use
        predict.kill()
        predict.communicate()
        self.assertEqual(len(temporary(os.listdir(self.folder))), 1)
        self.succeed("predict", "small.bb", "train.csv", "-o", "answers.csv", "-q", "--force")
        self.assertEqual(temporary(os.listdir(self.folder)), [])

    def check_full(self, talk, name):
        """After a checkpoint could not be written: the last one is whole, and the run goes on from it."""
        self.assertRegex(talk, r"bitbayes: error: [^\n]*c\.bb: cannot write: ")
        self.assertGreaterEqual(self.saved(name), EVERY)
        self.assertEqual(temporary(os.listdir(os.path.dirname(self.path(name)))), [])
        self.succeed(*TRAIN, "--resume", name, "-o", "m.bb", "-q")
        self.assertEqual(self.read("m.bb"), self.whole)

    def test_files_of_limited_size(self):
        self.succeed("train", "train.csv", *TRAIN[2:4], "--epochs", 3, "--checkpoint", "three.c", "-q")
        limit = len(self.read("three.c"))  # later ones hold a longer history
        done = self.run_cli(*TRAIN, "--checkpoint", "c.bb", preexec_fn=lambda: (
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))))
        self.assertEqual(done.returncode, 6, done.stderr)
        self.check_full(done.stderr, "c.bb")

    def test_full_disk(self):
        os.mkdir(self.path("disk"))
        size = len(self.read("whole.c"))
        mount = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={4 * size}", "none", self.path("disk")],
                               capture_output=True, text=True)
        if mount.returncode != 0:
            self.skipTest(f"no small disk: {mount.stderr.strip()}")
        self.addCleanup(subprocess.run, ["umount", self.path("disk")], check=True)
        self.succeed("train", "train.csv", *TRAIN[2:4], "--epochs", 1, "--checkpoint", "disk/c.bb", "-q")
        saved = self.read("disk/c.bb")
        with open(self.path("disk/other"), "wb", buffering=0) as other:
            with self.assertRaises(OSError):
                while True:
                    other.write(bytes(4096))
        go_on = (*TRAIN, "--resume", "disk/c.bb", "--checkpoint", "disk/c.bb", "--every", EVERY)
        self.fail_with(6, "disk/c.bb: takes about .*, but the disk has room for", *go_on)  # before it starts
        self.assertEqual(self.read("disk/c.bb"), saved)
        # Room for the weights, but not for the means that a checkpoint within an epoch holds too.
        os.truncate(self.path("disk/other"), os.path.getsize(self.path("disk/other")) - len(saved) // 4096 * 4096 - 4096)
        done = self.run_cli(*go_on)
        self.assertEqual(done.returncode, 6, done.stderr)
        self.check_full(done.stderr, "disk/c.bb")


class Streams(CliTest):
    """update - and predict - on a pipe that is written to piece by piece."""

    def setUp(self):
        super().setUp()
        self.model()
        self.table("new.csv", rows=1000, seed=5)
        self.lines = self.read("new.csv").splitlines(keepends=True)
        self.seen = self.json("info", "model.bb")["samples_seen"]
        self.expected = {}

    def learned(self, rows):
        """The bytes of the model that has learned so many rows."""
        if rows not in self.expected:
            self.succeed("update", "model.bb", f"new.csv#0:{rows}", "-o", "expected.bb", "--force", "-q")
            self.expected[rows] = self.read("expected.bb")
        return self.expected[rows]

    def stop(self, seconds, which, *arguments):
        """Feeds a command and stops it; returns exit code, stdout, stderr and the whole lines that it was sent."""
        process = self.start(*arguments)
        end, sent = time.monotonic() + seconds, 0
        draw = random.Random(seconds)
        try:
            while time.monotonic() < end and sent < len(self.lines):
                count = draw.choice((1, 3, 40))
                process.stdin.write(b"".join(self.lines[sent:sent + count]))
                sent = min(len(self.lines), sent + count)
                time.sleep(0.001)
            process.stdin.write(b"1.5,2")
        except BrokenPipeError:
            self.fail("it ended by itself")
        process.send_signal(which)
        out, talk = process.communicate(timeout=TIMEOUT)
        return process.returncode, out.decode(), talk.decode(), sent

    def test_update(self):
        moments = random.Random(2)
        for which in SIGNALS * 8:
            code, _, talk, sent = self.stop(moments.uniform(0, 0.15), which, "update", "model.bb", "-", "-o", "u.bb",
                                            "--every", 50, "--progress", "none")
            saves = [int(rows) for rows in re.findall(r"(\d+) rows learned and saved", talk)]
            if which == signal.SIGKILL:
                self.assertEqual(code, -which)
                if not os.path.exists(self.path("u.bb")):
                    self.assertEqual(saves, [])
                    continue
                rows = self.json("info", "u.bb")["samples_seen"] - self.seen
                self.assertGreaterEqual(rows, max(saves, default=0))
            elif re.search("the (\\d+) rows before", talk):
                self.assertEqual(code, 130, talk)
                rows = int(re.search("the (\\d+) rows before", talk).group(1))
                self.assertEqual(rows, sent, "all lines that had arrived")
            else:  # before the first row, or before the program had begun
                self.assertIn(code, (130, -which), talk)
                self.assertFalse(os.path.exists(self.path("u.bb")))
                continue
            self.assertEqual(self.read("u.bb"), self.learned(rows))
            os.remove(self.path("u.bb"))

    def test_predict(self):
        whole = self.succeed("predict", "model.bb", "new.csv").stdout
        moments = random.Random(3)
        for which in SIGNALS * 8:
            code, out, talk, sent = self.stop(moments.uniform(0, 0.15), which, "predict", "model.bb", "-")
            self.assertTrue(whole.startswith(out))
            self.assertIn(code, (-which, 130) if not out else (-which if which == signal.SIGKILL else 130,), talk)
            if out and which != signal.SIGKILL:
                self.assertEqual(len(out.splitlines()), sent + 1, "an answer to each line that had arrived")

    def test_update_on_a_full_disk(self):
        limit = len(self.read("model.bb")) - 100
        done = self.run_cli("update", "model.bb", "-", "-o", "u.bb", "--every", 100, "-q",
                            input=b"".join(self.lines).decode(), preexec_fn=lambda: (
                                resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))))
        self.assertEqual(done.returncode, 6, done.stderr)
        self.assertFalse(os.path.exists(self.path("u.bb")))
        self.assertEqual(temporary(os.listdir(self.folder)), [])


if __name__ == "__main__":
    unittest.main()

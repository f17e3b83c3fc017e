"""One training over the ranks of an MPI job: the bytes of one process for any number of them, and failures of one rank
that end the job with one clear line."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
import unittest

from support import BITBAYES, CliTest

MPIRUN = shutil.which("mpirun")
PART = os.path.join(os.path.dirname(BITBAYES), "libbitbayes_mpi.so")
DATA = os.environ["BITBAYES_SHARED_DATA"]
RANKS = (1, 2, 3, 5)


def why_not():
    if MPIRUN is None:
        return "mpirun is not installed"
    if not os.path.exists(PART):
        return "built without MPI"
    return None


class MpiTest(CliTest):
    timeout = 120

    def environment(self):
        # Root is allowed: the tests may run in a container.
        return {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
                "OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_btl_vader_single_copy_mechanism": "none",
                "TMPDIR": "/tmp"}

    def command(self, ranks, *arguments, program=BITBAYES):
        return [MPIRUN, "--oversubscribe", "-n", str(ranks), program, *map(str, arguments)]

    def mpi(self, ranks, *arguments, program=BITBAYES, **options):
        return subprocess.run(self.command(ranks, *arguments, program=program), cwd=self.folder, capture_output=True,
                              text=True, timeout=self.timeout, env=self.environment(), **options)

    def start_mpi(self, ranks, *arguments):
        return subprocess.Popen(self.command(ranks, *arguments), cwd=self.folder, env=self.environment(),
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def errors(self, done):
        """The error lines of bitbayes itself."""
        return re.findall(r"^bitbayes: error: .*$", done.stderr, re.MULTILINE)

    def fails_together(self, code, pattern, ranks, *arguments, **options):
        """The job's exit code, and one error line although every rank ends."""
        done = self.mpi(ranks, *arguments, "-q", **options)
        self.assertEqual(done.returncode, code, done.stderr)
        errors = self.errors(done)
        self.assertEqual(len(errors), 1, done.stderr)
        self.assertRegex(errors[0], pattern)
        return done

    def pids(self, parent):
        """Processes of the ranks, in their order."""
        found = {}
        for entry in os.listdir("/proc"):
            if not entry.isdigit():
                continue
            try:
                with open(f"/proc/{entry}/stat") as file:
                    if int(file.read().rpartition(")")[2].split()[1]) != parent:
                        continue
                with open(f"/proc/{entry}/environ") as file:
                    values = dict(v.partition("=")[::2] for v in file.read().split("\0"))
            except (OSError, ValueError):
                continue
            if "OMPI_COMM_WORLD_RANK" in values:
                found[int(values["OMPI_COMM_WORLD_RANK"])] = int(entry)
        return [found[rank] for rank in sorted(found)]


class SameBytes(MpiTest):
    def check(self, *train, ranks=RANKS):
        alone = self.json("train", *train, "-o", "alone.bb")
        self.assertEqual(alone["ranks"], 1)
        for size in ranks:
            done = self.mpi(size, "train", *train, "-o", "shared.bb", "--force", "--json", "--threads", 1)
            self.assertEqual(done.returncode, 0, done.stderr)
            shared = json.loads(done.stdout)
            self.assertEqual(shared["ranks"], size)
            self.assertEqual(self.read("shared.bb"), self.read("alone.bb"), f"{size} ranks")
            for key in ("error_map", "error_mean", "nll", "ece", "validity", "error_progressive", "n", "evidence"):
                self.assertEqual(shared[key], alone[key], key)

    def optdigits(self):
        folder = os.path.join(DATA, "optdigits")
        if not os.path.isdir(folder):
            print(f"skipped: {folder} is not there", file=sys.stderr)
            self.skipTest("no data")
        return (os.path.join(folder, "optdigits.tra.csv.gz") + "#0:1500", "--test",
                os.path.join(folder, "optdigits.tes.csv.gz"))

    def test_ten_trees(self):
        self.check(*self.optdigits(), "--tree", 31, "--epochs", 2)

    def test_dense(self):
        self.check(*self.optdigits(), "--dense", "100,60", "--epochs", 2)

    def test_large_batches(self):
        self.check(*self.optdigits(), "--dense", "64", "--batch", 500, "--epochs", 2, "--evidence", 0.5, ranks=(2, 3))

    def test_three_trees(self):
        self.table("train.csv", rows=600, features=20)
        self.check("train.csv", "--hold-out", 0.3, "--tree", "5,3", "--epochs", 2, "--label-noise", "auto", "--memory",
                   900)

    def test_one_tree(self):
        self.table("train.csv", rows=600, classes=2, features=20)
        self.check("train.csv", "--hold-out", 0.3, "--tree", 31, "--epochs", 2)

    def test_folds(self):
        self.table("train.csv", rows=300)
        plain = self.json("train", "train.csv", "--cv", 3, "--tree", 9, "--epochs", 2)
        done = self.mpi(2, "train", "train.csv", "--cv", 3, "--tree", 9, "--epochs", 2, "--json", "--threads", 1)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(json.loads(done.stdout)["cv"], plain["cv"])

    def test_who_reads(self):
        self.table("train.csv", rows=300, header=True, missing=0.1)
        self.succeed("train", "train.csv", "-o", "alone.bb", "--tree", 9, "--epochs", 2, "-q")
        for who in ("first", "each"):
            done = self.mpi(3, "train", "train.csv", "-o", "m.bb", "--force", "--read", who, "--tree", 9, "--epochs", 2)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(self.read("m.bb"), self.read("alone.bb"), who)
            self.assertEqual(done.stderr.count("missing values"), 1, done.stderr)  # rank 0 alone talks

    def test_stream(self):
        self.table("train.csv", rows=300)
        self.succeed("train", "train.csv", "-o", "alone.bb", "--tree", 9, "--epochs", 1, "-q")
        with open(self.path("train.csv"), "rb") as file:
            done = self.mpi(2, "train", "-", "-o", "m.bb", "--tree", 9, "--epochs", 1, "-q", stdin=file)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.read("m.bb"), self.read("alone.bb"))
        self.fails_together(2, "--read each", 2, "train", "-", "-o", "n.bb", "--read", "each")

    def test_how_ranks_share_is_told(self):
        self.table("train.csv", rows=200)
        for train, text in ((("--tree", 9), "5 ranks share 3 trees, at most 1 each: 2 ranks idle"),
                            (("--dense", 40), "5 ranks share the neurons of each layer")):
            done = self.mpi(5, "train", "train.csv", *train, "--epochs", 1, "--hold-out", 0.2, "-v")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(done.stderr.count(text), 1, done.stderr)


class Failures(MpiTest):
    TRAIN = ("train", "train.csv", "--tree", 61, "--evidence", 1, "--epochs", 40, "--threads", 1)

    def checkpointed(self, process):
        """Waits for a checkpoint."""
        for _ in range(600):
            if os.path.exists(self.path("c.bb")) or process.poll() is not None:
                break
            time.sleep(0.05)
        self.assertIsNone(process.poll(), "ended before it could be killed")

    def test_a_killed_rank_ends_the_job_and_others_go_on(self):
        self.table("train.csv", rows=900, features=40)
        self.succeed(*self.TRAIN, "-o", "whole.bb", "-q")
        self.assertFalse(os.path.exists(self.path("c.bb")))
        for victim, ranks, after in ((0, 3, 2), (2, 3, 5), (1, 2, 1)):
            resume = ("--resume", "c.bb") if os.path.exists(self.path("c.bb")) else ()
            before = os.stat(self.path("c.bb")).st_mtime_ns if resume else 0
            process = self.start_mpi(ranks, *self.TRAIN, *resume, "--checkpoint", "c.bb", "--every", 900, "-q")
            self.checkpointed(process)
            for _ in range(600):
                if os.stat(self.path("c.bb")).st_mtime_ns != before:
                    break
                time.sleep(0.02)
            begin = time.monotonic()
            os.kill(self.pids(process.pid)[victim], signal.SIGKILL)
            _, talk = process.communicate(timeout=30)
            self.assertLess(time.monotonic() - begin, 30)
            self.assertNotEqual(process.returncode, 0)
            self.assertRegex(talk, r"(rank|process).*signal 9")
            done = self.mpi(after, *self.TRAIN, "--resume", "c.bb", "-o", "m.bb", "--force", "-q")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(self.read("m.bb"), self.read("whole.bb"), (victim, ranks, after))

    def test_a_signal_to_one_rank_saves_the_run_of_all(self):
        self.table("train.csv", rows=900, features=40)
        process = self.start_mpi(3, *self.TRAIN, "--checkpoint", "c.bb", "--every", 900, "-q")
        self.checkpointed(process)
        os.kill(self.pids(process.pid)[1], signal.SIGTERM)
        _, talk = process.communicate(timeout=30)
        self.assertEqual(process.returncode, 130, talk)
        self.assertRegex(talk, "interrupted at epoch [0-9]+, sample [0-9]+; hint: go on with --resume c.bb")
        self.assertEqual(talk.count("bitbayes: error"), 1, talk)
        self.succeed("info", "c.bb")

    def test_what_is_known_before_training(self):
        self.table("train.csv", rows=90)
        self.fails_together(6, "nothing.csv: No such file", 3, "train", "nothing.csv", "-o", "m.bb")
        self.fails_together(2, "--tree", 2, "train", "train.csv", "--tree", "x")
        self.write("there.bb", "")
        self.fails_together(6, "there.bb.*exists", 2, "train", "train.csv", "-o", "there.bb")
        self.fails_together(6, "no/m.bb", 2, "train", "train.csv", "-o", "no/m.bb")
        self.fails_together(3, "only one class", 2, "train", self.write("one.csv", "1,a\n2,a\n"), "-o", "m.bb")

    def wrapper(self, body):
        """A program that runs bitbayes, but not in the same way on every rank."""
        path = self.path(self.write("wrapper", f"#!/bin/sh\nrank=$OMPI_COMM_WORLD_RANK\n{body}\nexec '{BITBAYES}' \"$@\"\n"))
        os.chmod(path, 0o755)
        return path

    def test_a_rank_that_cannot_read(self):
        self.table("train.csv", rows=90)
        os.mkdir(self.path("empty"))
        elsewhere = self.wrapper("if [ $rank = 1 ]; then cd empty; fi")
        self.fails_together(6, "rank 1 of 3: train.csv: No such file", 3, "train", "train.csv", "-o", "m.bb", "--read",
                            "each", "--tree", 5, program=elsewhere)
        # Rank 0 reads for it.
        done = self.mpi(3, "train", "train.csv", "-o", "m.bb", "--tree", 5, program=elsewhere)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_ranks_with_other_rows(self):
        self.table("train.csv", rows=90)
        os.mkdir(self.path("other"))
        self.table("other/train.csv", rows=90, seed=2)
        elsewhere = self.wrapper("if [ $rank = 2 ]; then cd other; fi")
        self.fails_together(3, "rank 2 of 3: .*not the rows that rank 0 has read", 3, "train", "train.csv", "-o", "m.bb",
                            "--read", "each", "--tree", 5, program=elsewhere)

    def test_a_full_disk_keeps_the_last_checkpoint(self):
        self.table("train.csv", rows=900, features=40)
        done = self.mpi(2, *self.TRAIN[:-4], "--epochs", 2, "--checkpoint", "c.bb", "-q")
        self.assertEqual(done.returncode, 0, done.stderr)
        saved = self.read("c.bb")
        full = self.wrapper(f"ulimit -f {len(saved) // 1024}")  # blocks of 512 bytes or 1 KiB: less than the file
        self.fails_together(6, "c.bb", 2, *self.TRAIN[:-4], "--epochs", 4, "--resume", "c.bb", "--checkpoint", "c.bb",
                            program=full)
        self.assertEqual(self.read("c.bb"), saved)
        self.assertEqual([name for name in os.listdir(self.folder) if name.endswith(".tmp")], [])

    def test_weights_that_overflow(self):
        self.table("train.csv", rows=300)
        self.fails_together(2, "not finite", 3, "train", "train.csv", "-o", "m.bb", "--algorithm", "backprop", "--tree", 9,
                            "--learning-rate", "1e30")


class Loading(MpiTest):
    def test_the_program_itself_needs_no_mpi(self):
        libraries = subprocess.run(["ldd", BITBAYES], capture_output=True, text=True).stdout
        self.assertNotIn("mpi", libraries)

    def test_without_the_mpi_part_every_rank_says_so(self):
        shutil.copy(BITBAYES, self.path("bitbayes"))
        done = self.mpi(2, "train", "train.csv", program=self.path("bitbayes"))
        self.assertEqual(done.returncode, 5, done.stderr)
        errors = self.errors(done)
        self.assertGreaterEqual(len(errors), 1, done.stderr)
        for line in errors:
            self.assertRegex(line, "no MPI part; hint: ")
        alone = self.mpi(1, "backends", program=self.path("bitbayes"))
        self.assertEqual(alone.returncode, 0, alone.stderr)

    def test_another_launcher_is_refused(self):
        done = self.run_cli("backends", env={**self.environment(), "PMI_SIZE": "3", "PMI_RANK": "0"})
        self.assertEqual(done.returncode, 5, done.stderr)
        self.assertRegex(done.stderr, "3 processes were started together, but MPI sees 1")

    def test_other_commands_run_once(self):
        once = self.succeed("backends").stdout
        done = self.mpi(3, "backends")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout, once)


if __name__ == "__main__":
    if why_not():
        print(f"skipped: {why_not()}", file=sys.stderr)
        sys.exit(77)
    unittest.main()

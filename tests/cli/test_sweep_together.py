"""bitbayes sweep killed, and by several processes at once: the same table as by one, undisturbed."""

import shutil
import signal
import subprocess
import time
import unittest

from sweep_support import SweepTest

# 24 runs of a tenth of a second and more.
LONG = """
data = "data.csv"
[options]
epochs = {epochs}
[grid]
tree = [31, 51, 71, 91]
evidence = [0.1, 1]
seed = [1, 2, 3]
"""


class Kills(SweepTest):
    def stop_at(self, runs, how):
        """Ends a sweep once so many runs are done; its exit status."""
        process = self.start("sweep", "sweep.toml", "-o", "out", "-q", "--threads", 2)
        while self.finished("out") < runs and process.poll() is None:
            time.sleep(0.005)
        process.send_signal(how)
        process.communicate(timeout=30)
        return process.returncode

    def long(self):
        """A config whose runs take long enough to be killed in the middle."""
        self.config(LONG.format(epochs=3), rows=300)
        self.succeed("sweep", "sweep.toml", "-o", "whole", "-q")

    def test_killed_twice(self):
        self.long()
        for runs in (4, 12):
            self.assertEqual(self.stop_at(runs, signal.SIGKILL), -signal.SIGKILL)
            self.assertTrue(runs <= self.finished("out") < 24)
        before = self.times("out")
        self.succeed("sweep", "sweep.toml", "-o", "out", "-q")
        self.assertEqual({name: self.times("out")[name] for name in before}, before)
        for name in ("results.csv", "best.bb"):
            self.assertEqual(self.read(f"out/{name}"), self.read(f"whole/{name}"))
        self.check_tidy("out")

    def test_interrupted(self):
        self.long()
        self.assertEqual(self.stop_at(3, signal.SIGINT), 130)
        self.assertTrue(3 <= self.finished("out") < 24)
        self.check_tidy("out")
        self.succeed("sweep", "sweep.toml", "-o", "out", "-q")
        self.assertEqual(self.read("out/results.csv"), self.read("whole/results.csv"))


class Together(SweepTest):
    def setUp(self):
        super().setUp()
        self.config(LONG.format(epochs=1), rows=150)
        self.succeed("sweep", "sweep.toml", "-o", "whole", "-q", "--threads", 1)

    def check(self, folder):
        for name in ("results.csv", "best.bb"):
            self.assertEqual(self.read(f"{folder}/{name}"), self.read(f"whole/{name}"))
        self.check_tidy(folder)

    def test_two_processes_in_one_folder(self):
        both = [self.start("sweep", "sweep.toml", "-o", "out", "--threads", 1) for _ in range(2)]
        notes = [process.communicate(timeout=60)[1].decode() for process in both]
        self.assertEqual([process.returncode for process in both], [0, 0], notes)
        done = [text.count(" of 24: ") for text in notes]
        self.assertEqual(sum(done), 24, notes)  # no run twice
        self.assertTrue(min(done) > 0, notes)
        self.check("out")

    def test_the_other_takes_over_what_a_killed_one_left(self):
        killed = self.start("sweep", "sweep.toml", "-o", "out", "-q", "--threads", 1)
        while self.finished("out") < 2:
            time.sleep(0.005)
        other = self.start("sweep", "sweep.toml", "-o", "out", "-q", "--threads", 1)
        while self.finished("out") < 6:
            time.sleep(0.005)
        killed.kill()
        killed.communicate()
        self.assertEqual(other.communicate(timeout=60)[1], b"")
        self.assertEqual(other.returncode, 0)
        self.check("out")

    def test_ranks(self):
        for ranks in (1, 2, 3):
            folder = f"out{ranks}"
            done = self.mpirun(ranks, "sweep", "sweep.toml", "-o", folder, "--threads", 1)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(done.stdout.count("error_mean"), 1)  # one table
            self.check(folder)
            if ranks > 1:
                self.assertTrue(0 < done.stderr.count(" of 24: ") < 24, done.stderr)

    def test_ranks_fail_together(self):
        self.config('data = "data.csv"\n[grd]\n')
        done = self.mpirun(2, "sweep", "sweep.toml", "-o", "out", "-q")
        self.assertEqual(done.returncode, 2)
        self.assertEqual(done.stderr.count("bitbayes: error: sweep.toml:2"), 1, done.stderr)
        self.config(LONG.format(epochs=1).replace("[1, 2, 3]", "[1]\ndense = ['', 8]\nbatch = [1, 5]"))
        started = time.monotonic()
        done = self.mpirun(2, "sweep", "sweep.toml", "-o", "out", "-q", "--threads", 1)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertEqual(done.stderr.count("bitbayes: error: 8 of 32 runs failed"), 1, done.stderr)
        self.assertLess(time.monotonic() - started, 60)

    def test_without_locks_ranks_share_by_number(self):
        if shutil.which("cc") is None:
            self.skipTest("no C compiler here")
        self.write("none.c", "#include <errno.h>\nint flock(int f, int how) { errno = ENOLCK; return -1; }\n")
        subprocess.run(["cc", "-shared", "-fPIC", "-o", "none.so", "none.c"], cwd=self.folder, check=True)
        done = self.mpirun(2, "sweep", "sweep.toml", "-o", "out", "--threads", 1, 
                           env={"LD_PRELOAD": self.path("none.so")})
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stderr.count(" of 12: "), 12)
        for name in ("results.csv", "best.bb"):
            self.assertEqual(self.read(f"out/{name}"), self.read(f"whole/{name}"))


if __name__ == "__main__":
    unittest.main()

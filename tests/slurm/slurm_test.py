"""The scripts of examples/slurm: on a private cluster where Slurm starts, else only read."""

import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

from cluster import Cluster, Unavailable

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "cli"))
from support import BITBAYES, CliTest  # noqa: E402

SCRIPTS = os.environ["BITBAYES_SLURM_SCRIPTS"]
NAMES = ("train.sbatch", "sweep.sbatch", "array.sbatch")
SECONDS = 60  # of one job
SHORT = ("--tree", "11", "--epochs", "2")
LONG = ("--tree", "101", "--epochs", "20", "--progress", "none")

SWEEP = """
data = "train.csv"
hold_out = 0.2
[options]
epochs = 2
[grid]
tree = [5, 11]
seed = [1, 2]
"""

DIRECTIVES = {
    "job-name": r"[\w-]+", "ntasks": r"\d+", "cpus-per-task": r"\d+", "time": r"\d\d:\d\d:\d\d", "array": r"\d+-\d+",
    "signal": r"B:USR1@\d+", "requeue": None, "open-mode": "append"}


def script(name):
    return os.path.join(SCRIPTS, name)


class Read(unittest.TestCase):
    def test_bash_reads_them(self):
        for name in NAMES:
            subprocess.run(["bash", "-n", script(name)], check=True)

    def test_directives(self):
        for name in NAMES:
            with open(script(name), encoding="utf-8") as file:
                lines = file.read().splitlines()
            self.assertEqual(lines[0], "#!/bin/bash")
            first_command = next(i for i, line in enumerate(lines) if line and not line.startswith("#"))
            found = [i for i, line in enumerate(lines) if "SBATCH" in line]
            self.assertLess(max(found), first_command, "sbatch reads no further than the first command")
            for i in found:
                option, _, value = re.fullmatch(r"#SBATCH --([a-z-]+)(=(\S+))?", lines[i]).groups()
                self.assertIn(option, DIRECTIVES)
                self.assertEqual(value is None, DIRECTIVES[option] is None, lines[i])
                self.assertRegex(value or "", rf"^({DIRECTIVES[option] or ''})$", lines[i])


class Run(CliTest):
    models = {}

    @classmethod
    def setUpClass(cls):
        folder = tempfile.mkdtemp(prefix="bitbayes_slurm_")
        cls.addClassCleanup(shutil.rmtree, folder, ignore_errors=True)
        cls.cluster = Cluster(folder)
        try:
            cls.cluster.start()
        except Unavailable as why:
            print(f"skipped, the scripts were only read: {why}", file=sys.stderr)
            raise unittest.SkipTest(str(why)) from why
        cls.addClassCleanup(cls.cluster.stop)
        cls.has_mpi = os.path.exists(os.path.join(os.path.dirname(BITBAYES), "libbitbayes_mpi.so"))
        programs = os.path.dirname(BITBAYES)
        cls.cluster.environment["PATH"] = programs + os.pathsep + os.environ["PATH"]

    def setUp(self):
        super().setUp()
        self.addCleanup(self.cancel_all)
        self.table("train.csv", rows=600, features=20, classes=5)

    def cancel_all(self):
        self.cluster.call("scancel", "--full", "--state=PENDING,RUNNING,SUSPENDED", "--user", str(os.getuid()))

    def need_mpi(self):
        if not self.has_mpi:
            self.skipTest("built without MPI (apt.txt: libopenmpi-dev)")

    def slurm(self, *command):
        done = self.cluster.call(*map(str, command), cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def submit(self, *arguments):
        return self.slurm("sbatch", "--parsable", *arguments).strip()

    def state(self, job):
        text = self.slurm("scontrol", "show", "job", job)
        return dict(re.findall(r"(JobState|ExitCode|Restarts)=(\S+)", text))

    def wait(self, job, is_so):
        end = time.monotonic() + SECONDS
        while not is_so():
            self.assertLess(time.monotonic(), end, f"{self.state(job)}\n{self.said()}")
            time.sleep(0.05)

    def finish(self, job, state="COMPLETED"):
        """Waits for a job, or for all tasks of an array, to end in that state."""
        def ended():
            return not self.slurm("squeue", "-h", "-t", "PENDING,RUNNING,COMPLETING,SUSPENDED", "-j", job).strip()
        self.wait(job, ended)
        states = re.findall(r"JobState=(\S+)", self.slurm("scontrol", "show", "job", job))
        self.assertEqual(set(states), {state}, self.said())

    def said(self):
        names = [name for name in os.listdir(self.folder) if name.endswith(".out")]
        return "\n".join(self.read(name).decode() for name in sorted(names))

    def plain(self, *options):
        """The model of a run without Slurm; every test has the same rows."""
        if options not in self.models:
            self.succeed("train", "train.csv", "-o", "plain.bb", "--force", "-q", *options)
            self.models[options] = self.read("plain.bb")
        return self.models[options]

    def test_train(self):
        self.need_mpi()
        job = self.submit(script("train.sbatch"), "train.csv", "model.bb", *SHORT)
        self.finish(job)
        self.assertEqual(self.read("model.bb"), self.plain(*SHORT))
        again = self.submit(script("train.sbatch"), "train.csv", "model.bb", *SHORT)
        self.finish(again)
        self.assertIn("model.bb exists already", self.said())

    def start_long(self):
        self.need_mpi()
        job = self.submit(script("train.sbatch"), "train.csv", "model.bb", *LONG)
        self.wait(job, lambda: os.path.exists(self.path("model.bb.checkpoint")))
        return job

    def test_time_is_up(self):
        """The signal of --signal=B:USR1, sent early."""
        job = self.start_long()
        self.slurm("scancel", "--signal=USR1", "--batch", job)
        self.wait(job, lambda: self.state(job)["Restarts"] == "1")
        self.assertRegex(self.said(), r"interrupted at epoch \d+, sample \d+; hint: go on with --resume")
        self.assertFalse(os.path.exists(self.path("model.bb")))
        self.finish(job)
        self.assertEqual(self.read("model.bb"), self.plain(*LONG))

    def test_rank_killed(self):
        job = self.start_long()
        os.kill(self.process_of(job, rank=1), signal.SIGKILL)
        start = time.monotonic()
        self.finish(job, "FAILED")
        self.assertLess(time.monotonic() - start, 30)
        self.assertRegex(self.said(), "task 1: Killed")
        self.finish(self.submit(script("train.sbatch"), "train.csv", "model.bb", *LONG))
        self.assertEqual(self.read("model.bb"), self.plain(*LONG))

    def process_of(self, job, rank):
        wanted = {f"SLURM_JOB_ID={job}".encode(), f"SLURM_PROCID={rank}".encode()}
        for process in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{process}/environ", "rb") as file:
                    environment = set(file.read().split(b"\0"))
                if wanted <= environment and os.path.basename(os.readlink(f"/proc/{process}/exe")) == "bitbayes":
                    return int(process)
            except OSError:
                pass  # it has ended, or is somebody else's
        return self.fail(f"no process of rank {rank}")

    def test_array(self):
        job = self.submit("--array=1-2", script("array.sbatch"), "train.csv", "seeds", *LONG)
        self.wait(job, lambda: os.path.exists(self.path("seeds/seed-2.checkpoint")))
        self.slurm("scancel", "--signal=USR1", "--batch", f"{job}_2")
        self.finish(job)
        self.assertEqual([self.state(f"{job}_{seed}")["Restarts"] for seed in "12"], ["0", "1"], self.said())
        self.assertEqual({name for name in os.listdir(self.path("seeds")) if name.endswith(".bb")},
                         {"seed-1.bb", "seed-2.bb"})
        for seed in "12":
            self.assertEqual(self.read(f"seeds/seed-{seed}.bb"), self.plain(*LONG, "--seed", seed))

    def test_sweep(self):
        self.need_mpi()
        self.write("sweep.toml", SWEEP)
        self.finish(self.submit(script("sweep.sbatch"), "sweep.toml", "runs"))
        self.succeed("sweep", "sweep.toml", "-o", "plain", "-q")
        for name in ("results.csv", "best.bb"):
            self.assertEqual(self.read(f"runs/{name}"), self.read(f"plain/{name}"))

    def test_tasks_without_mpi_are_told(self):
        done = self.cluster.call("srun", "-n2", "--mpi=none", BITBAYES, "train", "train.csv", *SHORT, "-o", "model.bb",
                                 cwd=self.folder)
        self.assertEqual(done.stderr.count("srun started 2 tasks without MPI"), 2, done.stderr)
        self.assertEqual(self.read("model.bb"), self.plain(*SHORT))

    def test_one_task_needs_no_mpi(self):
        """Where --mpi=pmix is a site's default, every task has its variables."""
        shutil.copy(BITBAYES, self.path("bitbayes"))  # without the MPI part beside it
        self.assertIn("bitbayes", self.slurm("srun", "-n1", "--mpi=pmix", "./bitbayes", "--version"))
        done = self.cluster.call("srun", "-n2", "--mpi=pmix", "./bitbayes", "--version", cwd=self.folder)
        self.assertEqual(done.returncode, 5)
        self.assertIn("no MPI part", done.stderr)


if __name__ == "__main__":
    unittest.main()

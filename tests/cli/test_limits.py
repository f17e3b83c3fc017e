"""Too little memory, and threads that cannot be started."""

import os
import resource
import unittest

from support import ERROR_LINE, CliTest

SHORT = r"bitbayes: note: only (\d) of 64 threads could be started\n"


def few_processes():
    """At most four threads; root is not bound by this limit, so it becomes somebody else."""
    if os.getuid() == 0:
        os.setgid(54321)
        os.setuid(54321)
    resource.setrlimit(resource.RLIMIT_NPROC, (4, 4))


def memory(kilobytes):
    return lambda: resource.setrlimit(resource.RLIMIT_AS, (1024 * kilobytes, 1024 * kilobytes))


class Limits(CliTest):
    def setUp(self):
        super().setUp()
        os.chmod(self.folder, 0o777)
        self.table("two.csv", rows=2000, classes=2, features=20)
        self.table("three.csv", rows=2000, classes=3, features=20)
        for name in os.listdir(self.folder):
            os.chmod(self.path(name), 0o644)

    def test_fewer_threads_give_the_same_bytes(self):
        for data in ("two.csv", "three.csv"):  # one tree split over threads; a tree per thread
            train = ("train", data, "--tree", 101, "--epochs", 1, "--test", data)
            self.succeed(*train, "--threads", 1, "-o", "one.bb", "--force", "-q")
            for limit in (few_processes, memory(300000)):
                done = self.run_cli(*train, "--threads", 64, "-o", "few.bb", "--force", "--json",
                                    "--progress", "none", preexec_fn=limit)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertRegex(done.stderr, f"^{SHORT}$")
                self.assertIn(f'"threads":{done.stderr.split()[3]},', done.stdout)
                self.assertEqual(self.read("few.bb"), self.read("one.bb"))

    def test_other_commands_say_so(self):
        self.succeed("train", "three.csv", "--tree", 101, "--epochs", 1, "-o", "m.bb", "-q")
        os.chmod(self.path("m.bb"), 0o644)
        for command in (("eval", "m.bb", "three.csv"), ("update", "m.bb", "three.csv", "-o", "n.bb")):
            done = self.run_cli(*command, "--threads", 64, "--json", "--progress", "none",
                                preexec_fn=few_processes)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertRegex(done.stderr, SHORT)
            self.assertRegex(done.stdout, r'"threads":[1-4],')
            quiet = self.run_cli(*command, "--threads", 64, "-q", "--force", preexec_fn=few_processes)
            self.assertEqual((quiet.returncode, quiet.stderr), (0, ""))

    def test_out_of_memory_is_one_line(self):
        failures = 0
        for kilobytes in (12000, 15000, 20000, 25000, 30000, 40000):
            for threads in (1, 2, 64):
                done = self.run_cli("train", "three.csv#0:300", "--tree", 2001, "--epochs", 1, "-q",
                                    "--threads", threads, "-o", "m.bb", "--force", preexec_fn=memory(kilobytes))
                if done.returncode == 127:
                    continue  # not even its libraries fit
                with self.subTest(kilobytes=kilobytes, threads=threads):
                    self.assertIn(done.returncode, (0, 1, 3), done.stderr)
                    if done.returncode != 0:
                        failures += 1
                        self.assertRegex(done.stderr, ERROR_LINE)
                        self.assertRegex(done.stderr, "out of memory|training would take")
        self.assertGreater(failures, 0)


if __name__ == "__main__":
    unittest.main()

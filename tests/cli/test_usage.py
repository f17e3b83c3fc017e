"""Wrong command lines, help, and what every command accepts."""

import os
import subprocess
import unittest

from support import BITBAYES, CliTest

COMMANDS = "fetch train update eval predict info bench check-golden backends completion".split()


class Usage(CliTest):
    def test_help_and_version_go_to_stdout(self):
        text = self.succeed("--help").stdout
        for command in COMMANDS:
            self.assertIn(command, text)
            self.assertIn("--progress", self.succeed(command, "--help").stdout)
        self.assertRegex(self.succeed("--version").stdout, r"^bitbayes \d+\.\d+\.\d+\n$")

    def test_nothing_and_unknown_command(self):
        done = self.run_cli()
        self.assertEqual(done.returncode, 2)
        self.assertEqual(done.stderr,
                         "bitbayes: error: a command is missing; hint: see bitbayes --help\n")
        self.fail_with(2, "'learn' is not a command", "learn", "data.csv")

    def test_wrong_options(self):
        self.table("a.csv")
        train = ("train", "a.csv")
        for pattern, arguments in {
            "DATA": ("train",),
            "--speed": (*train, "--speed", "3"),
            "hint: did you mean --seed. see bitbayes train --help": (*train, "--speed", "3"),
            "--epochs": (*train, "--epochs", "0"),
            "--seed: '-1'": (*train, "--seed", "-1"),
            "--seed: '1e3'": (*train, "--seed", "1e3"),
            "--tree: 'x'": (*train, "--tree", "11,x"),
            "--tree: '0'": (*train, "--tree", "0"),
            "--tree: ''": (*train, "--tree", ""),
            "--hold-out": (*train, "--hold-out", "1"),
            "--evidence": (*train, "--evidence", "nan"),
            "--prior-scale": (*train, "--prior-scale", "-1"),
            "--backend.*'gpu' is not one of auto": (*train, "--backend", "gpu"),
            "--progress.*'dots'": (*train, "--progress", "dots"),
            "squeeze": (*train, "--preprocess", "squeeze"),
            "--tree excludes --single": (*train, "--single", "--tree", "3"),
            "--test excludes --hold-out": (*train, "--hold-out", "0.2", "--test", "a.csv"),
            "--every.*--checkpoint": (*train, "--every", "10"),
            "two different outputs": (*train, "-o", "m.bb", "--checkpoint", "m.bb"),
            "test split": ("train", "teacher:3", "--hold-out", "0.2"),
            "cifar": ("fetch", "cifar"),
            "tcsh": ("completion", "tcsh"),
            "WHAT": ("bench",),
            "--slices: '0'": ("bench", "train", "--slices", "0"),
            "-o": ("update", "m.bb", "a.csv"),
        }.items():
            with self.subTest(arguments):
                self.fail_with(2, pattern, *arguments)

    def test_common_flags_are_accepted_everywhere(self):
        self.model()
        golden = os.path.join(os.environ["BITBAYES_GOLDEN_DIR"], "teacher_3.json")
        for arguments in (["info", "model.bb"], ["backends"], ["completion", "bash"],
                          ["check-golden", golden], ["predict", "model.bb", "train.csv"],
                          ["eval", "model.bb", "train.csv"],
                          ["update", "model.bb", "train.csv", "-o", "new.bb"],
                          ["train", "train.csv", "--epochs", 1]):
            with self.subTest(arguments):
                for flag in ("-q", "-v"):
                    self.json(*arguments, flag, "--progress", "none", "--force")

    def test_stdout_that_cannot_be_written(self):
        full = os.open("/dev/full", os.O_WRONLY)
        self.addCleanup(os.close, full)
        for command in (["--help"], ["backends"], ["completion", "bash"]):
            self.assert_output_lost(command, {"stdout": full})
        reader, writer = os.pipe()
        os.close(reader)
        self.addCleanup(os.close, writer)
        self.assert_output_lost(["backends"], {"stdout": writer})
        self.assert_output_lost(["backends"], {"preexec_fn": lambda: os.close(1)})

    def assert_output_lost(self, command, options):
        done = subprocess.run([BITBAYES, *command], stderr=subprocess.PIPE, text=True, timeout=60,
                              **options)
        self.assertEqual(done.returncode, 6, command)
        self.assertRegex(done.stderr, r"^bitbayes: error: standard output: [^\n]+\n$")


if __name__ == "__main__":
    unittest.main()

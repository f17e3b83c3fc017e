"""Wrong command lines, help, and what every command accepts."""

import json
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

    def test_help_fits_the_width(self):
        longest = 0
        for columns, column in ((60, 32), (80, 32), (100, 40), (None, 40), (500, 40)):
            environment = {**os.environ, **({"COLUMNS": str(columns)} if columns else {})}
            if not columns:
                environment.pop("COLUMNS", None)
            for command in ((), ("train",), ("pack",)):
                text = self.succeed(*command, "--help", env=environment).stdout
                table = text.split("\nDATA: ")[0].split("\nFirst steps:")[0].splitlines()
                longest = max(map(len, table))
                self.assertLessEqual(longest, min(columns or 100, 120))
                for line in table:
                    if line.startswith("   "):
                        self.assertEqual(len(line) - len(line.lstrip()), column, line)
                        self.assertEqual(line, line.rstrip())
        self.assertGreater(longest, 100)

    def test_usage_names_required_options(self):
        for command, usage in {
            "train": "DATA [OPTIONS]", "update": "MODEL DATA -o FILE [OPTIONS]", "pack": "MODEL -o NET [OPTIONS]",
            "export": "LANGUAGE NET -o DIR [OPTIONS]", "sweep": "CONFIG -o DIR [OPTIONS]",
            "reproduce": "WHAT -o DIR [OPTIONS]", "bench": "WHAT [NET] [DATA] [OPTIONS]", "backends": "[OPTIONS]",
        }.items():
            self.assertIn(f"\nUsage: bitbayes {command} {usage}\n", self.succeed(command, "--help").stdout)
        self.assertIn("\nUsage: bitbayes [OPTIONS] COMMAND\n", self.succeed("--help").stdout)

    def test_examples_are_of_the_command(self):
        for command in ("backends", "info", "fetch", "check-golden", "reproduce"):
            text = self.succeed(command, "--help").stdout
            self.assertNotIn("First steps", text)
            self.assertIn(f"\n  bitbayes {command} ", text)

    def test_a_benchmark_of_a_gpu_that_is_not_there(self):
        done = self.run_cli("bench", "train", "--backend", "cuda", env={**os.environ, "CUDA_VISIBLE_DEVICES": ""})
        self.assertEqual(done.returncode, 5)
        self.assertRegex(done.stderr, r"^bitbayes: error: backend cuda: [^\n]*; hint: bitbayes backends [^\n]*\n$")
        self.assertEqual(done.stderr.count("hint: "), 1)

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
            "--label-noise: '0.6' is not a number from 0 to below 0.5": (*train, "--label-noise", "0.6"),
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

    def test_outputs_have_names(self):
        self.table("a.csv")
        for arguments in (("train", "a.csv"), ("update", "m.bb", "a.csv"), ("pack", "m.bb"), ("predict", "m.bb", "a.csv"),
                          ("export", "c", "m.bbn"), ("sweep", "s.toml"), ("reproduce", "mnist")):
            hint = "leave it out: answers then go to standard output" if arguments[0] == "predict" else "give it a name"
            self.fail_with(2, f"-o: '-' does not mean standard output here; hint: {hint}", *arguments, "-o", "-")
        for option in ("--checkpoint", "--metrics"):
            self.fail_with(2, f"{option}: '-'", "train", "a.csv", option, "-")
        self.fail_with(2, "--report: '-'", "eval", "m.bb", "a.csv", "--report", "-")
        self.assertEqual(os.listdir(self.folder), ["a.csv"])

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
        self.assert_output_lost(["backends"], {"preexec_fn": lambda: os.close(1)})

    def test_a_reader_that_is_gone_is_no_error(self):
        self.model()
        self.write("wrong.json", self.wrong_golden())
        reader, writer = os.pipe()
        os.close(reader)
        self.addCleanup(os.close, writer)
        for command in (["--help"], ["--version"], ["backends"], ["info", "model.bb"],
                        ["predict", "model.bb", "train.csv"], ["eval", "model.bb", "train.csv", "--json"],
                        ["train", "train.csv", "--epochs", "1", "-q", "-o", "new.bb"]):
            done = subprocess.run([BITBAYES, *command], cwd=self.folder, stdout=writer,
                                  stderr=subprocess.PIPE, text=True, timeout=60)
            self.assertEqual([done.returncode, done.stderr], [0, ""], command)
        self.succeed("info", "new.bb")
        done = subprocess.run([BITBAYES, "check-golden", "wrong.json"], cwd=self.folder, stdout=writer,
                              stderr=subprocess.PIPE, text=True, timeout=60)
        self.assertEqual(done.returncode, 1)  # a check that fails still does

    def wrong_golden(self):
        with open(os.path.join(os.environ["BITBAYES_GOLDEN_DIR"], "teacher_3.json")) as file:
            content = json.load(file)
        content["steps"][0]["mu"][0][0] += 1
        return json.dumps(content)

    def test_an_endless_stream_ends_with_its_reader(self):
        self.model()
        row = ",".join(["1"] * 5) + "\n"
        process = self.start("predict", "model.bb", "-", "-q")
        self.addCleanup(process.kill)
        process.stdin.write(row.encode())
        self.assertIn(b"label", process.stdout.read(5))
        process.stdout.close()
        with self.assertRaises(BrokenPipeError):
            for _ in range(100000):
                process.stdin.write(row.encode() * 100)
        self.assertEqual([process.wait(60), process.stderr.read()], [0, b""])
        process.stderr.close()

    def assert_output_lost(self, command, options):
        done = subprocess.run([BITBAYES, *command], stderr=subprocess.PIPE, text=True, timeout=60,
                              **options)
        self.assertEqual(done.returncode, 6, command)
        self.assertRegex(done.stderr, r"^bitbayes: error: standard output: [^\n]+\n$")


if __name__ == "__main__":
    unittest.main()

"""bitbayes train: figures, splits, notes, progress."""

import fcntl
import json
import os
import pty
import re
import struct
import subprocess
import termios
import unittest

from support import BITBAYES, TIMEOUT, CliTest, table

KEYS = ("n algorithm architecture features inputs classes class_names members weights samples_seen seed evidence learning_rate "
        "memory threads backend simd_level seconds error_map error_mean nll brier ece validity error_progressive").split()
EPOCH_KEYS = ("epoch samples_seen seconds error_progressive error_map error_mean nll brier ece "
              "validity").split()


class Train(CliTest):
    def test_json_of_train_and_eval(self):
        self.table("train.csv")
        self.table("test.csv", rows=90, seed=2)
        result = self.json("train", "train.csv", "--test", "test.csv", "--tree", 11, "--epochs", 3,
                           "--seed", 7, "-o", "m.bb")
        self.assertEqual(list(result), KEYS + ["batch", "epochs", "polish", "ranks", "seconds_auto", "seconds_polish", "model",
                                         "history"])
        self.assertEqual([result[key] for key in ("n", "features", "classes", "seed", "model")],
                         [300, 5, 3, 7, "m.bb"])
        self.assertEqual(result["class_names"], ["0", "1", "2"])
        self.assertEqual(result["samples_seen"], 900)
        self.assertEqual(result["weights"], 3 * 11 * (result["inputs"] + 1))
        self.assertLess(result["error_mean"], 0.2)
        self.assertEqual([list(epoch) for epoch in result["history"]], [EPOCH_KEYS] * 3)
        self.assertEqual([epoch["samples_seen"] for epoch in result["history"]], [300, 600, 900])

        again = self.json("eval", "m.bb", "test.csv")
        self.assertEqual(list(again), KEYS + ["confusion", "per_class", "macro"])
        self.assertEqual([again["n"], again["seconds"], again["error_progressive"]], [90, None, None])
        for key in ("error_map", "error_mean", "nll", "brier", "ece", "validity"):
            self.assertAlmostEqual(again[key], result[key], msg=key)
        self.assertEqual([sum(row) for row in again["confusion"]], [30, 30, 30])
        wrong = 90 - sum(again["confusion"][k][k] for k in range(3))
        self.assertAlmostEqual(wrong / 90, again["error_mean"])

    def test_label_noise(self):
        self.table("train.csv")
        self.table("test.csv", rows=90, seed=2)
        train = ("train", "train.csv", "--test", "test.csv", "--tree", 11, "--epochs", 2, "--force", "-o")
        noise, text = {}, {}
        for option in ("0", "0.1", "auto"):
            result = self.json(*train, "m.bb", "--label-noise", option)
            noise[option] = self.json("info", "m.bb")["label_noise"]
            text[option] = self.succeed("info", "m.bb").stdout
            again = self.json("eval", "m.bb", "test.csv")
            self.assertEqual([again[key] for key in ("error_mean", "nll")],
                             [result[key] for key in ("error_mean", "nll")])
        self.assertIsNone(noise["0"])
        self.assertRegex(text["0"], r"(?m)^label noise +0$")
        self.assertFalse(noise["0.1"]["automatic"])
        for eps in noise["0.1"]["eps"]:
            self.assertAlmostEqual(eps, 0.1, 6)
        self.assertRegex(text["0.1"], r"(?m)^label noise +0\.1$")
        self.assertTrue(noise["auto"]["automatic"])
        self.assertEqual(len(set(noise["auto"]["eps"])), 3)
        self.assertRegex(text["auto"], r"(?m)^label noise +auto, 0\.\d+ to 0\.\d+$")

    def test_without_a_test_split_errors_are_null(self):
        self.table("train.csv")
        result = self.json("train", "train.csv", "--epochs", 1, "--tree", 5)
        for key in ("error_map", "error_mean", "nll", "brier", "ece", "validity", "model"):
            self.assertIsNone(result[key], key)
        self.assertIsNotNone(result["error_progressive"])
        table = self.succeed("train", "train.csv", "--epochs", 1, "--tree", 5, "-o", "m.bb").stdout
        self.assertNotIn("error, MAP", table)

    def test_hold_out(self):
        self.table("train.csv")
        result = self.json("train", "train.csv", "--hold-out", 0.2, "--epochs", 1, "--tree", 5)
        self.assertEqual(result["n"], 240)
        self.assertIsNotNone(result["error_map"])

    def test_teacher_decides_tree_and_epochs(self):
        result = self.json("train", "teacher:3#0:500", "--test", "teacher:3:1:test#0:100")
        self.assertEqual([result["inputs"], result["weights"], len(result["history"])], [3, 12, 1])
        result = self.json("train", "teacher:3#0:500", "--test", "teacher:3:1:test#0:100", "--single",
                           "--epochs", 2)
        self.assertEqual([result["weights"], len(result["history"])], [3, 2])

    def test_threads_do_not_change_the_bytes(self):
        self.table("train.csv")
        for classes, data in ((3, "train.csv"), (2, self.table("two.csv", classes=2))):
            for threads in (1, 2, 5):
                self.succeed("train", data, "--tree", 7, "--epochs", 2, "--threads", threads, "-o",
                             f"{classes}_{threads}.bb", "-q")
            self.assertEqual(self.read(f"{classes}_1.bb"), self.read(f"{classes}_2.bb"))
            self.assertEqual(self.read(f"{classes}_1.bb"), self.read(f"{classes}_5.bb"))
        self.succeed("train", "train.csv", "--tree", 7, "--epochs", 2, "--seed", 2, "-o", "s.bb", "-q")
        self.assertNotEqual(self.read("3_1.bb"), self.read("s.bb"))

    def test_talk_goes_to_stderr_and_q_silences_it(self):
        self.table("train.csv", header=True, missing=0.1)
        options = ("train", "train.csv", "--epochs", 2, "--tree", 5, "-o", "m.bb", "--force")
        loud = self.succeed(*options)
        self.assertRegex(loud.stderr, r"bitbayes: note: .*missing")
        rows = [line.split()[0] for line in loud.stderr.splitlines() if line[:1] == " "][2:]
        self.assertEqual(rows, "1 2 4 8 16 32 64 128 256 300 512 600".split())
        quiet = self.succeed(*options, "-q")
        self.assertEqual(quiet.stderr, "")
        self.assertRegex(quiet.stdout, r"samples seen +600\n")
        self.assertEqual(self.succeed(*options, "-q", "--json").stderr, "")

    def test_bar_clears_its_line(self):
        self.table("train.csv")
        process = self.start("train", "train.csv", "--epochs", 1, "--progress", "bar", "-o", "m.bb")
        _, talk = process.communicate(timeout=TIMEOUT)
        self.assertIn(b"\repoch 1/1 [", talk)
        self.assertNotIn(b"epoch 1/1", talk.rsplit(b"\r\x1b[K", 1)[-1])

    def test_metrics_file(self):
        self.table("train.csv")
        result = self.json("train", "train.csv", "--epochs", 3, "--tree", 5, "--metrics", "m.jsonl")
        lines = [json.loads(line) for line in self.read("m.jsonl").splitlines()]
        self.assertEqual(lines, result["history"])

    def test_bad_data(self):
        self.table("good.csv")
        cases = {
            "only one class": self.write("one.csv", "1,2,a\n3,4,a\n"),
            r"ragged.csv:2: ": self.write("ragged.csv", "1,2,a\n1,b\n"),
            r"word.csv:3: ": self.write("word.csv", "1,2,a\n1,2,b\n1,x,b\n"),
            r"inf.csv:2: ": self.write("inf.csv", "1,2,a\n1,inf,b\n"),
            "empty.csv": self.write("empty.csv", ""),
            "zero.libsvm:1: ": self.write("zero.libsvm", "1 0:3\n"),
        }
        for pattern, data in cases.items():
            with self.subTest(data):
                self.fail_with(3, pattern, "train", data)
        self.fail_with(6, "absent.csv", "train", "absent.csv")
        self.table("more.csv", classes=4)
        self.fail_with(3, "more.csv.*3", "train", "good.csv", "--test", "more.csv")
        self.table("wide.csv", features=6)
        self.fail_with(3, "wide.csv", "train", "good.csv", "--test", "wide.csv")


class Notes(CliTest):
    def test_classes_without_rows(self):
        rows = table(60, 3, 4, seed=1).splitlines(keepends=True)
        self.write("t.csv", "".join(sorted(rows, key=lambda row: row.rstrip()[-1])))
        command = ("train", "-o", "m.bb", "--force", "--tree", 3, "--evidence", 1)
        self.assertIn("60 rows, 4 features, 3 classes", self.succeed(*command, "t.csv").stderr)
        self.assertIn("40 rows, 4 features, 2 of 3 classes", self.succeed(*command, "t.csv#0:40").stderr)

    def test_one_of_a_kind(self):
        self.table("t.csv", rows=60)
        command = ("train", "-o", "m.bb", "--force", "--epochs", 1, "--evidence", 1)
        self.assertIn("; 1 epoch\n", self.succeed(*command, "t.csv", "--tree", 3).stderr)
        self.assertIn("; 2 epochs, batches of 1 row\n",
                      self.succeed(*command[:-4], "--epochs", 2, "--evidence", 1, "t.csv", "--dense", 3, "--batch", 1).stderr)
        self.write("one.csv", self.read("t.csv").decode() + "7\n")
        self.fail_with(3, "one.csv:61: 1 cell where the first line has 6", "train", "one.csv")

    def test_validity_of_two_classes(self):
        for classes, pattern in ((2, r"- \(two classes\)"), (3, r"[\d.]+ %")):
            self.table("t.csv", rows=60, classes=classes)
            command = ("train", "t.csv", "--test", "t.csv", "-o", "m.bb", "--force", "--tree", 3, "--evidence", 1, "-q")
            self.assertRegex(self.succeed(*command).stdout, rf"\nvalidity +{pattern}\n")
            self.assertRegex(self.succeed("eval", "m.bb", "t.csv").stdout, rf"\nvalidity +{pattern}\n")
            self.succeed("pack", "m.bb", "-o", "m.bbn", "--force", "-q")
            self.assertRegex(self.succeed("eval", "m.bbn", "t.csv").stdout, rf"\nlegal +{pattern}\n")
        self.table("t.csv", rows=60, classes=2)
        self.assertEqual(self.json(*command)["validity"], 1)


class Progress(CliTest):
    def test_columns_of_tests_only_with_test_data(self):
        self.table("train.csv")
        command = ("train", "train.csv", "-o", "m.bb", "--force", "--tree", 3, "--evidence", 1)
        tested, plain = (self.succeed(*command, *options).stderr for options in (("--hold-out", 0.2), ()))
        self.assertRegex(tested, r" samples +test MAP +test mean\n +samples.* per s +error % +error %\n")
        self.assertRegex(plain, r" samples\n +samples.* per s\n(  .*[\dkMG]\n)+")
        self.assertRegex(self.succeed("update", "m.bb", "train.csv", "-o", "u.bb").stderr, r" per s\n(  .*[\dkMG]\n)+")


    def bars(self, columns, *arguments):
        """What a terminal of that width was sent in place of each other."""
        main, terminal = pty.openpty()
        self.addCleanup(os.close, main)
        fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        process = subprocess.Popen([BITBAYES, *map(str, arguments)], cwd=self.folder, stdout=subprocess.DEVNULL,
                                   stderr=terminal)
        os.close(terminal)
        shown = b""
        while True:
            try:
                shown += os.read(main, 65536)
            except OSError:  # the other end is closed
                break
        self.assertEqual(process.wait(TIMEOUT), 0)
        return re.findall(r"(epoch \d+/[^\r\n\x1b]*)", shown.decode())

    def test_a_bar_has_only_what_fits(self):
        self.table("train.csv")
        command = ("train", "train.csv", "--tree", 3, "--evidence", 1, "--progress", "bar", "-o", "m.bb",
                   "--force")
        wide = self.bars(200, *command)
        self.assertRegex(wide[-1], r"^epoch \d+/40 \[[#-]+\] +\d+ % ETA [\d:?]+ err [\d.]+ % [\d.]+[kM]? samples/s [\d.]+[kMG]? weights/s$")
        for columns in (80, 70, 50):
            for bar in self.bars(columns, *command):
                self.assertLess(len(bar), columns)
                self.assertRegex(bar, r"(ETA [\d:?]+|%|/s)$")


if __name__ == "__main__":
    unittest.main()

"""Polished networks, and what `train` leaves to the data."""

import os
import random
import signal
import time
import unittest

from support import TIMEOUT, CliTest

DATA = os.environ["BITBAYES_SHARED_DATA"]


class Polish(CliTest):
    def setUp(self):
        super().setUp()
        self.table("train.csv", classes=4)
        self.table("test.csv", classes=4, rows=90, seed=2)

    def train(self, name, *options):
        return self.json("train", "train.csv", "--test", "test.csv", "--tree", 11, "--epochs", 2, "--evidence", 0.5,
                         "-o", name, *options)

    def test_what_is_stored_and_used(self):
        polished, plain = self.train("a.bb"), self.train("b.bb", "--polish", 0)
        self.assertEqual((polished["polish"], plain["polish"]), (5, 0))
        self.assertGreater(polished["seconds_polish"], 0)
        self.assertEqual(plain["seconds_polish"], 0)
        self.assertIn(b"layer1.polished", self.read("a.bb"))
        self.assertNotIn(b"polished", self.read("b.bb"))
        for key in ("error_mean", "nll", "brier"):
            self.assertEqual(polished[key], plain[key])
        self.assertEqual(polished["history"][-1]["error_map"], plain["error_map"])
        self.assertEqual(self.json("eval", "a.bb", "test.csv")["error_map"], polished["error_map"])
        on_training = [self.json("eval", name, "train.csv")["error_map"] for name in ("a.bb", "b.bb")]
        self.assertLess(*on_training)

        self.succeed("pack", "a.bb", "-o", "a.bbn", "-q")
        self.succeed("pack", "b.bb", "-o", "b.bbn", "-q")
        self.assertNotEqual(self.read("a.bbn"), self.read("b.bbn"))
        answers = [self.succeed("predict", *of).stdout for of in (("a.bb", "train.csv", "--mode", "map"),
                                                                 ("a.bbn", "train.csv"))]
        labels = [[line.split(",")[0] for line in text.splitlines()] for text in answers]
        self.assertEqual(*labels)
        mean = [self.succeed("predict", name, "test.csv").stdout for name in ("a.bb", "b.bb")]
        self.assertEqual(*mean)

    def test_pack_polishes_as_train_does(self):
        self.train("polished.bb")
        self.train("plain.bb", "--polish", 0)
        self.succeed("pack", "polished.bb", "-o", "expected.bbn", "-q")
        for model in ("plain.bb", "polished.bb"):
            for threads in (1, 2):
                self.succeed("pack", model, "--polish", "train.csv", "-o", "n.bbn", "--force", "-q", "--threads", threads)
                self.assertEqual(self.read("n.bbn"), self.read("expected.bbn"))
        self.fail_with(6, "nothing.csv", "pack", "plain.bb", "--polish", "nothing.csv", "-o", "m.bbn")
        self.table("more.csv", classes=5)
        self.fail_with(3, "class", "pack", "plain.bb", "--polish", "more.csv", "-o", "m.bbn")
        self.fail_with(2, "train.csv", "pack", "plain.bb", "--polish", "train.csv", "-o", "train.csv", "--force")

    def test_update_drops_it(self):
        for name, options in (("a.bb", ()), ("b.bb", ("--polish", 0))):
            self.train(name, *options)
            self.succeed("update", name, "test.csv", "-o", f"u{name}", "-q")
        self.assertEqual(self.read("ua.bb"), self.read("ub.bb"))

    def test_backprop_has_none(self):
        result = self.json("train", "train.csv", "--tree", 11, "--epochs", 2, "--algorithm", "backprop", "-o", "m.bb")
        self.assertEqual((result["polish"], result["seconds_polish"]), (0, 0))
        self.assertNotIn(b"polished", self.read("m.bb"))
        self.fail_with(2, "BackProp has no posterior", "pack", "m.bb", "--polish", "train.csv", "-o", "n.bbn")

    def interrupt(self, run, file):
        """Interrupts a run once its only epoch has written a file, while it polishes. What it says."""
        process = self.start(*run, "-q")
        end = time.monotonic() + TIMEOUT
        while not os.path.exists(self.path(file)):
            self.assertIsNone(process.poll(), "ended before it could be stopped")
            self.assertLess(time.monotonic(), end)
            time.sleep(0.001)
        time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        _, talk = process.communicate(timeout=TIMEOUT)
        self.assertEqual(process.returncode, 130, talk)
        return talk.decode()

    def test_interrupted_while_polishing(self):
        self.table("large.csv", rows=3000, classes=8)  # that nothing answers without errors
        run = ("train", "large.csv", "--tree", 31, "--epochs", 1, "--evidence", 1, "--polish", 60)
        talk = self.interrupt(run + ("--checkpoint", "c.bb", "-o", "m.bb"), "c.bb")
        self.assertEqual(talk, "bitbayes: error: interrupted while polishing; "
                               "hint: go on with --resume c.bb\n")
        self.assertFalse(os.path.exists(self.path("m.bb")))
        self.assertNotIn(b"polished", self.read("c.bb").split(b"options")[0])
        self.succeed(*run, "--resume", "c.bb", "-o", "m.bb", "-q")
        self.succeed(*run, "-o", "whole.bb", "-q")
        self.assertEqual(self.read("m.bb"), self.read("whole.bb"))
        self.assertIn(b"layer1.polished", self.read("m.bb"))

    def test_what_was_learned_outlives_an_interrupted_polishing(self):
        self.table("large.csv", rows=3000, classes=8)
        run = ("train", "large.csv", "--tree", 31, "--epochs", 1, "--evidence", 1)
        talk = self.interrupt(run + ("--polish", 60, "--metrics", "epochs.jsonl", "-o", "m.bb"), "epochs.jsonl")
        self.assertRegex(talk, r"^bitbayes: error: interrupted while polishing; hint: m.bb has all that was "
                               r"learned, not polished; `bitbayes pack m.bb --polish DATA -o NET` polishes\n$")
        self.succeed(*run, "--polish", 0, "-o", "unpolished.bb", "-q")
        self.assertEqual(self.read("m.bb"), self.read("unpolished.bb"))
        self.succeed("pack", "m.bb", "--polish", "large.csv", "-o", "n.bbn", "-q")

    @unittest.skipUnless(os.path.isdir(DATA), f"no data sets at {DATA}")
    def test_optdigits(self):
        data = f"{DATA}/optdigits/optdigits.tra.csv.gz#0:1500"
        error = {}
        for polish in (0, 5):
            self.succeed("train", data, "--tree", 21, "--epochs", 5, "--polish", polish, "-o", f"{polish}.bb", "-q")
            error[polish] = self.json("eval", f"{polish}.bb", data)["error_map"]
        self.assertLess(error[5], error[0])


class Auto(CliTest):
    def setUp(self):
        super().setUp()
        self.table("train.csv", rows=150)
        self.table("test.csv", rows=60, seed=2)
        self.table("other.csv", rows=45, seed=3)

    def bytes_of(self, *options):
        result = self.json("train", "train.csv", "-o", "m.bb", "--force", *options)
        return result, self.read("m.bb")

    def test_gives_the_bytes_of_its_numbers(self):
        chosen, whole = self.bytes_of("--threads", 1)
        self.assertEqual(chosen["epochs"], 40)
        self.assertGreater(chosen["seconds_auto"], 0)
        given, same = self.bytes_of("--evidence", chosen["evidence"], "--epochs", chosen["epochs"], "--dense", 1024)
        self.assertEqual(same, whole)
        self.assertEqual(given["seconds_auto"], 0)
        for options in (("--threads", 2), ("--test", "test.csv"), ("--test", "other.csv")):
            self.assertEqual(self.bytes_of(*options)[1], whole, options)

    def test_epochs(self):
        for rows, epochs in ((5000, 20), (500, 40)):
            self.table("t.csv", rows=rows)
            result = self.json("train", "t.csv", "--evidence", 1, "--tree", 3, "--polish", 0)
            self.assertEqual(result["epochs"], epochs)
            self.assertEqual(len(result["history"]), epochs)
        result = self.json("train", "t.csv", "--tree", 3, "--epochs", 2, "--polish", 1)
        self.assertEqual((result["epochs"], result["polish"], result["samples_seen"]), (2, 1, 1000))
        self.assertGreater(result["seconds_auto"], 0)
        self.assertGreater(result["seconds_polish"], 0)

    def test_notes_name_the_trials(self):
        talk = self.succeed("train", "train.csv", "--tree", 5, "-o", "m.bb").stderr
        self.assertRegex(talk, r"evidence [\d.e+-]+, of ([\d.e+-]+ \(NLL [\d.]+\)(, )?){2,4} on training rows set aside")
        talk = self.succeed("train", "train.csv#0:99", "--tree", 5, "-o", "few.bb").stderr
        self.assertNotIn("set aside", talk)

    def test_seconds_in_the_table(self):
        for members in (1, 2):
            table = self.succeed("train", "train.csv", "--tree", 5, "--members", members, "-q",
                                 "-o", "m.bb", "--force").stdout
            self.assertRegex(table, r"(?s)\nseconds  +[\d.]+\nseconds, choosing +[\d.]+\nseconds, polishing +[\d.]+\n")
            table = self.succeed("train", "train.csv", "--tree", 5, "--evidence", 1, "--polish", 0,
                                 "--members", members, "-q", "-o", "m.bb", "--force").stdout
            self.assertIn("\nseconds  ", table)
            self.assertNotIn("seconds,", table)

    def test_what_is_known_comes_before_the_trials(self):
        talk = self.succeed("train", "train.csv", "--tree", 5, "-o", "m.bb").stderr
        self.assertRegex(talk, r"(?s)150 rows, 5 features.*preprocess .*network .*"
                               r"choosing the evidence in short runs.*evidence [\d.e+-]+, of ")
        self.assertEqual(talk.count("network "), 1)
        for options in (("--evidence", 1), ("--json",), ("-q",)):
            talk = self.succeed("train", "train.csv", "--tree", 5, "-o", "m.bb", "--force", *options).stderr
            self.assertNotIn("choosing", talk)
            self.assertEqual(talk.count("network "), options[0] == "--evidence")
        talk = self.succeed("train", "train.csv", "--tree", 5, "--members", 2, "-o", "m.bb", "--force").stderr
        self.assertRegex(talk, r"(?s)network .*choosing the evidence .*evidence [\d.e+-]+, of .*member 1 of 2")
        self.assertEqual(talk.count("network "), 1)

    def test_interrupted_trials(self):
        self.table("many.csv", rows=4000, features=50)
        for members in (1, 2):
            process = self.start("train", "many.csv", "-o", "m.bb", "--members", members)
            talk = b""
            while b"choosing" not in talk:
                line = process.stderr.readline()
                self.assertTrue(line, talk)
                talk += line
            process.send_signal(signal.SIGINT)
            _, rest = process.communicate(timeout=TIMEOUT)
            self.assertEqual(process.returncode, 130, rest)
            self.assertRegex(rest, rb"error: interrupted while choosing the evidence; hint: [^\n]*--evidence X")
            self.assertFalse(os.path.exists(self.path("m.bb")))

    def test_wrong_labels_ask_for_less_evidence(self):
        self.table("right.csv", rows=1000, classes=2)
        draw = random.Random(4)
        rows = [line.rsplit(",", 1) for line in self.read("right.csv").decode().splitlines()]
        self.write("wrong.csv", "".join(f"{cells},{1 - int(label) if draw.random() < 0.3 else label}\n"
                                        for cells, label in rows))
        evidence = [self.json("train", name, "--dense", 128, "--epochs", 10)["evidence"]
                    for name in ("wrong.csv", "right.csv")]
        self.assertLess(*evidence)

    def test_resumed_without_flags(self):
        _, whole = self.bytes_of()
        process = self.start("train", "train.csv", "--checkpoint", "c.bb", "--every", 100, "-q")
        end = time.monotonic() + TIMEOUT
        while not os.path.exists(self.path("c.bb")):
            self.assertIsNone(process.poll(), "ended before it could be stopped")
            self.assertLess(time.monotonic(), end)
            time.sleep(0.001)
        process.kill()
        process.communicate(timeout=TIMEOUT)
        resumed, same = self.bytes_of("--resume", "c.bb")
        self.assertEqual(same, whole)
        self.assertEqual(resumed["seconds_auto"], 0)
        self.fail_with(2, "`?(--)?evidence", "train", "train.csv", "--resume", "c.bb", "--evidence", 29)


if __name__ == "__main__":
    unittest.main()

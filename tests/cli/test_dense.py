"""Networks with dense hidden layers: train --dense, and every command on its models."""

import csv
import io
import os
import signal
import time
import unittest

from support import TIMEOUT, CliTest

DATA = os.environ["BITBAYES_SHARED_DATA"]
DENSE = ("--dense", 32)


class Dense(CliTest):
    def trained(self, *options, classes=3, epochs=5):
        """m.bb of a table, tested on test.csv."""
        self.table("train.csv", classes=classes)
        self.table("test.csv", classes=classes, rows=90, seed=2)
        return self.json("train", "train.csv", "--test", "test.csv", "--epochs", epochs, "-o", "m.bb", "--force",
                         *(options or DENSE))

    def test_kinds_of_networks(self):
        for options, kind, text, weights in (
                (("--dense", 32), "dense", "6-32-3", 6 * 32 + 33 * 3),
                (("--dense", "32,16"), "dense", "6-32-16-3", 6 * 32 + 33 * 16 + 17 * 3),
                (("--dense", 32, "--tree", 5), "mixed", r"6-32-\(5x3\)-3", 6 * 32 + 33 * 15 + 15),
                (("--dense", 32, "--tree", "5,3"), "mixed", r"6-32-\(5x3x3\)-\(3x3\)-3", 6 * 32 + 33 * 45 + 45 + 9),
                (("--tree", 5), "tree", r"6x\(5x3\)x3", 6 * 15 + 15),
                (("--single",), "tree", "6x3", 18)):
            with self.subTest(text):
                result = self.trained("--preprocess", "center", *options)
                self.assertEqual((result["architecture"], result["weights"], result["classes"]), (kind, weights, 3))
                self.assertEqual(result["batch"], 1 if kind == "tree" else 30)
                self.assertRegex(self.succeed("info", "m.bb").stdout, rf"(?m)^network +{text}$")
                self.succeed("pack", "m.bb", "-o", "m.bbn", "--force", "-q")
                inside = text.replace("6", "5", 1)  # without the constant
                self.assertRegex(self.succeed("info", "m.bbn").stdout, rf"(?m)^network +{inside}$")

    def test_two_classes_have_one_output(self):
        result = self.trained("--dense", 32, "--tree", 5, "--preprocess", "center", classes=2)
        self.assertEqual(result["weights"], 6 * 32 + 33 * 5 + 5)
        self.assertLess(result["error_mean"], 0.2)
        self.assertRegex(self.succeed("info", "m.bb").stdout, r"(?m)^network +6-32-5-1$")

    def test_notes_say_what_is_learned(self):
        self.table("train.csv")
        for options, text in ((("--dense", "32,16"), "32, 16 shared hidden neurons on 6 inputs; 2 epochs, batches of "
                                                     "30 rows"),
                              (("--dense", 32, "--tree", 5, "--batch", 7),
                               "32 shared hidden neurons, 5 hidden neurons per class on 6 inputs; 2 epochs, batches "
                               "of 7 rows"),
                              (("--tree", 101), "101 hidden neurons per class on 6 inputs; 2 epochs\n"),
                              ((), "1024 shared hidden neurons on 6 inputs; 2 epochs, batches of 30 rows\n")):
            run = ("train", "train.csv", "-o", "m.bb", "--force", "--epochs", 2, "--preprocess", "center")
            self.assertIn(text, self.succeed(*run, *options).stderr)

    def test_options_that_do_not_go_together(self):
        self.table("train.csv")
        train = ("train", "train.csv")
        self.fail_with(2, "--(dense|single) excludes --(dense|single)", *train, *DENSE, "--single")
        self.fail_with(2, "--batch above 1 needs dense layers; hint: .*--dense 512", *train, "--batch", 10)
        self.fail_with(2, "--dropout needs dense layers; hint: --dense 512", *train, "--dropout", 0.2)
        self.fail_with(2, "--dropout: '1' is not a number from 0 to below 1", *train, *DENSE, "--dropout", 1)
        self.fail_with(2, "--dropout takes two numbers", *train, *DENSE, "--dropout", "0.1,0.1,0.1")
        self.fail_with(2, "--evidence is for --algorithm mfb", *train, *DENSE, "--algorithm", "backprop", "--evidence", 2)
        self.fail_with(2, "--dense: '' is not", *train, "--dense", "")
        self.fail_with(2, "--dense: '0' is not", *train, "--dense", "32,0")
        self.fail_with(2, "--batch: '0' is not", *train, *DENSE, "--batch", 0)
        self.fail_with(2, r"2\^40 weights.*--dense", *train, "--dense", "16777216,16777216")
        self.fail_with(3, "would take about .*--dense", *train, "--dense", 10_000_000, "--max-memory", "100M")
        self.fail_with(2, "did you mean --dense", *train, "--dens", 32)
        self.json(*train, "--batch", 1, "--tree", 3, "--epochs", 1)

    def test_batches_and_dropout_learn(self):
        for batch, epochs in ((1, 5), (10, 5), (100, 20), (1000, 60)):
            for more in ((), ("--dropout", "0.1,0.2")):
                with self.subTest(batch=batch, more=more):
                    result = self.trained(*DENSE, "--batch", batch, *more, epochs=epochs)
                    self.assertEqual(result["batch"], batch)
                    self.assertLess(result["error_mean"], 0.25)
                    self.assertGreater(result["nll"], 0)

    def test_threads_and_backend_do_not_change_the_bytes(self):
        self.table("train.csv", rows=330, features=30)
        for name, options in {"dense": ("--dense", "70,33"), "mixed": ("--dense", 40, "--tree", 5),
                              "row by row": ("--dense", 70, "--batch", 1),
                              "dropout": ("--dense", "70,33", "--dropout", "0.2,0.5"),
                              "backprop": ("--dense", "70,33", "--algorithm", "backprop", "--batch", 10)}.items():
            with self.subTest(name):
                run = ("train", "train.csv", "--epochs", 2, *options, "--force", "-q")
                self.succeed(*run, "--threads", 1, "-o", "a.bb")
                for k, more in enumerate((("--threads", 2), ("--threads", 5), ("--backend", "scalar"),
                                          ("--backend", "simd", "--threads", 3))):
                    self.succeed(*run, *more, "-o", "b.bb")
                    self.assertEqual(self.read("a.bb"), self.read("b.bb"), more)

    def test_eval_and_predict_agree_with_train(self):
        result = self.trained()
        again = self.json("eval", "m.bb", "test.csv")
        for key in ("architecture", "evidence", "error_map", "error_mean", "nll", "brier", "ece", "validity"):
            self.assertEqual(again[key], result[key], key)
        for mode, key in (("mean", "error_mean"), ("map", "error_map")):
            rows = list(csv.DictReader(io.StringIO(self.succeed("predict", "m.bb", "test.csv", "--mode", mode).stdout)))
            wrong = sum(row["label"] != str(k % 3) for k, row in enumerate(rows))
            self.assertAlmostEqual(wrong / 90, result[key])

    def test_packed_network_answers_as_the_model(self):
        for options in (DENSE, ("--dense", "32,16"), ("--dense", 32, "--tree", 5)):
            result = self.trained("--preprocess", "thermometer:8", *options)
            packed = self.json("pack", "m.bb", "-o", "n.bbn", "--data", "test.csv", "--force")
            self.assertEqual(packed["error_map"], result["error_map"])
            self.assertEqual(self.json("eval", "n.bbn", "test.csv")["error_map"], result["error_map"])
            answers = [[(row["label"], row["margin"]) for row in csv.DictReader(io.StringIO(
                self.succeed("predict", file, "test.csv", "--mode", "map").stdout))] for file in ("m.bb", "n.bbn")]
            self.assertEqual(*answers)

    def test_ensembles_and_abstention(self):
        self.trained("--dense", "32,16", epochs=50)
        packed = self.json("pack", "m.bb", "-o", "n.bbn", "--ensemble", 9, "--abstain", 0.15, "--data", "test.csv")
        self.assertEqual(packed["members"], 10)
        self.assertEqual(packed["bits"]["thresholds"], 32 * 10 * (32 + 16 + 3))
        self.assertLess(packed["error_accepted"], 0.15)
        self.assertEqual(self.json("eval", "n.bbn", "test.csv")["abstained"], packed["abstained"])

    def test_info(self):
        result = self.trained("--dense", 32, "--tree", 5, "--preprocess", "center", "--evidence", 0.25)
        info = self.json("info", "m.bb", "--columns")
        self.assertEqual([info["architecture"], info["weights"], info["evidence"], info["format_version"]],
                         ["6-32-(5x3)-3", result["weights"], 0.25, "5"])
        self.assertEqual([(layer["neurons"], layer["fan_in"], layer["connectivity"]) for layer in info["layers"]],
                         [(32, 6, "dense"), (15, 33, "dense"), (3, 5, "tree")])
        self.assertTrue(all(0 < layer["certainty"] <= 1 for layer in info["layers"]))
        self.assertAlmostEqual(sum(column["importance"] for column in info["columns"]), 1)

    def test_update_learns_row_by_row(self):
        self.table("train.csv")
        for more in ((), ("--algorithm", "backprop", "--learning-rate", 0.0625), ("--tree", 5)):
            run = ("train", "train.csv", *DENSE, "--batch", 1, "--no-shuffle", *more, "--force", "-q")
            if "backprop" not in more:
                run += ("--evidence", 0.25, "--polish", 0)
            self.succeed(*run, "--epochs", 1, "-o", "once.bb")
            self.succeed(*run, "--epochs", 2, "-o", "twice.bb")
            endless = () if "backprop" in more else ("--memory", "inf")
            self.succeed("update", "once.bb", "train.csv", *endless, "-o", "updated.bb", "--force", "-q")
            self.assertEqual(self.read("updated.bb"), self.read("twice.bb"))
            self.succeed("update", "once.bb", "-", *endless, "-o", "streamed.bb", "--force",
                         input=self.read("train.csv").decode())
            self.assertEqual(self.read("streamed.bb"), self.read("twice.bb"))

    def test_update_adds_classes(self):
        self.trained("--dense", 32, "--tree", 5, classes=2)
        self.table("more.csv", rows=600)
        self.fail_with(3, "class", "update", "m.bb", "more.csv", "-o", "n.bb")
        result = self.json("update", "m.bb", "more.csv", "-o", "n.bb", "--new-classes")
        self.assertEqual([result["classes"], result["architecture"]], [3, "mixed"])
        self.table("test3.csv", rows=90, seed=3)
        self.assertLess(self.json("eval", "n.bb", "test3.csv")["error_mean"], 0.2)

    def test_killed_and_resumed_gives_equal_bytes(self):
        self.table("train.csv", rows=650, features=20)
        run = ("train", "train.csv", "--dense", "64,32", "--batch", 40, "--dropout", 0.1, "--epochs", 60)
        self.succeed(*run, "-o", "whole.bb", "-q")
        process = self.start(*run, "--checkpoint", "c.bb", "--every", 350, "-o", "a.bb")
        end = time.monotonic() + TIMEOUT
        while not os.path.exists(self.path("c.bb")):
            self.assertIsNone(process.poll(), "ended before it could be stopped")
            self.assertLess(time.monotonic(), end)
            time.sleep(0.001)
        process.send_signal(signal.SIGKILL)
        process.communicate(timeout=TIMEOUT)
        self.assertFalse(os.path.exists(self.path("a.bb")))
        self.assertEqual(self.json("info", "c.bb")["checkpoint"]["sample"] % 40, 0)
        self.succeed(*run, "--resume", "c.bb", "--threads", 1, "-o", "a.bb", "-q")
        self.assertEqual(self.read("a.bb"), self.read("whole.bb"))

    def test_resume_refuses_another_network(self):
        self.table("train.csv")
        run = ("train", "train.csv", "--epochs", 2)
        self.succeed(*run, *DENSE, "--batch", 10, "--dropout", 0.1, "--checkpoint", "c.bb", "-q")
        resume = (*run, "--resume", "c.bb")
        same = ("--batch", 10, "--dropout", 0.1)
        self.fail_with(2, "--dense is 16 here but 32 in the checkpoint", *resume, "--dense", 16, *same)
        self.fail_with(2, "--batch is 30 here but 10 in the checkpoint", *resume, *DENSE, "--dropout", 0.1)
        self.fail_with(2, "--dropout is none here but 0.1 in the checkpoint", *resume, *DENSE, "--batch", 10)
        self.fail_with(2, "--tree is 5 here but single in the checkpoint", *resume, *DENSE, *same, "--tree", 5)
        self.fail_with(2, "--batch is ", *resume)  # the network is that of the checkpoint
        self.succeed("train", "train.csv", "--epochs", 3, "--resume", "c.bb", *DENSE, *same, "-q")

    def test_sparse_rows_are_learned_as_dense_ones(self):
        rows = [[(row * (j + 3) + j * j) % 5 if (row + j) % 3 == 0 else 0 for j in range(12)] for row in range(240)]
        label = [int(sum(row[:4]) > sum(row[6:10])) for row in rows]
        self.write("dense.csv", "".join(",".join(map(str, row + [y])) + "\n" for row, y in zip(rows, label)))
        self.write("sparse.svm", "".join(
            f"{y} " + " ".join(f"{j + 1}:{x}" for j, x in enumerate(row) if x) + "\n" for row, y in zip(rows, label)))
        for options in (("--dense", "24,8"), ("--dense", 24, "--tree", 3), (*DENSE, "--dropout", "0.2,0.1")):
            tables = []
            for data in ("dense.csv", "sparse.svm"):
                self.succeed("train", data, *options, "--epochs", 4, "--preprocess", "none", "-o", "m.bb", "--force", "-q")
                text = self.succeed("predict", "m.bb", data, "--proba").stdout
                tables.append(list(csv.DictReader(io.StringIO(text))))
            for one, other in zip(*tables):
                self.assertEqual(one["label"], other["label"])
                self.assertAlmostEqual(float(one["probability"]), float(other["probability"]), places=4)

    def test_class_weights_count(self):
        self.table("train.csv", rows=300)
        lines = self.read("train.csv").decode().splitlines()
        rare = [line for k, line in enumerate(lines) if k % 3 != 0 or k % 30 == 0]
        self.write("rare.csv", "\n".join(rare) + "\n")
        run = ("train", "rare.csv", *DENSE, "--epochs", 3, "-q")
        self.succeed(*run, "-o", "plain.bb")
        self.succeed(*run, "--class-weight", "balanced", "-o", "balanced.bb")
        self.assertNotEqual(self.read("plain.bb"), self.read("balanced.bb"))
        self.write("ones.csv", "0,1\n1,1\n2,1\n")
        self.succeed(*run, "--class-weight", "ones.csv", "-o", "ones.bb")
        self.assertEqual(self.read("plain.bb"), self.read("ones.bb"))

    def test_cross_validation(self):
        self.table("train.csv")
        result = self.json("train", "train.csv", *DENSE, "--epochs", 5, "--batch", 10, "--cv", 3)
        self.assertLess(result["cv"]["error_mean"]["mean"], 0.15)

    def test_backprop(self):
        result = self.trained(*DENSE, "--algorithm", "backprop", "--learning-rate", 0.05)
        self.assertEqual([result["batch"], result["evidence"], result["architecture"]], [1, None, "dense"])
        self.assertLess(result["error_mean"], 0.25)
        self.assertEqual(self.json("info", "m.bb")["layers"][0]["certainty"], None)
        self.fail_with(2, "no posterior", "pack", "m.bb", "-o", "n.bbn", "--ensemble", 3)
        self.succeed("pack", "m.bb", "-o", "n.bbn", "-q")
        self.assertEqual(self.json("eval", "n.bbn", "test.csv")["error_map"], result["error_map"])
        result = self.trained(*DENSE, "--algorithm", "backprop", "--learning-rate", 0.5, "--batch", 10)
        self.assertLess(result["error_mean"], 0.25)

    def test_diverged_weights_are_not_written(self):
        self.table("train.csv")
        self.fail_with(2, "not finite.*smaller --learning-rate", "train", "train.csv", *DENSE, "--algorithm",
                       "backprop", "--learning-rate", 1e30, "-o", "m.bb")
        self.assertFalse(os.path.exists(self.path("m.bb")))


@unittest.skipUnless(os.path.isdir(DATA), f"no data sets at {DATA}")
class RealData(CliTest):
    def test_optdigits(self):
        data = (f"{DATA}/optdigits/optdigits.tra.csv.gz", "--test", f"{DATA}/optdigits/optdigits.tes.csv.gz")
        for network in (("--dense", 32), ("--dense", "32,16"), ("--dense", 32, "--tree", 5)):
            for batch, limit in ((1, 0.15), (10, 0.15), (100, 0.15), (1000, 0.3)):
                with self.subTest(network=network, batch=batch):
                    result = self.json("train", *data, *network, "--batch", batch, "--epochs", 10)
                    self.assertLess(result["error_mean"], limit)
                    self.assertLess(result["nll"], 1)

    def test_letter_and_semeion(self):
        for name, limit in (("letter", 0.4), ("semeion", 0.2)):
            result = self.json("train", f"{DATA}/{name}/{name}.csv.gz", "--hold-out", 0.2, "--dense", "64,64")
            self.assertLess(result["error_mean"], limit)


if __name__ == "__main__":
    unittest.main()

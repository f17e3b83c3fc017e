"""bitbayes pack, and packed networks in eval, predict and info."""

import csv
import io
import json
import os
import struct
import unittest

from support import CliTest

DATA = os.environ["BITBAYES_SHARED_DATA"]


def tensors(blob):
    """Metadata and {name: (dtype, shape, bytes)} of a container, read as the documentation says."""
    length = struct.unpack("<Q", blob[:8])[0]
    header, body = json.loads(blob[8:8 + length]), blob[8 + length:]
    metadata = header.pop("__metadata__")
    return metadata, {name: (t["dtype"], t["shape"], body[slice(*t["data_offsets"])])
                      for name, t in header.items()}


class Pack(CliTest):
    def setUp(self):
        super().setUp()
        self.model()
        self.table("test.csv", rows=200, seed=9)

    def rows(self, *arguments):
        return list(csv.DictReader(io.StringIO(self.succeed("predict", *arguments).stdout)))

    def test_answers_are_those_of_the_clipped_network(self):
        self.succeed("pack", "model.bb", "-o", "net.bbn", "-q")
        expected = self.rows("model.bb", "test.csv", "--mode", "map")
        answers = self.rows("net.bbn", "test.csv")
        self.assertEqual([row.pop("known") for row in answers], ["1"] * 200)
        self.assertEqual(answers, expected)
        model, packed = (self.json("eval", name, "test.csv") for name in ("model.bb", "net.bbn"))
        self.assertEqual(packed["error_map"], model["error_map"])
        self.assertEqual(packed["n"], 200)
        for key in ("error_mean", "nll", "brier", "ece", "seconds", "error_progressive"):
            self.assertIsNone(packed[key], key)
        for key in ("classes", "class_names", "features", "samples_seen", "seed"):
            self.assertEqual(packed[key], model[key], key)
        self.assertEqual(sum(map(sum, packed["confusion"])), 200)
        wrong = 200 - sum(packed["confusion"][k][k] for k in range(3))
        self.assertAlmostEqual(packed["error_map"], wrong / 200)

    def test_the_file_is_what_the_documentation_says(self):
        """Recomputes the whole network from the file alone."""
        self.write("bits.csv", "".join(
            f"{a},{b},{c},7,{int(a + b + c > 1)}\n" for a in (0, 1) for b in (0, 1) for c in (0, 1)) * 9)
        self.succeed("train", "bits.csv", "-o", "bits.bb", "--tree", 5, "--epochs", 3, "-q")
        self.succeed("pack", "bits.bb", "-o", "bits.bbn", "-q")
        metadata, held = tensors(self.read("bits.bbn"))
        self.assertEqual(metadata["column_type"], "bit")
        column = struct.unpack("<3i", held["inputs.column"][2])
        self.assertEqual(column, (0, 1, 2))
        threshold = struct.unpack("<5i", held["member0.layer1.threshold"][2])
        bits = [held[f"member0.layer{l}.bits"][2] for l in (1, 2)]
        self.assertEqual(held["member0.layer1.bits"][1], [5, 1])

        def weight(row, j):
            return 1 if row >> j & 1 else -1

        answers = self.rows("bits.bbn", "bits.csv")
        for line, answer in zip(self.read("bits.csv").decode().splitlines(), answers):
            x = [int(cell) for cell in line.split(",")]
            hidden = [1 if sum(weight(bits[0][i], j) * x[j] for j in range(3)) >= threshold[i] else -1
                      for i in range(5)]
            score = sum(weight(bits[1][0], i) * hidden[i] for i in range(5))
            self.assertEqual(answer["label"], "1" if score >= 0 else "0")
            self.assertEqual(float(answer["margin"]), abs(score))

    def test_quantised_columns_are_reported(self):
        done = self.json("pack", "model.bb", "-o", "net.bbn", "--data", "test.csv")
        self.assertTrue(done["quantised"])
        self.assertEqual(done["column_type"], "i16")
        self.assertGreater(done["comparators"], 0)
        self.assertLess(abs(done["error_unquantised"] - done["error_map"]), 0.02)
        self.assertEqual(done["error_map"], self.json("eval", "net.bbn", "test.csv")["error_map"])
        self.assertEqual(done["bytes"], len(self.read("net.bbn")))
        text = self.succeed("pack", "model.bb", "-o", "b.bbn", "--data", "test.csv").stdout
        self.assertRegex(text, r"error, real columns .*\nerror, quantised ")
        note = self.succeed("pack", "model.bb", "-o", "c.bbn").stderr
        self.assertIn("--data", note)

    def test_abstain(self):
        all_rows = self.json("pack", "model.bb", "-o", "a.bbn", "--data", "test.csv")
        rate = all_rows["error_map"] / 2
        self.assertGreater(rate, 0)
        done = self.json("pack", "model.bb", "-o", "b.bbn", "--data", "test.csv", "--abstain", rate)
        self.assertGreater(done["abstain_below"], 0)
        self.assertLess(done["error_accepted"], rate)
        self.assertTrue(0 < done["abstained"] < 1)
        self.assertEqual(done["error_map"], all_rows["error_map"])
        again = self.json("eval", "b.bbn", "test.csv")
        self.assertEqual(again["abstained"], done["abstained"])
        rows = self.rows("b.bbn", "test.csv")
        for row in rows:
            self.assertEqual(row["known"] == "1", float(row["margin"]) >= done["abstain_below"])
        self.assertAlmostEqual(sum(row["known"] == "0" for row in rows) / 200, done["abstained"])
        self.fail_with(2, "--data", "pack", "model.bb", "-o", "c.bbn", "--abstain", "0.1")
        self.fail_with(2, "between 0 and 1", "pack", "model.bb", "-o", "c.bbn", "--data", "test.csv",
                       "--abstain", "2")
        self.assertFalse(os.path.exists(self.path("c.bbn")))

    def test_no_margin_may_suffice(self):
        self.write("wrong.csv", "".join(
            line[:-1] + str((int(line[-1]) + 1) % 3) + "\n" for line in self.read("test.csv").decode().splitlines()))
        self.fail_with(3, "no margin", "pack", "model.bb", "-o", "c.bbn", "--data", "wrong.csv", "--abstain", "0.01")

    def test_committee(self):
        one = self.json("pack", "model.bb", "-o", "one.bbn", "--ensemble", 4, "--data", "test.csv")
        self.assertEqual(one["members"], 5)
        self.assertEqual(one["weights"], 5 * sum(layer["weights"] for layer in one["layers"]))
        self.succeed("pack", "model.bb", "-o", "two.bbn", "--ensemble", 4, "--seed", 1, "-q")
        self.assertEqual(self.read("one.bbn"), self.read("two.bbn"), "the model's seed is 1")
        self.succeed("pack", "model.bb", "-o", "three.bbn", "--ensemble", 4, "--seed", 2, "-q")
        self.assertNotEqual(self.read("one.bbn"), self.read("three.bbn"))
        self.assertEqual(one["error_one_network"], self.json("eval", "model.bb", "test.csv")["error_map"])
        info = self.json("info", "one.bbn")
        self.assertEqual([info["committee"], info["format_version"]], ["adds", "3"])
        self.assertIn("5, which add scores", self.succeed("info", "one.bbn").stdout)

    def test_committee_that_abstains(self):
        packed = self.json("pack", "model.bb", "-o", "net.bbn", "--ensemble", 2, "--data", "test.csv", "--abstain", 0.02)
        self.assertGreater(packed["abstain_below"], 0)
        self.assertLess(packed["error_accepted"], 0.02)
        evaluated = self.json("eval", "net.bbn", "test.csv")
        for key in ("error_map", "validity", "abstained", "error_accepted"):
            self.assertEqual(evaluated[key], packed[key])
        rows = self.rows("net.bbn", "test.csv")
        for row in rows:
            self.assertEqual(row["known"] == "1", float(row["margin"]) >= packed["abstain_below"])
        self.assertGreater(max(float(row["margin"]) for row in rows), 6, "more than three votes differ by")

    def test_same_bytes_again(self):
        for name in ("a.bbn", "b.bbn"):
            self.succeed("pack", "model.bb", "-o", name, "--threads", 1 + (name == "b.bbn"), "-q")
        self.assertEqual(self.read("a.bbn"), self.read("b.bbn"))

    def test_info(self):
        self.succeed("pack", "model.bb", "-o", "net.bbn", "-q")
        info = self.json("info", "net.bbn")
        self.assertEqual(info["members"], 1)
        self.assertEqual(info["weights"], sum(layer["weights"] for layer in info["layers"]))
        self.assertEqual(info["format_version"], "3")
        self.assertEqual(info["inputs"], info["comparators"])
        self.assertIsNone(info["committee"])
        text = self.succeed("info", "net.bbn").stdout
        self.assertIn("one bit each", text)
        self.assertIn("validity             1 if exactly one score is 0 or more, else 0\n", text)

    def test_info_of_dense_layers(self):
        corpus = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "fuzz", "corpus", "packed")
        for name, architecture, layers in (("dense", "5-64-9-3", "dense dense dense"),
                                           ("dense_trees", "5-5-3-1", "dense dense tree")):
            info = self.json("info", os.path.join(corpus, name))
            self.assertEqual(info["architecture"], architecture)
            self.assertEqual(" ".join(layer["connectivity"] for layer in info["layers"]), layers)
            self.assertEqual(info["format_version"], "2")
            thresholds = sum(layer["neurons"] for layer in info["layers"] if layer["connectivity"] == "dense")
            self.assertEqual(info["bits"]["thresholds"], 32 * thresholds * info["members"])

    def test_names_stay_in_their_line(self):
        self.write("names.csv", "".join(f'{k % 2},{k},"a\nb\x1b{k % 2}"\n' for k in range(20)))
        self.succeed("train", "names.csv", "-o", "m.bb", "--tree", 3, "-q")
        self.succeed("pack", "m.bb", "-o", "n.bbn", "-q")
        for file in ("m.bb", "n.bbn"):
            self.assertIn("classes              2: a\\nb\\x1b0 a\\nb\\x1b1\n", self.succeed("info", file).stdout)

    def test_missing_values_and_streams(self):
        self.table("gaps.csv", rows=40, seed=3, missing=0.2)
        self.succeed("pack", "model.bb", "-o", "net.bbn", "-q")
        expected = self.rows("model.bb", "gaps.csv", "--mode", "map")
        answers = self.rows("net.bbn", "gaps.csv")
        for answer, other in zip(answers, expected):
            answer.pop("known")
            self.assertEqual(answer, other)
        stream = self.succeed("predict", "net.bbn", "-", input=self.read("gaps.csv").decode()).stdout
        self.assertEqual(stream, self.succeed("predict", "net.bbn", "gaps.csv").stdout)
        self.succeed("predict", "net.bbn", "gaps.csv", "-o", "out.jsonl")
        first = json.loads(self.read("out.jsonl").decode().splitlines()[0])
        self.assertEqual(set(first), {"label", "probability", "validity", "margin", "known"})

    def test_mistakes(self):
        self.succeed("pack", "model.bb", "-o", "net.bbn", "-q")
        self.fail_with(6, "exists", "pack", "model.bb", "-o", "net.bbn")
        self.succeed("pack", "model.bb", "-o", "net.bbn", "-q", "--force")
        self.fail_with(2, "packed already", "pack", "net.bbn", "-o", "again.bbn")
        self.fail_with(2, "no mean", "predict", "net.bbn", "test.csv", "--mode", "mean")
        self.succeed("predict", "net.bbn", "test.csv", "--mode", "map")
        self.fail_with(4, "packed network", "update", "net.bbn", "test.csv", "-o", "next.bb")
        self.fail_with(2, "--output", "pack", "model.bb")
        self.fail_with(2, "replace an input", "pack", "model.bb", "-o", "model.bb", "--force")
        self.fail_with(2, "--ensemble", "pack", "model.bb", "-o", "x.bbn", "--seed", 3)
        self.fail_with(2, "whole number", "pack", "model.bb", "-o", "x.bbn", "--ensemble", 0)
        self.table("narrow.csv", rows=9, features=2)
        self.fail_with(3, "columns", "eval", "net.bbn", "narrow.csv")
        self.write("cut.bbn", self.read("net.bbn")[:-1])
        for command in (["info", "cut.bbn"], ["eval", "cut.bbn", "test.csv"], ["predict", "cut.bbn", "test.csv"]):
            self.fail_with(4, "cut.bbn", *command)
        self.succeed("train", "train.csv", "-o", "back.bb", "--algorithm", "backprop", "--epochs", 1, "-q")
        self.succeed("pack", "back.bb", "-o", "back.bbn", "-q")
        self.fail_with(2, "posterior", "pack", "back.bb", "-o", "x.bbn", "--ensemble", 3)

    def test_one_threshold_survives_an_outlier(self):
        """A column that is mostly 0 has one threshold; only the side of the threshold counts, whatever the largest value is."""
        lines = [",".join("0.002" if row % 7 == k else "0" for k in range(5)) + f",{int(row % 7 < 5)}" for row in range(700)]
        self.write("rare.csv", "\n".join(["1102,1102,1102,1102,1102,1"] + lines) + "\n")
        self.succeed("train", "rare.csv", "-o", "rare.bb", "--tree", 5, "-q")
        done = self.json("pack", "rare.bb", "-o", "rare.bbn", "--data", "rare.csv")
        self.assertEqual(done["error_map"], done["error_unquantised"])
        self.assertLess(done["error_map"], 0.05)

    def test_large_margins_keep_their_digits(self):
        self.write("large.csv", "".join(f"{30000 if k % 2 else -30000},{29000 + k},{k % 2}\n" for k in range(40)))
        self.succeed("train", "large.csv", "-o", "l.bb", "--single", "--preprocess", "none", "-q")
        self.succeed("pack", "l.bb", "-o", "l.bbn", "-q")
        for row in self.rows("l.bbn", "large.csv"):
            self.assertRegex(row["margin"], r"^\d+$")
        first = self.json("predict", "l.bbn", "large.csv")["predictions"][0]
        self.assertIsInstance(first["margin"], int)

    def test_indices_unknown_to_the_model_are_counted(self):
        self.write("sparse.libsvm", "".join(f"{k % 2} 1:{k % 2} 3:1 {4 + k % 3}:1\n" for k in range(40)))
        self.write("wide.libsvm", "1 1:1 3:1 9:4 12:5\n0 3:1 100:2\n")
        self.succeed("train", "sparse.libsvm", "-o", "s.bb", "--tree", 3, "-q")
        self.succeed("pack", "s.bb", "-o", "s.bbn", "-q")
        for network in ("s.bb", "s.bbn"):
            for command in ("eval", "predict"):
                self.assertIn("3 values of indices above 6, unknown to the model, ignored",
                              self.succeed(command, network, "wide.libsvm").stderr)
            self.fail_with(3, "columns", "predict", network, self.write("few.csv", "1,2,3,0\n"))
        self.assertIn("3 values of indices", self.succeed(
            "train", "sparse.libsvm", "--test", "wide.libsvm", "--tree", 3).stderr)

    def test_nothing_varies(self):
        self.write("flat.csv", "5,a\n5,b\n" * 4)
        self.succeed("train", "flat.csv", "-o", "flat.bb", "--tree", 3, "-q")
        self.fail_with(2, "nothing to pack", "pack", "flat.bb", "-o", "flat.bbn")


@unittest.skipUnless(os.path.isdir(DATA), f"{DATA} is not there")
class Real(CliTest):
    def test_column_types(self):
        for data, column_type, more in (
                ("semeion/semeion.csv.gz", "bit", []),
                ("optdigits/optdigits.tra.csv.gz", "u8", []),
                ("optdigits/optdigits.tra.csv.gz", "u8", ["--preprocess", "thermometer:4"]),
                ("spambase/spambase.csv.gz", "i16", []),
                ("magic-wand-digits/magic-wand-digits.csv.gz", "i8", []),
                ("a9a/a9a.t.libsvm.gz", "bit", []),
                ("ocr-letters/ocr-test-images-idx3-ubyte.gz,{}/ocr-letters/ocr-test-labels-idx1-ubyte.gz", "u8", [])):
            path = f"{DATA}/{data}".format(DATA)
            self.succeed("train", path, "-o", "m.bb", "--tree", 9, "--epochs", 1, "-q", "--force", *more)
            packed = self.json("pack", "m.bb", "-o", "n.bbn", "--data", path, "--force", "-q")
            self.assertEqual(packed["column_type"], column_type, data)
            model, net = self.json("eval", "m.bb", path), self.json("eval", "n.bbn", path)
            self.assertEqual(net["error_map"], model["error_map"], data)
            if packed["quantised"]:
                self.assertLess(abs(packed["error_unquantised"] - net["error_map"]), 0.003, data)

    def test_teacher(self):
        self.succeed("train", "teacher:9", "-o", "t.bb", "--tree", 9, "-q")
        packed = self.json("pack", "t.bb", "-o", "t.bbn", "--data", "teacher:9")
        self.assertEqual(packed["column_type"], "sign")
        self.assertEqual(packed["error_map"], self.json("eval", "t.bb", "teacher:9")["error_map"])


if __name__ == "__main__":
    unittest.main()

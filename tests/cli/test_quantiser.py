"""What enters the clipped network: formats of files, values far beyond training, a budget of inputs."""

import csv
import io
import json
import struct
import unittest

from support import CliTest


class Quantiser(CliTest):
    def setUp(self):
        super().setUp()
        self.model()

    def answers(self, network, data):
        return list(csv.DictReader(io.StringIO(self.succeed("predict", network, data, "-q").stdout)))

    def test_formats(self):
        self.assertEqual(self.json("info", "model.bb")["format_version"], "5")
        self.write("whole.csv", "".join(f"{r * 7 % 11},{r % 5},{r % 2}\n" for r in range(60)))
        train = ("train", "whole.csv", "--tree", 3, "--epochs", 2, "-q")
        self.succeed(*train, "-o", "whole.bb")
        self.assertEqual(self.json("info", "whole.bb")["format_version"], "3", "no real columns")
        self.succeed("train", "train.csv", "--tree", 3, "--epochs", 2, "--preprocess", "standardize", "-o", "std.bb", "-q")
        self.assertEqual(self.json("info", "std.bb")["format_version"], "3")
        self.succeed("train", "train.csv", "--tree", 3, "--epochs", 2, "--members", 2, "-o", "two.bb", "-q")
        info = self.json("info", "two.bb")
        self.assertEqual((info["format_version"], info["members"]), ("4", 2))
        self.assertEqual(self.json("eval", "two.bb", "train.csv")["n"], 300)

    def test_resumed_runs_end_with_the_same_bytes(self):
        train = ("train", "train.csv", "--tree", 3, "--thermometer-budget", 9, "-q")
        self.succeed(*train, "--epochs", 4, "-o", "whole.bb")
        self.succeed(*train, "--epochs", 2, "--evidence", self.json("info", "whole.bb")["evidence"], "--checkpoint", "c.bb")
        self.succeed(*train, "--epochs", 4, "--resume", "c.bb", "-o", "resumed.bb")
        self.assertEqual(self.read("whole.bb"), self.read("resumed.bb"))
        self.fail_with(2, "--thermometer-budget", "train", "train.csv", "--tree", 3, "--epochs", 4, "--resume", "c.bb", "-o", "n.bb")

    def test_steps_are_powers_of_two(self):
        self.succeed("pack", "model.bb", "-o", "net.bbn", "-q")
        blob = self.read("net.bbn")
        length = struct.unpack("<Q", blob[:8])[0]
        header, body = json.loads(blob[8:8 + length]), blob[8 + length:]
        self.assertEqual((header["__metadata__"]["quantiser"], header["__metadata__"]["format_version"]), ("binary", "3"))
        origin, step = (struct.unpack("<5d", body[slice(*header[f"columns.{name}"]["data_offsets"])]) for name in ("origin", "step"))
        for o, s in zip(origin, step):
            self.assertEqual((s.hex()[:4], o % s), ("0x1.", 0))
            self.assertEqual(s.hex().split("p")[0].strip("0x1."), "")

    def test_values_far_beyond_training(self):
        self.succeed("pack", "model.bb", "-o", "net.bbn", "-q")
        rows = self.read("train.csv").decode().split()[:4]
        self.write("rows.csv", "\n".join([*rows, "1e6," + rows[0].split(",", 1)[1]]) + "\n")
        known = [row["known"] for row in self.answers("net.bbn", "rows.csv")]
        self.assertEqual(known, ["1"] * 4 + ["0"])
        self.assertRegex(self.succeed("predict", "net.bbn", "rows.csv").stderr, "1 row with a value far beyond")
        result = self.json("eval", "net.bbn", "rows.csv")
        self.assertEqual((result["outside"], result["abstained"]), (1, 0.2))
        self.assertEqual(self.json("eval", "net.bbn", "train.csv")["outside"], 0)

    def test_budget(self):
        train = ("train", "train.csv", "--tree", 11, "--evidence", 1, "--epochs", 2)
        few = self.json(*train, "--thermometer-budget", 7)
        self.assertEqual(few["inputs"], 8)
        self.assertEqual(self.json(*train)["inputs"], 41)
        self.assertEqual(self.json(*train, "--thermometer-budget", 0)["inputs"], 41)
        self.fail_with(2, "--thermometer-budget", *train, "--preprocess", "center", "--thermometer-budget", 7)
        self.fail_with(2, "thermometer-budget", *train, "--thermometer-budget", -1)
        self.succeed(*train, "--thermometer-budget", 2, "-o", "few.bb", "-q")
        self.succeed("pack", "few.bb", "-o", "few.bbn", "-q")
        self.assertEqual(self.json("info", "few.bbn")["inputs"], 2)
        by_map = self.json("eval", "few.bb", "train.csv")["error_map"]
        self.assertEqual(self.json("eval", "few.bbn", "train.csv")["error_map"], by_map)


if __name__ == "__main__":
    unittest.main()

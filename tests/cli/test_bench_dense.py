"""bitbayes bench train --dense, and the BinaryNet in PyTorch that it compares with: keys, and how the figures follow from
each other; no speed is checked."""

import json
import os
import struct
import subprocess
import unittest

from support import CliTest

PYTHON = "/usr/bin/python3"
SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../bench/binarynet.py")
DENSE = ("bench", "train", "--dense", "24,16", "--slices", 2, "--slice-ms", 2, "-q")
NO_TORCH = "raise ImportError('not today')"


def write_idx(path, shape, values):
    with open(path, "wb") as file:
        file.write(struct.pack(f">4B{len(shape)}I", 0, 0, 8, len(shape), *shape) + bytes(values))


class DenseTest(CliTest):
    def environment(self, torch=None):
        """`torch` is the text of a module that stands in for PyTorch."""
        os.makedirs(self.path("modules"), exist_ok=True)
        if torch is not None:
            self.write("modules/torch.py", torch)
        return dict(os.environ, BITBAYES_DATA=self.path("data"), PYTHONPATH=self.path("modules"))

    def write_mnist(self):
        """The four files with a few images, which show their class as a bright row."""
        folder = self.path("data/mnist")
        os.makedirs(folder)
        for split, rows in (("train", 500), ("t10k", 100)):
            labels = [r % 10 for r in range(rows)]
            pixels = [200 if p // 56 == label else (p * 7 + r) % 30
                      for r, label in enumerate(labels) for p in range(784)]
            write_idx(f"{folder}/{split}-images-idx3-ubyte", (rows, 28, 28), pixels)
            write_idx(f"{folder}/{split}-labels-idx1-ubyte", (rows,), labels)
        return folder


class Figures(DenseTest):
    def test_figures(self):
        result = self.json(*DENSE, "--batch", 10, env=self.environment(NO_TORCH))
        self.assertEqual((result["dense"], result["batch"]), ([24, 16], 10))
        layers = [785 * 24, 25 * 16, 17 * 10]
        self.assertEqual(result["weights"], sum(layers))
        self.assertEqual(result["fma_per_sample"], 3 * layers[0] + 4 * (layers[1] + layers[2]))
        cores = len(os.sched_getaffinity(0))
        self.assertEqual([row["threads"] for row in result["rows"]], sorted({1, cores}))
        for row in result["rows"]:
            seconds = 1e-9 * row["ns_per_weight"] * result["weights"]
            self.assertAlmostEqual(row["samples_per_second"] * seconds, 1)
            self.assertAlmostEqual(row["epoch_seconds"], 60000 * seconds)
            self.assertAlmostEqual(row["fma_peak_share"],
                                   result["fma_per_sample"] / (1e9 * seconds * row["fma_per_ns"]))
            self.assertTrue(0 < row["fma_peak_share"] and 0 < row["fma_per_ns"] < 250 * row["threads"])
        one, everything = result["rows"][0], result["rows"][-1]
        for key in ("ns_per_weight", "fma_peak_share"):
            self.assertEqual((result[key], result[key + "_all_threads"]), (one[key], everything[key]))
        for key in ("samples_per_second", "epoch_seconds", "threads"):
            self.assertEqual(result[key], everything[key])
        self.assertIn(result["simd_level"], ("avx512", "avx2", "neon", "scalar"))
        self.assertTrue(result["cpu"] and result["version"] and result["compiler"] and "flags" in result)
        self.assertEqual(result["torch_missing"], "not today")
        for key in ("torch_epoch_seconds", "speedup_vs_torch", "torch_version", "seconds_to_3_percent",
                    "seconds_to_3_percent_mean", "torch_seconds_to_3_percent", "seconds_missing"):
            self.assertIsNone(result[key])

    def test_table(self):
        text = self.succeed(*DENSE, "--until-error", env=self.environment(NO_TORCH)).stdout
        self.assertIn("785-24-16-10, batch 100, level: ", text)
        self.assertRegex(text, r"(?m)^learn +1 +\d+\.\d+ +\d+\.\d % +\d+ +\d+\.\d\d$")
        self.assertIn("no PyTorch to compare with: not today", text)
        self.assertRegex(text, r"(?m)^no training until 3 % test error: mnist: not in .*bitbayes fetch mnist")

    def test_until_error(self):
        self.write_mnist()
        result = self.json(*DENSE, "--batch", 10, "--until-error", env=self.environment(NO_TORCH))
        self.assertGreater(result["seconds_to_3_percent"], 0)
        self.assertGreater(result["seconds_to_3_percent_mean"], 0)
        self.assertIsNone(result["torch_seconds_to_3_percent"])
        self.assertIsNone(result["seconds_missing"])

    def test_usage(self):
        self.fail_with(2, "bench infer takes no --dense", "bench", "infer", "--dense", 8)
        for option in (("--batch", 10), ("--until-error",)):
            self.fail_with(2, "are for dense networks", "bench", "train", *option)
        self.fail_with(2, "--dense: 'x' is not a whole number", "bench", "train", "--dense", "8,x")
        self.fail_with(2, "--batch: '0' is not a whole number", "bench", "train", "--dense", 8, "--batch", 0)


class Torch(DenseTest):
    def binarynet(self, *arguments):
        """What the script says; skips without PyTorch."""
        words = [PYTHON, SCRIPT, "--layers", "784,24,10", *map(str, arguments)]
        try:
            done = subprocess.run(words, capture_output=True, text=True, timeout=self.timeout)
        except FileNotFoundError as error:
            self.skip(str(error))
        self.assertEqual(done.returncode, 0, done.stderr)
        result = json.loads(done.stdout.splitlines()[-1])
        if "missing" in result:
            self.skip(result["missing"])
        return result

    def skip(self, reason):
        print("without PyTorch:", reason)
        self.skipTest(reason)

    def test_speed(self):
        result = self.binarynet("--slices", 3, "--slice-seconds", 0.01, "--threads", 1)
        self.assertTrue(0 < result["best_epoch_seconds"] <= result["epoch_seconds"])
        self.assertEqual(result["threads"], 1)
        self.assertTrue(result["version"])

    def test_until(self):
        folder = self.write_mnist()
        until = ("--batch", 10, "--data", folder, "--until")
        result = self.binarynet(*until, 0.03)
        self.assertEqual([result["seconds"], True], [result["history"][-1][0], result["history"][-1][1] <= 0.03])
        self.assertTrue(all(error > 0.03 for _, error in result["history"][:-1]))
        never = self.binarynet(*until, -1, "--limit", 0.001)
        self.assertIsNone(never["seconds"])
        self.assertEqual(len(never["history"]), 1)

    def test_same_run(self):
        self.binarynet("--slices", 1, "--slice-seconds", 0.001)
        self.write_mnist()
        result = self.json(*DENSE, "--batch", 10, "--until-error", env=self.environment())
        self.assertAlmostEqual(result["speedup_vs_torch"], result["torch_epoch_seconds"] / result["epoch_seconds"])
        self.assertTrue(result["torch_version"])
        self.assertGreater(result["torch_seconds_to_3_percent"], 0)
        online = self.json(*DENSE, "--batch", 1, env=self.environment())
        self.assertIn("batch norm", online["torch_missing"])
        self.assertIsNone(online["speedup_vs_torch"])


if __name__ == "__main__":
    unittest.main()

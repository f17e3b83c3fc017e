"""bitbayes bench: keys and plausibility of its figures; the only speeds checked are BackProp against MFB and packed
networks against the mean network."""

import os
import unittest

from support import CliTest

QUICK = ("bench", "train", "--slice-ms", 2, "-q")
FAN_INS = [16, 64, 301, 785, 4096]


class Bench(CliTest):
    def setUp(self):
        super().setUp()
        self.levels = [entry["name"].removeprefix("simd ")
                       for entry in self.json("backends")["backends"]
                       if entry["available"] and entry["name"] != "cuda"]
        if self.levels == ["scalar"]:
            self.skipTest("takes minutes without SIMD")

    def test_train(self):
        levels = self.levels
        result = self.json(*QUICK, "--slices", 1)
        rows = {(row["name"], row["level"], row["fan_in"], row["update_share"], row["threads"], row["trees"]):
                row["ns_per_weight"] for row in result["rows"]}
        self.assertEqual(len(rows), len(result["rows"]))
        self.assertTrue(all(ns > 0 for ns in rows.values()))
        for fan_in in FAN_INS:
            for level in levels:
                for share in (1, 0.5, 0.1):
                    self.assertIn(("learn", level, fan_in, share, 1, 1), rows)
            for level in ["core", *levels]:
                self.assertIn(("learn", level, fan_in, 1, 1, 1), rows)
                self.assertIn(("forward", level, fan_in, 0, 1, 1), rows)
            for level in levels:
                self.assertIn(("backprop", level, fan_in, 1, 1, 1), rows)
        for level in levels:
            self.assertIn(("sure", level, 785, 1, 1, 1), rows)

        level, cores = result["simd_level"], len(os.sched_getaffinity(0))
        for trees in (1, 10):
            for threads in {1, min(2, cores), cores}:
                self.assertIn(("network", level, 785, 1, threads, trees), rows)

        ns = rows["learn", level, 785, 1, 1, 1]
        self.assertEqual(result["ns_per_weight"], ns)
        self.assertAlmostEqual(result["speedup_vs_core"] * ns, rows["learn", "core", 785, 1, 1, 1])
        self.assertEqual(result["backprop_ns_per_weight"], rows["backprop", level, 785, 1, 1, 1])
        self.assertAlmostEqual(result["backprop_vs_mfb"] * ns, result["backprop_ns_per_weight"])
        self.assertEqual(list(result["fma_per_ns_by_level"]), levels)
        self.assertEqual(result["fma_per_ns"], result["fma_per_ns_by_level"][level])
        self.assertTrue(all(0 < rate < 100 for rate in result["fma_per_ns_by_level"].values()))
        floats_per_ns = {"avx512": 16, "avx2": 8, "neon": 4, "scalar": 1}[level] * result["fma_per_ns"]
        self.assertAlmostEqual(result["fma_slots_per_16_weights"], ns * floats_per_ns)
        self.assertAlmostEqual(result["fma_slots_per_16_weights_sure"],
                               rows["sure", level, 785, 1, 1, 1] * floats_per_ns)
        self.assertTrue(result["cpu"] and result["compiler"])
        for key, trees in (("thread_scaling", 10), ("thread_scaling_one_tree", 1)):
            if cores == 1:
                self.assertIsNone(result[key])
            else:
                self.assertAlmostEqual(result[key] * rows["network", level, 785, 1, 2, trees],
                                       rows["network", level, 785, 1, 1, trees])

    def test_backprop_is_not_slower_than_mfb(self):
        # About 0.1. Another process may take the whole of a short slice, hence three tries.
        for _ in range(3):
            ratio = self.json(*QUICK, "--slices", 3)["backprop_vs_mfb"]
            if ratio < 1:
                break
        self.assertLess(ratio, 1)

    def test_table(self):
        text = self.succeed(*QUICK, "--slices", 1).stdout
        self.assertRegex(text, r"(?m)^learn +core +785 +100 % +1 +1 +\d+\.\d+ +-$")
        self.assertRegex(text, r"(?m)^forward +scalar +4096 +0 % +1 +1 +\d+\.\d+ +\d+\.\d+$")
        self.assertRegex(text, r"(?m)^backprop +scalar +785 +100 % +1 +1 +\d+\.\d+ +\d+\.\d+$")
        self.assertRegex(text, r"FMA slots per 16 weights")
        self.assertRegex(text, r"(?m)^sure weights: \d+\.\d+ ns per weight, \d+\.\d FMA slots per 16 weights$")
        self.assertRegex(text, r"(?m)^BackProp: \d+\.\d+ ns per weight, \d+\.\d\d of the time of MFB-BackProp$")


INFER = ("bench", "infer", "--slices", 2, "--slice-ms", 2, "-q")


class Infer(CliTest):
    def environment(self, torch=None, **more):
        """Without MNIST; `torch` is the text of a module that stands in for PyTorch."""
        os.makedirs(self.path("modules"), exist_ok=True)
        if torch is not None:
            self.write("modules/torch.py", torch)
        return dict(os.environ, BITBAYES_DATA=self.path("nothing"), PYTHONPATH=self.path("modules"), **more)

    def speeds(self, result):
        return {(row["name"], row["batch"]): row["images_per_second"] for row in result["rows"]}

    def test_figures(self):
        result = self.json(*INFER, env=self.environment())
        speed = self.speeds(result)
        self.assertTrue(all(figure > 0 for figure in speed.values()))
        own = {("packed u8", 1000), ("packed u8", 1), ("packed bit", 1000), ("packed bit", 1), ("mean", 50)}
        self.assertEqual(set(speed) - {("torch", 1000)}, own)
        self.assertAlmostEqual(result["packed_vs_mean"], speed["packed u8", 1000] / speed["mean", 50])
        self.assertGreater(result["packed_vs_mean"], 2)  # about 60 with AVX-512, 15 in plain loops
        self.assertEqual(result["weight_bytes"], {"float32": 4 * 3010 * 785, "packed": 3010 * 785 // 8 + 1})
        self.assertAlmostEqual(result["weight_bytes_ratio"], 32, places=3)
        self.assertEqual((result["network"], result["data"]), ("random", "synthetic"))
        self.assertIn(result["simd_level"], ("avx512", "avx2", "neon", "scalar"))
        if result["torch_missing"] is None:
            torch = speed["torch", 1000]
            self.assertTrue(result["torch_version"])
            self.assertAlmostEqual(result["packed_vs_torch"], speed["packed u8", 1000] / torch)
            self.assertAlmostEqual(result["packed_bit_vs_torch"], speed["packed bit", 1000] / torch)
        else:
            self.assertNotIn(("torch", 1000), speed)
            self.assertIsNone(result["packed_vs_torch"])

    def test_without_torch(self):
        for module, reason in (("raise ImportError('not today')", "not today"),
                               ("raise SystemError('broken')", "broken")):
            result = self.json(*INFER, env=self.environment(module))
            self.assertIn(reason, result["torch_missing"])
            for key in ("torch_version", "packed_vs_torch", "packed_bit_vs_torch"):
                self.assertIsNone(result[key])

    def test_table(self):
        text = self.succeed(*INFER, env=self.environment("raise ImportError('not today')")).stdout
        self.assertIn(" rows/s   us per row ", text)
        self.assertIn("data: synthetic (MNIST was not fetched)", text)
        self.assertRegex(text, r"(?m)^packed u8 +1000 +\d+ +\d+\.\d\d +-$")
        self.assertRegex(text, r"(?m)^packed bit +1 +\d+ +\d+\.\d\d +-$")
        self.assertIn("no PyTorch to compare with: not today", text)
        self.assertIn("weights: 9451400 bytes as float32, 295357 packed: 32.0 times fewer", text)

    def test_own_network(self):
        self.succeed("pack", self.model(), "-o", "net.bbn")
        environment = self.environment("raise ImportError('not today')", BITBAYES_SIMD="scalar")
        result = self.json(*INFER, "net.bbn", "train.csv", env=environment)
        speed = self.speeds(result)
        self.assertEqual((result["network"], result["data"]), ("net.bbn", "train.csv"))
        (name, batch), *others = speed
        self.assertTrue(name.startswith("packed "))
        self.assertEqual(batch, 300)
        self.assertEqual(others, [(name, 1), ("mean", 50)])
        self.assertAlmostEqual(result["weight_bytes_ratio"], 32, delta=0.2)
        self.assertIn(result["simd_level"], ("scalar", "neon"))  # NEON is all that AArch64 has

    def test_usage(self):
        self.fail_with(2, "NET without DATA", "bench", "infer", "net.bbn")
        self.fail_with(2, "takes no NET", "bench", "train", "net.bbn", "train.csv")
        self.fail_with(6, "net.bbn", "bench", "infer", "net.bbn", "train.csv")
        self.fail_with(5, "BITBAYES_SIMD=mmx cannot run", "bench", "infer", env=self.environment(BITBAYES_SIMD="mmx"))


if __name__ == "__main__":
    unittest.main()

"""bitbayes bench: the keys and the sense of its figures, not the speed, but for BackProp beside MFB."""

import os
import unittest

from support import CliTest

QUICK = ("bench", "train", "--slice-ms", 2, "-q")
FAN_INS = [16, 64, 301, 785, 4096]


class Bench(CliTest):
    def setUp(self):
        super().setUp()
        self.levels = [entry["name"].removeprefix("simd ")
                       for entry in self.json("backends")["backends"] if entry["available"]]
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
        self.assertAlmostEqual(result["fma_slots_per_16_weights"], 16 * ns * result["fma_per_ns"])
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
        self.assertRegex(text, r"(?m)^BackProp: \d+\.\d+ ns per weight, \d+\.\d\d of the time of MFB-BackProp$")


if __name__ == "__main__":
    unittest.main()

"""export c --learn and update --like-device: the device's arithmetic, from the command line."""

import os
import subprocess
import unittest

from support import CliTest, ERROR_LINE

DATA = os.environ["BITBAYES_SHARED_DATA"]


class Learn(CliTest):
    def small(self, *options):
        self.table("train.csv")
        self.table("more.csv", seed=2)
        self.succeed("train", "train.csv", *options, "--epochs", 1, "--polish", 0, "-o", "model.bb", "-q", "--force")

    def refused(self, *arguments, words):
        done = self.run_cli(*arguments)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertRegex(done.stderr, ERROR_LINE)
        self.assertIn(words, done.stderr)
        self.assertFalse(os.path.exists(self.path("out")))

    def test_export_is_verified(self):
        for options in (("--tree", 5), ("--single",), ("--tree", 4, "--preprocess", "center", "--no-bias")):
            with self.subTest(options=options):
                self.small(*options)
                result = self.json("export", "c", "model.bb", "--learn", "-o", "out", "--verify", "more.csv", "--force")
                (verification,) = result["verified"]
                self.assertEqual(verification["differences"], 0)
                self.assertGreater(verification["rows"], 50)
                header = self.read("out/bitbayes_net.h").decode()
                self.assertIn(f"#define BITBAYES_NET_STATE_BYTES {result['state_bytes']} ", header)
                self.assertIn(f'"state_bytes": {result["state_bytes"]}', self.read("out/report.json").decode())
                self.assertIn("0 differences", self.read("out/README.md").decode())
                words = ["cc", "-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic", "-I.", "example/main.c",
                         "bitbayes_net.c", "-o", "run"]
                subprocess.run(words, cwd=self.path("out"), check=True, timeout=60)
                subprocess.run(["./run"], cwd=self.path("out"), check=True, timeout=60)

    def test_no_floating_point(self):
        self.small("--tree", 5)
        self.succeed("export", "c", "model.bb", "--learn", "-o", "out", "-q")
        code = self.read("out/bitbayes_net.c") + self.read("out/bitbayes_net.h")
        self.assertNotRegex(code, rb"float|double|malloc| / [a-z0-9]+;")

    def test_like_device_learns_and_its_model_works_on(self):
        self.small("--tree", 5)
        result = self.json("update", "model.bb", "more.csv", "--like-device", "-o", "new.bb")
        self.assertGreater(result["samples_seen"], result["n"])
        self.succeed("update", "model.bb", "more.csv", "--like-device", "-o", "again.bb", "-q")
        self.succeed("update", "model.bb", "more.csv", "--like-device", "--device-seed", 2, "-o", "other.bb", "-q")
        self.assertEqual(self.read("new.bb"), self.read("again.bb"))
        self.assertNotEqual(self.read("new.bb"), self.read("other.bb"))
        self.json("eval", "new.bb", "more.csv")
        # What the device learned is exported as it is: h are whole numbers of 1/64 again.
        self.succeed("export", "c", "new.bb", "--learn", "-o", "out", "--verify", "more.csv", "-q")

    def test_refusals(self):
        self.small("--tree", 5)
        self.succeed("pack", "model.bb", "-o", "net.bbn", "-q")
        export = ("export", "c", "model.bb", "--learn", "-o", "out")
        self.refused("export", "c", "net.bbn", "--learn", "-o", "out", words="a packed network cannot learn")
        self.refused("export", "verilog", "model.bb", "--learn", "-o", "out", words="--learn is for export c")
        self.refused(*export, "--arduino", words="--arduino")
        self.refused("update", "model.bb", "more.csv", "--like-device", "--memory", 100, "-o", "x.bb", words="--memory")
        self.refused("update", "model.bb", "-", "--like-device", "-o", "x.bb", words="stream")
        for options, words in ((("--dense", 8), "dense"), (("--tree", "3,3"), "two layers"),
                               (("--tree", 3, "--members", 2), "2 members"),
                               (("--tree", 3, "--algorithm", "backprop"), "BackProp")):
            with self.subTest(options=options):
                self.small(*options)
                self.refused(*export, words=words)

    @unittest.skipUnless(os.path.isdir(DATA), f"no data sets at {DATA}")
    def test_optdigits(self):
        """One pass: no worse than the library's, within the noise of a seed."""
        digits = f"{DATA}/optdigits/optdigits.tra.csv.gz"
        self.succeed("train", f"{digits}#0:100", "--tree", 21, "--preprocess", "center", "--epochs", 1, "--polish", 0,
                     "-o", "start.bb", "-q")
        errors = []
        for name, how in (("float", ("--memory", "inf")), ("device", ("--like-device",))):
            self.succeed("update", "start.bb", f"{digits}#100:3823", *how, "-o", f"{name}.bb", "-q")
            errors.append(self.json("eval", f"{name}.bb", f"{DATA}/optdigits/optdigits.tes.csv.gz")["error_mean"])
        self.assertLess(errors[1], errors[0] + 0.01)


if __name__ == "__main__":
    unittest.main()

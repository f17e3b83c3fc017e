"""bitbayes info, check-golden, backends, fetch, completion."""

import glob
import json
import os
import re
import shutil
import subprocess
import unittest

from support import BITBAYES, CliTest

GOLDEN = os.environ["BITBAYES_GOLDEN_DIR"]


class Other(CliTest):
    def test_info(self):
        self.model()
        info = self.json("info", "model.bb")
        inputs = info["inputs"]
        self.assertEqual(info["architecture"], f"{inputs}x(11x3)x3")
        self.assertEqual([info["classes"], info["samples_seen"], info["seed"], info["checkpoint"]],
                         [3, 600, 1, None])
        self.assertEqual(info["format_version"], "5")
        weights = [33 * inputs, 33]
        self.assertEqual([layer["weights"] for layer in info["layers"]], weights)
        self.assertEqual(info["bits"], {"posterior": 32 * sum(weights), "clipped": sum(weights)})
        for layer in info["layers"]:
            self.assertTrue(0 < layer["certainty"] <= 1 and 0 <= layer["share_sure"] <= 1)
        self.assertRegex(self.succeed("info", "model.bb").stdout, r"network +\d+x\(11x3\)x3\n")

    def test_info_of_other_shapes(self):
        self.table("two.csv", classes=2)
        for options, shape in ((("--single",), "1"), (("--tree", 7), "7x1"), (("--tree", "5,3"), "(5x3)x3x1")):
            self.succeed("train", "two.csv", *options, "--epochs", 1, "-o", "m.bb", "--force", "-q")
            self.assertRegex(self.json("info", "m.bb")["architecture"], r"^\d+x" + re.escape(shape) + "$")

    def test_golden_vectors_pass(self):
        files = sorted(glob.glob(os.path.join(GOLDEN, "*.json")))
        result = self.json("check-golden", *files)
        self.assertTrue(result["pass"])
        self.assertEqual([entry["file"] for entry in result["files"]], files)
        for entry in result["files"]:
            self.assertTrue(entry["pass"])
            dense = os.path.basename(entry["file"]).startswith("dense_")
            self.assertEqual(entry["kind"] == "batches", dense)
            if dense:
                self.assertEqual(sorted(entry["max_abs_error"]),
                                 ["d", "e", "gradient", "h", "log_likelihood", "mu", "nu", "sigma2"])
            if entry["kind"] != "exact":
                self.assertLess(max(entry["max_abs_error"].values()), 1e-12)
                self.assertNotIn("distance", entry)
            else:
                self.assertGreater(entry["distance"], 0)
                self.assertNotIn("max_abs_error", entry)

    def test_golden_vectors_that_do_not_pass(self):
        with open(os.path.join(GOLDEN, "teacher_3.json")) as file:
            content = json.load(file)
        content["steps"][0]["mu"][0][0] += 1e-9
        done = self.run_cli("check-golden", self.write("off.json", json.dumps(content)), "--json")
        self.assertEqual(done.returncode, 1)
        self.assertFalse(json.loads(done.stdout)["pass"])
        self.assertRegex(done.stderr, r"^bitbayes: error: 1 of 1 files do not pass\n$")
        with open(os.path.join(GOLDEN, "dense_then_tree.json")) as file:
            content = json.load(file)
        content["batches"][1]["gradient"][2][0][1] += 1e-9
        done = self.run_cli("check-golden", self.write("off.json", json.dumps(content)))
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stdout, r"^FAIL .*off\.json: .*gradient 1\.0e-09 .*mu \d\.\de-1\d")
        content["constant_input"][1] = False
        self.fail_with(3, "fan_in", "check-golden", self.write("off.json", json.dumps(content)))
        self.fail_with(6, "absent.json", "check-golden", "absent.json")
        self.fail_with(6, os.path.basename(self.folder), "check-golden", self.folder)
        self.fail_with(3, "bad.json", "check-golden", self.write("bad.json", "{"))
        self.fail_with(3, "list.json", "check-golden", self.write("list.json", "[]"))

    def test_backends(self):
        result = self.json("backends")
        available = [entry["name"] for entry in result["backends"] if entry["available"]]
        self.assertIn("scalar", available)
        self.assertEqual(result["default"], available[0])
        self.assertIn("default", self.succeed("backends").stdout)
        environment = {**os.environ, "BITBAYES_SIMD": "sse9"}
        self.table("train.csv")
        self.fail_with(5, "sse9", "train", "train.csv", env=environment)

    def test_cuda_runs_or_says_why_not(self):
        cuda = [entry for entry in self.json("backends")["backends"] if entry["name"] == "cuda"][0]
        self.table("train.csv")
        arguments = ["train", "train.csv", "--tree", "5", "--evidence", "1", "--epochs", "2", "--backend"]
        self.fail_with(2, "cuda:x", *arguments, "cuda:x")
        if cuda["available"]:
            self.succeed(*arguments, "auto", "-o", "cpu.bb")
            self.succeed(*arguments, "cuda", "-o", "gpu.bb")
            self.assertEqual(self.read("cpu.bb"), self.read("gpu.bb"))
            self.fail_with(5, "devices", *arguments, "cuda:1000")
        else:
            self.fail_with(5, re.escape(cuda["reason"]), *arguments, "cuda")

    def test_name_that_was_not_fetched(self):
        environment = {**os.environ, "BITBAYES_DATA": self.folder}
        self.fail_with(6, "hint: .*bitbayes fetch mnist", "train", "mnist", env=environment)

    def test_bash_completion(self):
        script = ("source <($0 completion bash); complete -p bitbayes; "
                  "try() { COMP_WORDS=(\"$@\"); COMP_CWORD=$(($# - 1)); _bitbayes; echo ${COMPREPLY[@]}; }; "
                  "try bitbayes tr; try bitbayes train --check; try bitbayes predict m.bb --mode m; "
                  "try bitbayes fetch f; try bitbayes train data.csv d")
        done = subprocess.run(["bash", "-c", script, BITBAYES], capture_output=True, text=True, timeout=60)
        self.assertEqual(done.stderr, "")
        self.assertEqual(done.stdout.splitlines(), [
            "complete -o default -F _bitbayes bitbayes", "train", "--checkpoint", "mean map",
            "fashion-mnist", ""])

    def test_completions_know_every_option(self):
        for shell in ("bash", "zsh", "fish"):
            script = self.succeed("completion", shell).stdout
            for command in ("train", "predict", "check-golden"):
                text = self.succeed(command, "--help").stdout
                for name in re.findall(r"--([a-z-]+)", text.split("DATA:")[0]):
                    self.assertIn(name, script)
            if shutil.which(shell):
                check = subprocess.run([shell, "-n"], input=script, text=True, capture_output=True, timeout=60)
                self.assertEqual([check.returncode, check.stderr], [0, ""])


if __name__ == "__main__":
    unittest.main()

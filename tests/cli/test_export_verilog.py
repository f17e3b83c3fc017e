"""Exported Verilog answers as the library does, on every row, in two simulators."""

import json
import os
import shutil
import subprocess
import sys
import unittest

from support import CliTest

DATA = os.environ["BITBAYES_SHARED_DATA"]
OPTDIGITS = [f"{DATA}/optdigits/optdigits.{part}.csv.gz" for part in ("tra", "tes")]


class ExportVerilog(CliTest):
    timeout = 280

    def packed(self, *train, pack=()):
        self.succeed("train", *train, "--evidence", 1, "--epochs", 1, "-o", "model.bb", "-q", "--force")
        self.succeed("pack", "model.bb", "-o", "net.bbn", *pack, "-q", "--force")

    def verified(self, rows, data, *options):
        """The report of an export without differences; Verilator compared all rows."""
        report = self.json("export", "verilog", "net.bbn", "-o", "rtl", "--verify", data, *options)
        self.assertEqual(report["differences"], 0)
        self.assertEqual([each["tool"] for each in report["verified"]], ["verilator", "iverilog"])
        self.assertEqual(report["verified"][0]["rows"], rows)
        self.assertGreater(report["verified"][1]["rows"], 0)
        written = json.loads(self.read("rtl/report.json"))
        self.assertEqual({key: report[key] for key in written}, written)
        return report

    @unittest.skipUnless(os.path.isdir(DATA), f"no data sets at {DATA}")
    def test_optdigits_is_folded(self):
        self.packed(OPTDIGITS[0], "--tree", 9)
        report = self.verified(1797, OPTDIGITS[1], "--parallel", 30, "--name", "digits")
        self.assertEqual((report["form"], report["parallel"], report["weights"]), ("folded", 30, 5670))
        self.assertGreater(report["rom_bits"], 5670)
        measured = report["cycles_per_image_measured"]
        self.assertLess(measured["mean"], measured["max"])
        self.assertLessEqual(measured["max"], report["cycles_per_image"])
        if report["yosys"]:
            self.assertGreater(report["yosys"]["block_rams"], 0)
        if report["nextpnr"]["version"]:
            self.assertIsNone(report["nextpnr"]["problem"])
            self.assertGreater(report["nextpnr"]["fmax_mhz"], 50)
            self.assertEqual(report["nextpnr"]["cells"]["ICESTORM_RAM"], report["yosys"]["block_rams"])

    @unittest.skipUnless(os.path.isdir(DATA), f"no data sets at {DATA}")
    def test_semeion_committee_of_bits_that_abstains(self):
        semeion = f"{DATA}/semeion/semeion.csv.gz"
        train, test = semeion + "#0:1200", semeion + "#1200:1593"
        self.packed(train, "--tree", 9, pack=("--ensemble", 3, "--abstain", 0.1, "--data", train))
        self.verified(393, test)
        self.assertRegex(self.read("rtl/bitbayes_net.v"), rb"\.known\(answer_margin >= \d+'d[1-9]")

    def test_teacher_is_parallel(self):
        self.packed("teacher:9", "--tree", 9)
        report = self.verified(10000, "teacher:9")
        self.assertEqual((report["form"], report["parallel"], report["cycles_per_image"]), ("parallel", None, 11))
        self.assertEqual(report["rom_bits"], 0)

    @unittest.skipUnless(os.path.isdir(DATA), f"no data sets at {DATA}")
    def test_sparse_bits_in_both_forms(self):
        self.packed(f"{DATA}/a9a/a9a.libsvm.gz", "--tree", 4)
        rows = f"{DATA}/a9a/a9a.t.libsvm.gz#0:2000"
        self.assertEqual(self.verified(2000, rows, "--name", "Adult")["form"], "parallel")
        self.assertEqual(self.verified(2000, rows, "--parallel", 3, "--force")["form"], "folded")

    @unittest.skipUnless(os.path.isdir(DATA), f"no data sets at {DATA}")
    def test_one_layer_and_three(self):
        for depth in (["--single"], ["--tree", "4,3"]):
            self.packed(OPTDIGITS[0], *depth)
            self.verified(300, OPTDIGITS[1] + "#0:300", "--parallel", 7, "--force")

    @unittest.skipUnless(os.path.isdir(DATA), f"no data sets at {DATA}")
    def test_dense_one_hidden_layer(self):
        self.packed(OPTDIGITS[0], "--dense", 40)
        report = self.verified(1797, OPTDIGITS[1], "--parallel", 16)
        self.assertEqual((report["form"], report["parallel"]), ("folded", 16))
        self.assertGreater(report["rom_bits"], report["weights"])
        self.assertLessEqual(report["cycles_per_image_measured"]["max"], report["cycles_per_image"])

    @unittest.skipUnless(os.path.isdir(DATA), f"no data sets at {DATA}")
    def test_dense_two_hidden_layers_of_bits(self):
        semeion = f"{DATA}/semeion/semeion.csv.gz"
        self.packed(semeion + "#0:1200", "--dense", "40,24")
        self.verified(393, semeion + "#1200:1593")

    @unittest.skipUnless(os.path.isdir(DATA), f"no data sets at {DATA}")
    def test_dense_then_tree_committee_of_comparators(self):
        letter = f"{DATA}/letter/letter.csv.gz"
        self.packed(letter + "#0:2000", "--dense", 24, "--tree", 3, pack=("--ensemble", 3))
        self.verified(1000, letter + "#16000:17000")

    def test_dense_two_classes_parallel(self):
        self.packed("teacher:9", "--dense", "12,7")
        self.assertEqual(self.verified(10000, "teacher:9")["form"], "parallel")

    def test_words_of_verilog_are_no_names(self):
        self.table("train.csv")
        self.packed("train.csv", "--tree", 3)
        for word in ("wire", "logic", "module", "int", "printf", "readme"):
            self.fail_with(2, f"'{word}'", "export", "verilog", "net.bbn", "-o", "rtl", "--name", word)
        self.assertFalse(os.path.exists(self.path("rtl")))

    def test_comparators_without_data_to_verify(self):
        self.table("train.csv")
        self.packed("train.csv", "--tree", 3, "--preprocess", "thermometer:4")
        report = self.json("export", "verilog", "net.bbn", "-o", "rtl")
        self.assertEqual((report["differences"], report["verified"]), (None, []))
        done = self.shell("iverilog -g2001 -s bitbayes_net_tb -o tb *.v test/*.v && vvp -n tb")
        self.assertEqual(done, "PASS: 16 rows\n")

    def files(self, folder="rtl"):
        return {os.path.relpath(os.path.join(where, name), self.path(folder)): self.read(os.path.join(where, name))
                for where, _, names in os.walk(self.path(folder)) for name in names}

    def test_force_over_another_form_leaves_no_mixture(self):
        self.table("train.csv")
        self.packed("train.csv", "--tree", 3)
        environment = {**os.environ, "PATH": self.folder}  # without Yosys
        forms = {"parallel": ("verilog", "net.bbn"), "folded": ("verilog", "net.bbn", "--parallel", 2),
                 "c": ("c", "net.bbn"), "header": ("c", "net.bbn", "--single-header"), "learn": ("c", "model.bb", "--learn")}
        alone = {}
        for form, arguments in forms.items():
            self.succeed("export", *arguments, "-o", form, "-q", env=environment)
            alone[form] = self.files(form)
        self.assertNotEqual(alone["parallel"].keys(), alone["folded"].keys())
        self.succeed("export", *forms["parallel"], "-o", "rtl", "-q", env=environment)
        mine = {"mine.v": b"// mine", "test/mine.txt": b"mine"}
        for name, text in mine.items():
            with open(self.path("rtl/" + name), "wb") as file:
                file.write(text)
        for form in ("folded", "c", "header", "parallel", "learn", "folded"):
            self.fail_with(6, "rtl: not empty", "export", *forms[form], "-o", "rtl", env=environment)
            self.succeed("export", *forms[form], "-o", "rtl", "-q", "--force", env=environment)
            self.assertEqual(self.files(), {**alone[form], **mine}, form)
        self.assertEqual([name for name in os.listdir(self.folder) if name.startswith(".")], [])

    def test_full_disk(self):
        self.table("train.csv")
        self.packed("train.csv", "--tree", 3)
        environment = {**os.environ, "PATH": self.folder}
        self.succeed("export", "verilog", "net.bbn", "-o", "rtl", "-q", env=environment)
        size = sum(len(text) + 4096 for text in self.files().values())
        os.mkdir(self.path("disk"))
        mount = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={2 * size}", "none", self.path("disk")],
                               capture_output=True, text=True)
        if mount.returncode != 0:
            self.skipTest(f"no small disk: {mount.stderr.strip()}")
        self.addCleanup(subprocess.run, ["umount", self.path("disk")], check=True)
        self.succeed("export", "c", "net.bbn", "-o", "disk/rtl", "-q", env=environment)
        before = self.files("disk/rtl")
        full = self.path("disk/other")
        with open(full, "wb", buffering=0) as other:
            with self.assertRaises(OSError):
                while True:
                    other.write(bytes(4096))
        for room in range(0, size, size // 5):
            os.truncate(full, max(0, os.path.getsize(full) - (room and size // 5)))
            done = self.run_cli("export", "verilog", "net.bbn", "-o", "disk/rtl", "--force", "-q", env=environment)
            if done.returncode == 0:
                break
            self.assertEqual(done.returncode, 6, done.stderr)
            self.assertRegex(done.stderr, "No space left")
            self.assertEqual(self.files("disk/rtl"), before)
            self.assertEqual(sorted(os.listdir(self.path("disk"))), ["other", "rtl"])
        self.assertGreater(room, 0)
        os.remove(full)
        self.succeed("export", "verilog", "net.bbn", "-o", "disk/rtl", "--force", "-q", env=environment)
        self.assertEqual(self.files("disk/rtl"), self.files())

    def shell(self, command):
        done = subprocess.run(command, shell=True, cwd=self.path("rtl"), check=True, capture_output=True, text=True)
        return done.stdout

    def test_tools_that_are_missing(self):
        self.table("train.csv")
        self.packed("train.csv", "--tree", 3)
        environment = {**os.environ, "PATH": self.folder}
        self.fail_with(5, "verilator is not here; hint: apt-get install verilator", "export", "verilog", "net.bbn", "-o",
                       "rtl", "--verify", "train.csv", env=environment)
        self.assertFalse(os.path.exists(self.path("rtl")))
        report = self.json("export", "verilog", "net.bbn", "-o", "rtl", env=environment)
        self.assertIsNone(report["yosys"])
        self.assertRegex(report["yosys_problem"], "yosys is not here")
        self.assertEqual(report["nextpnr"], {"version": None, "device": "hx8k-ct256", "fmax_mhz": None, "cells": None,
                                             "problem": "nextpnr-ice40 is not here (apt-get install nextpnr-ice40)"})


if __name__ == "__main__":
    missing = [tool for tool in ("verilator", "iverilog") if shutil.which(tool) is None]
    if missing:
        print(f"skipped: no {' and no '.join(missing)} here; see apt-hardware.txt")
        sys.exit(77)
    unittest.main()

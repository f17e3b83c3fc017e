"""C that learns, on an emulated Cortex-M3 and an emulated AVR: after each of 1,000 updates the same bytes as in the library.

Usage: device_learn_test.py cortex|avr; the environment names SAMPLES, the program that writes the exports, and
BITBAYES_SHARED_DATA. Exit 77 (skipped) where a tool is missing (see apt-hardware.txt).
"""

import os
import pathlib
import re
import shutil
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "emit"))
import device_test as answers  # noqa: E402

BOARD = answers.BOARD
FLAGS = [*answers.FLAGS, "-Wconversion", "-Wno-sign-conversion"]


class Cortex(answers.Cortex):
    run = [*answers.Cortex.run[:-1], "-icount", "shift=0", "-kernel"]
    tick, unit = 80, "instructions"
    fits = 40000  # of 64 KB
    left_out = ()
    max_code = 2048


class Avr(answers.Avr):
    machine = ["-mmcu=atmega2560"]
    run = ["simavr", "-m", "atmega2560", "-f", "16000000"]
    tick, unit = 1024, "cycles"
    fits = 6000  # of 8 KB
    left_out = ("real", "plain")  # simulation is slow
    max_code = 6144


def output(*command, **options):
    return answers.output(*command, timeout=200, **options)


class DeviceLearn(answers.NeedsNoLibrary, unittest.TestCase):
    target = None

    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory(prefix="bitbayes_learn_")))
        lines = output(os.environ["SAMPLES"], cls.folder, os.environ["BITBAYES_SHARED_DATA"]).splitlines()
        cls.figures = {name: (int(flash), int(state)) for name, flash, state in map(str.split, lines)}
        if "optdigits" not in cls.figures:
            print(f"the network of real data skipped: no {os.environ['BITBAYES_SHARED_DATA']}")

    def samples(self):
        return [name for name, (_, state) in self.figures.items()
                if state <= self.target.fits and name not in self.target.left_out]

    def compiler(self, *words):
        return output(self.target.prefix + "gcc", *FLAGS, *self.target.machine, *words, cwd=self.folder)

    def answer(self, sample, level="-O2"):
        self.compiler(level, "-ffreestanding", "-c", f"{sample}/net.c", "-o", "net.o")
        self.compiler(level, "-fno-tree-loop-distribute-patterns", "-Wno-conversion", "-I", sample, "-I", BOARD,
                      HERE / "learn_main.c", *self.target.parts, "net.o", *self.target.link, "-o", "program.elf")
        return output(*self.target.run, self.folder / "program.elf")

    def test_every_update_is_the_librarys(self):
        for sample in self.samples():
            with self.subTest(sample=sample):
                said = self.answer(sample)
                self.assertRegex(said, r"same 1000\b")
                flash, state = self.figures[sample]
                ticks = [int(n) for n in re.findall(r"ticks of all \w+ (\d+)", said)]
                rows = int(re.search(r"#define ROWS (\d+)", (self.folder / sample / "rows.h").read_text())[1])
                print(f"{sample}: {flash} bytes of tables, {state} bytes of RAM, "
                      f"{ticks[0] * self.target.tick // 1000} {self.target.unit} per update, "
                      f"{ticks[1] * self.target.tick // rows} per answer")

    def test_a_changed_table_is_found(self):
        copy = self.folder / "changed"
        shutil.copytree(self.folder / "center", copy)
        code = (copy / "net.c").read_text()
        at = code.index("net_densities[")
        (copy / "net.c").write_text(code[:at] + re.sub(r"522\d\d", "52000", code[at:], count=1))
        self.assertRegex(self.answer("changed"), r"different \d+")

    def test_sizes_are_those_of_readme(self):
        for sample, (flash, state) in self.figures.items():
            with self.subTest(sample=sample):
                self.compiler("-Os", "-fno-common", "-c", f"{sample}/net.c", "-o", "net.o")
                sections = output(self.target.prefix + "size", "-A", "net.o", cwd=self.folder)
                size = {name: sum(map(int, re.findall(rf"^{re.escape(name)}\S* +(\d+)", sections, re.M)))
                        for name in (self.target.tables, ".text", ".data", ".bss")}
                self.assertLessEqual(abs(flash - size[self.target.tables]), 16)
                self.assertLessEqual(size[".text"], self.target.max_code)
                self.assertEqual(size[".data"], 0)
                self.assertLessEqual(abs(state - size[".bss"]), 3)


if __name__ == "__main__":
    answers.run_tests(DeviceLearn, {"cortex": Cortex, "avr": Avr})

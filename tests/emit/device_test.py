"""Exported C on an emulated Cortex-M3 and an emulated AVR: the library's answers, and the sizes of README.md.

Usage: device_test.py cortex|avr; the environment names SAMPLES, the program that writes the exports. Exit 77 (skipped)
where a tool is missing (see apt-hardware.txt).
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
DEVICE = HERE / "device"
BOARD = HERE.parents[1] / "examples" / "microcontroller"
FLAGS = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic"]


class Cortex:
    tools = ("arm-none-eabi-gcc", "qemu-system-arm")
    prefix = "arm-none-eabi-"
    machine = ["-mcpu=cortex-m3", "-mthumb"]
    parts = [BOARD / "board.c"]
    link = ["-nostdlib", "-T", BOARD / "board.ld", "-lgcc"]
    tables = ".rodata"
    max_code = 1434
    run = ["qemu-system-arm", "-M", "lm3s6965evb", "-nographic", "-monitor", "none", "-serial", "stdio",
           "-semihosting", "-kernel"]


class Avr:
    tools = ("avr-gcc", "simavr")
    prefix = "avr-"
    machine = ["-mmcu=atmega328p"]
    parts = [DEVICE / "atmega.c"]
    link = []
    tables = ".progmem.data"
    max_code = 3380
    run = ["simavr", "-m", "atmega328p", "-f", "16000000"]


def output(*command, timeout=60, **options):
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          stdin=subprocess.DEVNULL, text=True, errors="replace", timeout=timeout, **options)
    if done.returncode != 0:
        raise AssertionError(f"{command}: exit {done.returncode}\n{done.stdout}")
    return done.stdout


class NeedsNoLibrary:
    """For test cases with a target, a compiler and samples."""

    def test_needs_no_library(self):
        """No undefined symbols but helpers of the compiler."""
        for sample in self.figures:
            for level in ("-Os", "-O2", "-O3"):
                with self.subTest(sample=sample, level=level):
                    self.compiler(level, "-ffreestanding", "-c", f"{sample}/net.c", "-o", "net.o")
                    names = output(self.target.prefix + "nm", "-u", "net.o", cwd=self.folder).split()[1::2]
                    self.assertEqual([name for name in names if not name.startswith("__")], [])


def run_tests(case, targets):
    """Of the target that the command line names; exit 77 where one of its tools is missing."""
    case.target = targets[sys.argv.pop(1)]
    for tool in case.target.tools:
        if shutil.which(tool) is None:
            print(f"skipped: no {tool}; see apt-hardware.txt")
            sys.exit(77)
    unittest.main()


class Device(NeedsNoLibrary, unittest.TestCase):
    target = None

    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory(prefix="bitbayes_device_")))
        lines = output(os.environ["SAMPLES"], cls.folder, os.environ["BITBAYES_SHARED_DATA"]).splitlines()
        cls.figures, cls.rows = {}, {}
        for name, flash, ram, rows in map(str.split, lines):
            cls.figures[name], cls.rows[name] = (int(flash), int(ram)), int(rows)
        if "optdigits" not in cls.rows:
            print(f"networks of real data skipped: no {os.environ['BITBAYES_SHARED_DATA']}")

    def compiler(self, *words):
        return output(self.target.prefix + "gcc", *FLAGS, *self.target.machine, *words, cwd=self.folder)

    def answer(self, sample, level):
        """What the device prints."""
        self.compiler(level, "-ffreestanding", "-c", f"{sample}/net.c", "-o", "net.o")
        # The loop that copies a row would become a call of memcpy, which does not exist there.
        self.compiler(level, "-fno-tree-loop-distribute-patterns", "-I", sample, "-I", BOARD, DEVICE / "device_main.c",
                      *self.target.parts, "net.o", *self.target.link, "-o", "program.elf")
        return output(*self.target.run, self.folder / "program.elf")

    def test_answers_are_the_librarys(self):
        for sample in self.figures:
            for level in ("-Os", "-O2"):
                with self.subTest(sample=sample, level=level):
                    self.assertRegex(self.answer(sample, level), f"same {self.rows[sample]}\\b")

    def test_a_changed_weight_is_found(self):
        code = (self.folder / "digits" / "net.c").read_text()
        copy = self.folder / "changed"
        shutil.copytree(self.folder / "digits", copy)
        table = code.index("net_weights_1[")
        changed, count = re.subn(r"0x(.)", lambda found: f"0x{15 - int(found[1], 16):X}", code[table:], count=40)
        self.assertEqual(count, 40)
        (copy / "net.c").write_text(code[:table] + changed)
        self.assertRegex(self.answer("changed", "-Os"), r"different \d\d")

    def test_flash_is_what_readme_tells(self):
        for sample, (flash, _) in self.figures.items():
            with self.subTest(sample=sample):
                self.compiler("-Os", "-c", f"{sample}/net.c", "-o", "net.o")
                sections = output(self.target.prefix + "size", "-A", "net.o", cwd=self.folder)
                found = re.findall(rf"^{re.escape(self.target.tables)}\S* +(\d+)", sections, re.M)
                # Padding, and two tables of up to four words that become constants in the code.
                self.assertLessEqual(abs(flash - sum(map(int, found))), 24)
                code = sum(map(int, re.findall(r"^\.text\S* +(\d+)", sections, re.M)))
                self.assertLessEqual(code, self.target.max_code)
                for name in ("data", "bss"):
                    self.assertEqual(sum(map(int, re.findall(rf"^\.{name} +(\d+)", sections, re.M))), 0)

    def test_ram_is_what_readme_tells(self):
        """All stack frames together: the buffers and up to 200 bytes more; functions on raw values need a row more."""
        for sample, (_, ram) in self.figures.items():
            with self.subTest(sample=sample):
                self.compiler("-Os", "-fstack-usage", "-c", f"{sample}/net.c", "-o", "net.o")
                usage = dict(re.findall(r":net_(\w+)\t(\d+)", (self.folder / "net.su").read_text()))
                frames = sum(int(size) for name, size in usage.items()
                             if name not in ("margin", "legal") and not name.endswith("_raw"))
                self.assertLessEqual(frames, ram + 200)


if __name__ == "__main__":
    run_tests(Device, {"cortex": Cortex, "avr": Avr})

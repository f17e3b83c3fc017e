"""pip install . and the files that the build backend makes. CMake works in BITBAYES_PIP_BUILD, beside the folder of the
release build, so that ccache sees the same paths."""

import base64
import csv
import email
import hashlib
import io
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest
import zipfile
from pathlib import Path

SOURCE = Path(os.environ["BITBAYES_SOURCE"])
BUILD = Path(os.environ["BITBAYES_PIP_BUILD"])

# Another process's PYTHONPATH would hide what was installed. The flags of the release preset are found by ccache.
ENVIRONMENT = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
ENVIRONMENT |= {"PYTHONDONTWRITEBYTECODE": "1", "CMAKE_ARGS": "-DBITBAYES_WERROR=ON"}

CMAKE_ERROR = """-- Detecting CXX compile features - done
CMake Error at python/CMakeLists.txt:1 (find_package):
  By not providing "Findpybind11.cmake" in CMAKE_MODULE_PATH this project has
  asked CMake to find a package configuration file provided by "pybind11", but
  CMake did not find one.
-- Configuring incomplete, errors occurred!
"""

PROGRAM = """
import importlib.metadata, sys
import numpy as np
import bitbayes

assert bitbayes.__file__.startswith(sys.prefix), bitbayes.__file__
assert bitbayes.__version__ == importlib.metadata.version("bitbayes")
assert "sklearn" not in sys.modules
random = np.random.default_rng(1)
X = random.normal(size=(200, 8))
y = np.where(X[:, 0] + X[:, 1] > 0, "yes", "no")
classifier = bitbayes.BitBayesClassifier(hidden_layers=(32,), epochs=5, random_state=1).fit(X, y)
print("right:", int((classifier.predict(X) == y).sum()))
"""


def listing():
    """What a build could leave in the source tree."""
    folders = [folder for folder in (SOURCE, SOURCE / "python", SOURCE / "build") if folder.exists()]
    return {path for folder in folders for path in folder.iterdir()}


def backend(hook, folder, *arguments, source=SOURCE, **variables):
    """Calls a hook as a front end does: in a process of its own, in the source tree."""
    call = f"import build_backend; print(build_backend.{hook}({str(folder)!r}, *{arguments!r}))"
    return subprocess.run([sys.executable, "-c", call], cwd=source, capture_output=True, text=True,
                          env=ENVIRONMENT | {"PYTHONPATH": str(source / "python")} | variables)


def made(folder, done):
    """The file that a hook made: its name is the last line of the output."""
    if done.returncode != 0:
        raise AssertionError(done.stdout + done.stderr)
    return folder / done.stdout.splitlines()[-1]


class Install(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="bitbayes_install_"))
        self.addCleanup(shutil.rmtree, self.folder)

    def wheel(self, hook="build_wheel"):
        folder = Path(tempfile.mkdtemp(dir=self.folder))
        return made(folder, backend(hook, folder, {"build-dir": str(BUILD)}))

    @unittest.skipIf(shutil.which("cmake") is None, "cmake is not there")
    def test_pip_installs_a_checkout_offline(self):
        BUILD.mkdir(exist_ok=True)
        before = listing()
        done = subprocess.run([sys.executable, "-m", "venv", "--system-site-packages", self.folder / "venv"],
                              capture_output=True, text=True)
        if done.returncode != 0:
            self.skipTest("no virtual environments here (python3-venv): " + done.stdout.strip().split("\n")[0])
        done = subprocess.run(
            [self.folder / "venv/bin/pip", "install", "--no-index", "--config-settings", f"build-dir={BUILD}", SOURCE],
            cwd=self.folder, env=ENVIRONMENT, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(listing() - before, set(), "left in the source tree")
        done = subprocess.run([self.folder / "venv/bin/python", "-c", PROGRAM], cwd=self.folder, env=ENVIRONMENT,
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertGreater(int(done.stdout.split()[-1]), 180)

    def test_a_wheel_is_complete_and_the_same_every_time(self):
        path = self.wheel()
        self.assertEqual(path.read_bytes(), self.wheel().read_bytes())
        with zipfile.ZipFile(path) as archive:
            files = {name: archive.read(name) for name in archive.namelist()}

        package = {f"bitbayes/{file.name}" for file in (SOURCE / "python/bitbayes").iterdir()
                   if file.suffix in (".py", ".pyi", ".typed") or file.name == "py.typed"}
        self.assertIn("bitbayes/py.typed", package)
        extensions = {name for name in files if name.endswith(".so")}
        self.assertEqual(len(extensions), 1)
        info = path.name[:path.name.index("-cp")] + ".dist-info"
        self.assertEqual(files.keys(), package | extensions | {f"{info}/{name}" for name in
                                                               ("METADATA", "WHEEL", "LICENSE", "RECORD")})

        record = csv.reader(io.StringIO(files[f"{info}/RECORD"].decode()))
        rows = {name: (digest, size) for name, digest, size in record}
        self.assertEqual(rows.keys(), files.keys())
        self.assertEqual(rows.pop(f"{info}/RECORD"), ("", ""))
        for name, (digest, size) in rows.items():
            expected = base64.urlsafe_b64encode(hashlib.sha256(files[name]).digest()).decode().rstrip("=")
            self.assertEqual((digest, size), ("sha256=" + expected, str(len(files[name]))), name)

        metadata = email.message_from_bytes(files[f"{info}/METADATA"])
        self.assertEqual(info, f"bitbayes-{metadata['Version']}.dist-info")
        self.assertIn(f"project(bitbayes VERSION {metadata['Version']} ", (SOURCE / "CMakeLists.txt").read_text())
        needs = metadata.get_all("Requires-Dist")
        self.assertEqual([need for need in needs if "extra" not in need], ["numpy>=1.23"])
        self.assertIn('scikit-learn>=1.2,<1.6; extra == "sklearn"', needs)
        self.assertEqual(metadata.get_payload(), (SOURCE / "python/README.md").read_text())

    def test_an_editable_wheel_is_a_path_to_the_build(self):
        with zipfile.ZipFile(self.wheel("build_editable")) as archive:
            path = Path(archive.read("bitbayes.pth").decode().strip())
        self.assertEqual((path / "bitbayes/__init__.py").resolve(), SOURCE / "python/bitbayes/__init__.py")
        self.assertTrue(list((path / "bitbayes").glob("_core*.so")))


class SourceArchive(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="bitbayes_install_"))
        self.addCleanup(shutil.rmtree, self.folder)

    def archive(self, source):
        folder = Path(tempfile.mkdtemp(dir=self.folder))
        return made(folder, backend("build_sdist", folder, source=source))

    def test_an_archive_has_what_a_build_needs_and_makes_itself_again(self):
        path = self.archive(SOURCE)
        with tarfile.open(path) as archive:
            archive.extractall(self.folder)
        unpacked = self.folder / path.name.removesuffix(".tar.gz")
        for name in ("CMakeLists.txt", "apt.txt", "src/api/train.cpp", "python/build_backend.py",
                     "python/CMakeLists.txt", "python/bitbayes/__init__.py", "PKG-INFO", "LICENSE"):
            self.assertTrue((unpacked / name).is_file(), name)
        self.assertTrue(os.access(unpacked / "scripts/install.sh", os.X_OK))
        (unpacked / "build").mkdir()
        (unpacked / "build/left.txt").write_text("of a build")
        self.assertEqual(self.archive(unpacked).read_bytes(), path.read_bytes())


class Missing(unittest.TestCase):
    """What is missing is said in one message that names the Debian packages, without a traceback."""

    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="bitbayes_install_"))
        self.addCleanup(shutil.rmtree, self.folder)

    def refused(self, pattern, **variables):
        done = backend("build_wheel", self.folder, {"build-dir": str(self.folder / "build")}, **variables)
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertNotIn("Traceback", done.stderr)
        self.assertRegex(done.stderr, pattern)
        return done.stderr

    def test_tools(self):
        message = self.refused(r"^\nbitbayes cannot be built: cmake, ninja, a C\+\+ compiler not found\. "
                               r".*\n    apt install ", PATH=str(self.folder))
        self.assertLess(message.count("\n"), 6)

    def test_libraries(self):
        """What CMake says where pybind11 is missing, from a program that says it."""
        for name, status in (("cmake", 1), ("ninja", 0), ("c++", 0)):
            (self.folder / name).write_text(f"#!/bin/sh\ncat << 'END'\n{CMAKE_ERROR}END\nexit {status}\n")
            (self.folder / name).chmod(0o755)
        message = self.refused(r"bitbayes cannot be built: pybind11 not found\. .*\n    apt install ",
                               PATH=f"{self.folder}:/usr/bin:/bin")
        self.assertNotIn("Detecting", message)

    def test_all_packages_are_in_the_lists_that_are_installed(self):
        done = subprocess.run([sys.executable, "-c", "import build_backend; print(*build_backend.DEBIAN.values())"],
                              cwd=SOURCE / "python", env=ENVIRONMENT, capture_output=True, text=True, check=True)
        listed = (SOURCE / "apt.txt").read_text().split() + (SOURCE / "apt-python.txt").read_text().split()
        self.assertEqual(set(done.stdout.split()) - set(listed), set())


if __name__ == "__main__":
    unittest.main()

"""Builds the Python package for pip (PEP 517 and 660) with CMake and the standard library alone.

    pip install .
    pip install --config-settings build-dir=DIR .     # CMake's folder, kept; by default build/python-cp311

CMAKE_ARGS in the environment is passed on to CMake. Wheels of the same sources and compiler have the same bytes.
"""

import base64
import csv
import gzip
import hashlib
import io
import os
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
import tomllib
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

# What a build asks for, and the Debian package that has it.
DEBIAN = {
    "cmake": "cmake", "ninja": "ninja-build", "a C++ compiler": "g++", "Python.h": "python3-dev",
    "pybind11": "pybind11-dev", "fmt": "libfmt-dev", "hwy": "libhwy-dev", "nlohmann_json": "nlohmann-json3-dev",
    "ZLIB": "zlib1g-dev", "RANDOM123_INCLUDE_DIR": "librandom123-dev",
}


def project():
    """The table [project] of pyproject.toml, with the version of CMakeLists.txt."""
    table = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    version = re.search(r"^project\(bitbayes VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text(), re.M)[1]
    return table | {"version": version}


def name_and_version():
    table = project()
    return f"{table['name']}-{table['version']}"


def tag():
    abi = "cp" + sysconfig.get_config_var("SOABI").split("-")[1]
    return f"{abi}-{abi}-" + re.sub(r"[-.]", "_", sysconfig.get_platform())


def metadata():
    table = project()
    fields = [("Metadata-Version", "2.1"), ("Name", table["name"]), ("Version", table["version"]),
              ("Summary", table["description"]), ("Author", table["authors"][0]["name"]),
              ("License", table["license"]["text"]), ("Keywords", ",".join(table["keywords"])),
              ("Requires-Python", table["requires-python"])]
    fields += [("Classifier", value) for value in table["classifiers"]]
    fields += [("Requires-Dist", value) for value in table["dependencies"]]
    for extra, needs in table["optional-dependencies"].items():
        fields += [("Provides-Extra", extra)] + [("Requires-Dist", f'{value}; extra == "{extra}"') for value in needs]
    fields += [("Description-Content-Type", "text/markdown")]
    return "".join(f"{key}: {value}\n" for key, value in fields) + "\n" + (ROOT / table["readme"]).read_text()


def dist_info():
    """{name: bytes}, without RECORD."""
    wheel = f"Wheel-Version: 1.0\nGenerator: bitbayes\nRoot-Is-Purelib: false\nTag: {tag()}\n"
    return {"METADATA": metadata().encode(), "WHEEL": wheel.encode(), "LICENSE": (ROOT / "LICENSE").read_bytes()}


def give_up(missing, output=""):
    """Ends with a message instead of a traceback. `missing`: keys of DEBIAN."""
    what = f"{', '.join(missing)} not found" if missing else "CMake failed"
    sys.exit(f"{output}\nbitbayes cannot be built: {what}. What a build needs, as Debian packages:\n"
             f"    apt install {' '.join(DEBIAN.values())}\nor: scripts/install.sh apt.txt apt-python.txt")


def run(*command, **options):
    # The isolated environment of a front end would hide the interpreter's packages from CMake.
    environment = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
    return subprocess.run(command, env=environment, **options)


def configure(folder):
    compilers = [os.environ.get("CXX", "c++").split()[0], "g++", "clang++"]
    there = {"cmake": shutil.which("cmake"), "ninja": shutil.which("ninja"),
             "a C++ compiler": any(map(shutil.which, compilers)),
             "Python.h": os.path.exists(os.path.join(sysconfig.get_path("include"), "Python.h"))}
    if missing := [what for what, found in there.items() if not found]:
        give_up(missing)
    done = run("cmake", "-S", ROOT, "-B", folder, "-G", "Ninja", "-U", "*Python*",  # the last one may have been another
               f"-DPython_EXECUTABLE={sys.executable}", "-DBITBAYES_PYTHON=ON", "-DBITBAYES_TESTS=OFF",
               "-DBITBAYES_APPS=OFF", "-DCMAKE_BUILD_TYPE=Release", *shlex.split(os.environ.get("CMAKE_ARGS", "")),
               stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0:
        errors = done.stdout[max(done.stdout.find("CMake Error"), 0):]
        named = re.findall(r'provided by "(\w+)"|Could NOT find (\w+)|Could not find (\w+) using', errors)
        give_up([name for names in named for name in names if name in DEBIAN], errors)


def build(config_settings):
    """The CMake folder in which the package is built."""
    default = ROOT / "build" / ("python-" + tag().split("-")[0])
    folder = Path((config_settings or {}).get("build-dir", default)).absolute()
    configure(folder)
    if run("cmake", "--build", folder, "--target", "bitbayes_python").returncode != 0:
        sys.exit("bitbayes cannot be built: see above")
    return folder


def staged(config_settings):
    """{name: bytes} of the installed package."""
    folder = build(config_settings)
    with tempfile.TemporaryDirectory() as prefix:
        run("cmake", "--install", folder, "--component", "python", "--prefix", prefix, "--strip", check=True)
        paths = [path for path in Path(prefix).rglob("*") if path.is_file()]
        return {path.relative_to(prefix).as_posix(): path.read_bytes() for path in paths}


def write_wheel(directory, files):
    """The same files give the same bytes: sorted names, one date, one mode."""
    info = name_and_version() + ".dist-info"
    files = dict(sorted(files.items())) | {f"{info}/{name}": content for name, content in dist_info().items()}
    record = io.StringIO()
    rows = csv.writer(record, lineterminator="\n")
    for name, content in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        rows.writerow([name, f"sha256={digest}", len(content)])
    rows.writerow([f"{info}/RECORD", "", ""])
    files[f"{info}/RECORD"] = record.getvalue().encode()

    wheel = f"{name_and_version()}-{tag()}.whl"
    with zipfile.ZipFile(Path(directory) / wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            entry = zipfile.ZipInfo(name)  # 1980-01-01
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (0o755 if name.endswith(".so") else 0o644) << 16
            archive.writestr(entry, content)
    return wheel


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    return write_wheel(wheel_directory, staged(config_settings))


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    """A path to the package in the build folder, whose Python files are links to the sources."""
    return write_wheel(wheel_directory, {"bitbayes.pth": f"{build(config_settings) / 'python'}\n".encode()})


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    folder = Path(metadata_directory) / (name_and_version() + ".dist-info")
    folder.mkdir()
    for name, content in dist_info().items():
        (folder / name).write_bytes(content)
    return folder.name


prepare_metadata_for_build_editable = prepare_metadata_for_build_wheel


def sources():
    """Names below ROOT: what git tracks, or where it does not say, as in an unpacked archive, everything but builds."""
    tracked = None
    if (ROOT / ".git").exists() and shutil.which("git"):
        tracked = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, stdout=subprocess.PIPE, text=True)
    if tracked and tracked.returncode == 0:
        names = tracked.stdout.split("\0")
    else:
        names = [path.relative_to(ROOT).as_posix() for path in ROOT.rglob("*") if path.parent.name != "__pycache__"]
        names = [name for name in names if name != "PKG-INFO" and not name.startswith(("build/", ".git/"))]
    return sorted(name for name in names if (ROOT / name).is_file())


def build_sdist(sdist_directory, config_settings=None):
    def add(name, content, mode):
        entry = tarfile.TarInfo(f"{name_and_version()}/{name}")  # 1970-01-01, root
        entry.size, entry.mode = len(content), mode
        archive.addfile(entry, io.BytesIO(content))

    path = Path(sdist_directory) / (name_and_version() + ".tar.gz")
    with open(path, "wb") as file, gzip.GzipFile("", "wb", 9, file, mtime=0) as packed, \
            tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for name in sources():
            add(name, (ROOT / name).read_bytes(), 0o755 if os.access(ROOT / name, os.X_OK) else 0o644)
        add("PKG-INFO", metadata().encode(), 0o644)
    return path.name

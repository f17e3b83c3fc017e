"""Runs the commands of an example's README.md, in their order, in a copy of the examples.

Usage: readme_test.py FOLDER TOOL... ; the environment names BITBAYES. Exit 77 (skipped) where a TOOL is missing.
Commands are the lines that begin with "    $ "; those that install packages are left out.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile


def commands(readme):
    found = re.findall(r"^    \$ (.*)$", readme, re.M)
    return [line for line in found if not line.startswith("apt-get install")]


def main(folder, tools):
    missing = [tool for tool in tools if shutil.which(tool) is None]
    if missing:
        print(f"skipped: no {missing[0]}")
        return 77
    lines = commands((folder / "README.md").read_text())
    assert len(lines) >= 8, lines
    program = pathlib.Path(os.environ["BITBAYES"]).resolve()
    with tempfile.TemporaryDirectory(prefix="bitbayes_example_") as name:
        shutil.copytree(folder.parent, pathlib.Path(name) / "examples")
        work = pathlib.Path(name) / "examples" / folder.name
        tool_folder = pathlib.Path(name) / "bin"
        tool_folder.mkdir()
        (tool_folder / "bitbayes").symlink_to(program)
        (tool_folder / "python3").symlink_to(sys.executable)
        path = f"{tool_folder}:{os.environ['PATH']}"
        done = subprocess.run(["bash", "-euxo", "pipefail", "-c", "\n".join(lines)], cwd=work, text=True,
                              env={**os.environ, "PATH": path}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              stdin=subprocess.DEVNULL, timeout=400)
    print(done.stdout)
    if done.returncode != 0:
        return 1
    words = re.findall(r"(\d+) differences", done.stdout)
    assert words and set(words) == {"0"}, words
    assert "\nthe same answers\n" in done.stdout
    return 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1]), sys.argv[2:]))

#!/usr/bin/env python3
"""How many answers change if a device quantises rows in float32 instead of double, by the formula of docs/model-file.md: the
figures of decision 24.

Usage: float32.py DATA BITBAYES...; DATA is the folder that holds the data sets' folders. Every fifth row is a test row.
"""

import array
import gzip
import json
import math
import os
import struct
import subprocess
import sys
import tempfile

TABLES = ("spambase", "magic-wand-digits")


def f32(x):
    try:
        return struct.unpack("<f", struct.pack("<f", x))[0]
    except OverflowError:
        return math.copysign(math.inf, x)


def load(path):
    """Metadata and tensors of a packed network: the ten lines of docs/model-file.md without NumPy."""
    data = open(path, "rb").read()
    length = struct.unpack("<Q", data[:8])[0]
    header, body = json.loads(data[8 : 8 + length]), data[8 + length :]
    kinds = {"F64": "d", "I32": "i", "I16": "h"}
    return header.pop("__metadata__"), {
        name: array.array(kinds[t["dtype"]], body[slice(*t["data_offsets"])])
        for name, t in header.items() if t["dtype"] in kinds}


def as_seen(value, origin, step, limit, binary):
    """The value that a device sees which quantises in float32."""
    if binary:
        c = math.floor(f32(f32(f32(value) / step) + 0.5)) - origin / step
    else:
        q = f32(f32(f32(value) - f32(origin)) / f32(step))
        c = math.copysign(math.floor(abs(q) + 0.5), q)
    return repr(origin + max(-limit - 1, min(limit, c)) * step)


def run(bitbayes, table, data):
    lines = gzip.open(f"{data}/{table}/{table}.csv.gz", "rt").read().split()
    with tempfile.TemporaryDirectory() as folder:
        def do(*arguments):
            return subprocess.run([bitbayes, *arguments], cwd=folder, check=True, capture_output=True, text=True).stdout

        def answers(rows):
            open(f"{folder}/rows.csv", "w").write("\n".join(rows) + "\n")
            return do("predict", "net.bbn", "rows.csv", "-q").split()[1:]

        open(f"{folder}/train.csv", "w").writelines(line + "\n" for r, line in enumerate(lines) if r % 5)
        do("train", "train.csv", "--epochs", "5", "-o", "model.bb", "-q")
        do("pack", "model.bb", "-o", "net.bbn", "-q")
        metadata, tensors = load(f"{folder}/net.bbn")
        origin, step = tensors["columns.origin"], tensors["columns.step"]
        limit = 127 if metadata["column_type"] == "i8" else 32767
        test = lines[::5]
        seen = []
        for line in test:
            *row, label = line.split(",")
            row = [as_seen(float(x), origin[j], step[j], limit, "quantiser" in metadata) for j, x in enumerate(row)]
            seen.append(",".join([*row, label]))
        pairs = list(zip(answers(test), answers(seen)))
        changed = sum(a.split(",")[0] != b.split(",")[0] for a, b in pairs)
        return f"{table}: {changed} of {len(pairs)} answers change, {sum(a != b for a, b in pairs)} margins ({metadata['column_type']})"


if __name__ == "__main__":
    for binary in sys.argv[2:]:
        for name in TABLES:
            print(os.path.basename(binary), run(os.path.abspath(binary), name, os.path.abspath(sys.argv[1])), flush=True)

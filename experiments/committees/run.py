#!/usr/bin/python3
"""Committees of three clipped networks: adding scores against voting, on the same members.

Trains three seeds as one model (`train --members 3`) for every table, network and fold, and packs two committees: `members`,
the clipped networks of the three seeds, and `draws`, that of the first seed and two drawn from its posterior
(`pack --ensemble 2`). Both are read from the packed file as docs/model-file.md says, and answer by either rule; what
`bitbayes eval` says of the file is compared. Figures of each table are kept in --out; then, or at once with --table,
they are printed as Markdown.
"""
import argparse
import json
import os
import struct
import subprocess
import sys
import tempfile

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.append(os.path.join(HERE, "../tables"))
import tables  # noqa: E402

TABLES = ("optdigits", "letter", "semeion", "magic-wand-digits", "spambase")
NETWORKS = {"tree": ("--tree", "21"), "dense": ("--dense", "64")}
SEEDS = (1, 4, 7)  # of the first member: no two committees share one
RANGES = {"bit": (0, 1), "u8": (0, 255), "i8": (-128, 127), "i16": (-32768, 32767)}


def call(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: {done.stderr}")
    return done.stdout


def load(path):
    """As in docs/model-file.md."""
    with open(path, "rb") as file:
        data = file.read()
    length = struct.unpack("<Q", data[:8])[0]
    header, body = json.loads(data[8:8 + length]), data[8 + length:]
    kinds = {"F32": "<f4", "F64": "<f8", "I64": "<i8", "I32": "<i4", "I16": "<i2", "U8": "u1"}
    return header.pop("__metadata__"), {
        name: np.frombuffer(body[slice(*t["data_offsets"])], kinds[t["dtype"]]).reshape(t["shape"])
        for name, t in header.items()}


def inputs_of(metadata, held, rows):
    """The inputs of layer 1, row by row."""
    if "columns.step" in held:
        rows = (rows - held["columns.origin"]) / held["columns.step"]
    rows = np.sign(rows) * np.floor(np.abs(rows) + 0.5)
    rows = np.clip(rows, *RANGES[metadata["column_type"]])[:, held["inputs.column"]]
    return np.where(rows > held["inputs.comparator"], 1, -1) if "inputs.comparator" in held else rows


def scores_of(metadata, held, rows):
    """Scores of each member: members x rows x outputs."""
    x, layers = inputs_of(metadata, held, rows), json.loads(metadata["layers"])
    result = []
    for member in range(int(metadata["members"])):
        sums = x
        for number, layer in enumerate(layers, 1):
            v = sums if number == 1 else np.where(sums >= 0, 1, -1)
            name, k = f"member{member}.layer{number}", layer["fan_in"]
            bits = np.unpackbits(held[name + ".bits"], axis=1, bitorder="little")[:, :k]
            weights = 2.0 * bits - 1
            if layer["connectivity"] == "dense":
                sums = v @ weights.T - held[name + ".threshold"]
            else:
                sums = (v.reshape(len(v), -1, k) * weights).sum(2)
        result.append(sums)
    return np.array(result)


def votes_of(scores):
    """+1 for the class that a member answers, -1 for the others."""
    if scores.shape[2] == 1:
        return np.where(scores >= 0, 1, -1)
    winner = scores.argmax(2)[:, :, None]
    return np.where(np.arange(scores.shape[2]) == winner, 1, -1)


def answers(scores):
    """Class and margin of each row."""
    if scores.shape[1] == 1:
        return (scores[:, 0] >= 0).astype(int), np.abs(scores[:, 0])
    ordered = np.sort(scores, axis=1)
    return scores.argmax(1), ordered[:, -1] - ordered[:, -2]


def figures_of(bitbayes, packed, test, table):
    """Right answers and margins of each row, by either rule, and right answers of the members alone."""
    metadata, held = load(packed)
    rows, labels = tables.load(table, test)
    truth = np.array([json.loads(metadata["class_names"]).index(str(label)) for label in labels])
    scores = scores_of(metadata, held, rows)
    result = {"one": [(answers(each)[0] == truth).mean() for each in scores]}
    for rule, each in (("votes", votes_of(scores)), ("adds", scores)):
        winner, margin = answers(each.sum(0))
        result[rule] = winner == truth, margin
    told = json.loads(call(bitbayes, "eval", packed, test, "--json", "-q", "--threads", "1"))["error_map"]
    rule = metadata.get("committee", "votes")
    if abs(told - (1 - result[rule][0].mean())) > 1e-12:
        sys.exit(f"{packed}: eval says {told}, the file {1 - result[rule][0].mean()}")
    return result


def auroc(right, margin):
    """How often a right answer has the higher margin than a wrong one; ties count half."""
    place = np.searchsorted(np.sort(margin[~right]), margin[right], "left"), \
        np.searchsorted(np.sort(margin[~right]), margin[right], "right")
    wrong = (~right).sum()
    return float((place[0] + place[1]).mean() / 2 / wrong) if wrong else None


def run_seed(arguments, table, network, seed):
    """Of the two committees: errors over all test rows, and AUROC of the margins."""
    pooled = {"members": [], "draws": []}
    for train, test in tables.splits(arguments.data, table):
        with tempfile.TemporaryDirectory() as folder:
            model, first = os.path.join(folder, "m.bb"), os.path.join(folder, "first.bb")
            call(arguments.bitbayes, "train", train, "--members", "3", "--seed", str(seed), "--epochs", "10", "--threads", "1",
                 "-q", "-o", model, *NETWORKS[network])
            with open(first, "wb") as file:
                file.write(load(model)[1]["member0"].tobytes())
            for name, source, options in (("members", model, ()), ("draws", first, ("--ensemble", "2"))):
                packed = os.path.join(folder, name)
                call(arguments.bitbayes, "pack", source, "-o", packed, "-q", *options)
                pooled[name].append(figures_of(arguments.bitbayes, packed, test, table))
    result = {}
    for name, folds in pooled.items():
        result[name] = {"one": 1 - float(np.mean([fold["one"] for fold in folds]))}
        result[name]["first"] = 1 - float(np.mean([fold["one"][0] for fold in folds]))
        for rule in ("votes", "adds"):
            right, margin = (np.concatenate([fold[rule][k] for fold in folds]) for k in (0, 1))
            result[name][rule] = {"error": float(1 - right.mean()), "auroc": auroc(right, margin)}
    return result


def mean(results, table, network, committee, *keys):
    values = []
    for seed in SEEDS:
        value = results[f"{table} {network} {seed}"][committee]
        for key in keys:
            value = value[key]
        values.append(value)
    return float(np.mean(values))


def print_table(results):
    print("| table | network | one network | draws: vote | draws: add | members: vote | members: add "
          "| AUROC of margins: vote | add |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    for network in NETWORKS:
        for table in TABLES:
            if any(f"{table} {network} {seed}" not in results for seed in SEEDS):
                continue
            cells = [mean(results, table, network, "draws", "first")]
            cells += [mean(results, table, network, committee, rule, "error")
                      for committee in ("draws", "members") for rule in ("votes", "adds")]
            text = [f"{100 * cell:.2f}" for cell in cells]
            text += [f"{mean(results, table, network, 'members', rule, 'auroc'):.3f}" for rule in ("votes", "adds")]
            print(f"| {table} | `{' '.join(NETWORKS[network])}` | {' | '.join(text)} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", help="the folder of the tables")
    parser.add_argument("--bitbayes", default=os.path.join(HERE, "../../build/release/bitbayes"))
    parser.add_argument("--out", default=os.path.join(HERE, "results.json"))
    parser.add_argument("--table", action="store_true", help="only print what --out holds")
    arguments = parser.parse_args()
    results = tables.saved(arguments.out)
    for table in () if arguments.table else TABLES[::-1]:
        for network in NETWORKS:
            for seed in SEEDS:
                key = f"{table} {network} {seed}"
                if key not in results:
                    results[key] = run_seed(arguments, table, network, seed)
                    tables.save(arguments.out, results)
                    print(key, json.dumps(results[key]), file=sys.stderr)
    print_table(results)


if __name__ == "__main__":
    main()

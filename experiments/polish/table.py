#!/usr/bin/python3
"""Prints results.json as the table of docs/decisions/0016-polishing.md: test errors in %, averages over seeds."""
import json
import os
from collections import defaultdict

TREE, DENSE = "double 5", "double 1"  # what `train` does


def chosen(errors, scores, rounds, earliest=False):
    """The error of the round with the best score."""
    scores = scores[:rounds + 1]
    best = [k for k, score in enumerate(scores) if score == min(scores)]
    return errors[best[0 if earliest else -1]]


def figures(lines):
    ways = {line["way"]: line for line in lines}
    evidence = ways["mean"]["evidence"]
    usual = ways[TREE if lines[0]["network"] == "tree" else DENSE]
    result = {"mean": ways["mean"]["test"], "signs": usual["test"][0], "run's evidence": evidence / 100}
    for way in ("double 1", "double 2", "double 5"):
        for rounds in (1, 3, 5, 8):
            if rounds < len(ways[way]["test"]):
                result[f"{way}, {rounds} rounds, last"] = ways[way]["test"][rounds]
        result[f"{way}, best of 5"] = chosen(ways[way]["test"], ways[way]["train"], 5)
        result[f"{way}, best of 5, earliest"] = chosen(ways[way]["test"], ways[way]["train"], 5, True)
        result[f"{way}, best of 8"] = chosen(ways[way]["test"], ways[way]["train"], 8)
    for way in ("1.5 times", "hold out"):
        result[f"{way}, best of 5"] = chosen(ways[way]["test"], ways[way]["train"], 5)
        result[f"{way}, best of 8"] = chosen(ways[way]["test"], ways[way]["train"], 8)
    result["hold out, best of 5 by held-out"] = chosen(ways["hold out"]["test"], ways["hold out"]["held_out"], 5)
    result["hold out, best of 5 by held-out, earliest"] = chosen(ways["hold out"]["test"], ways["hold out"]["held_out"], 5, True)
    result["ramp, last"] = ways["ramp"]["test"][-1]
    result["ramp, best"] = chosen(ways["ramp"]["test"], ways["ramp"]["train"], 5)
    for way in ("draws", "flips"):
        result[way] = ways[way]["test"][1]
    return result


def main():
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "results.json")) as file:
        runs = defaultdict(list)
        for line in json.load(file):
            runs[line["table"], line["network"], line["seed"]].append(line)
    cases = defaultdict(list)
    for (table, network, _), lines in runs.items():
        cases[f"{table} {network}"].append(figures(lines))
    rows = dict.fromkeys(row for all_figures in cases.values() for row in all_figures[0])
    print("| | " + " | ".join(cases) + " | all |")
    print("| --- |" + " --- |" * (len(cases) + 1))
    for row in rows:
        cells = [[each[row] for each in seeds if row in each] for seeds in cases.values()]
        mean = [100 * sum(cell) / len(cell) if cell else None for cell in cells]
        total = [m for m in mean if m is not None]
        print(f"| {row} | " + " | ".join("" if m is None else f"{m:.1f}" for m in mean) + f" | {sum(total) / len(total):.2f} |")


main()

#!/usr/bin/python3
"""Prints results.json as the table of docs/decisions/0016-polishing.md: test errors in %, averages over seeds."""
import json
import os
from collections import defaultdict

BY_WIDTH = {"tree": 5, "dense64": 0.25, "dense256": 1, "default": 2}


def chosen(line, by, rounds=5, last=True):
    """The test error of the round with the fewest errors; that of the signs if they have none."""
    scores = line[by][:rounds + 1]
    best = [k for k, score in enumerate(scores) if score == min(scores)]
    return line["test"][best[-1 if last and scores[0] > 0 else 0]]


def figures(lines):
    ways = {line["way"]: line for line in lines}
    doubled = {float(way.split()[1]): line for way, line in ways.items() if way.startswith("double ") and "," not in way}
    own = max(5 if lines[0]["network"] == "tree" else 1, ways["mean"]["evidence"])
    by_width = doubled[BY_WIDTH[lines[0]["network"]]]
    result = {"mean": ways["mean"]["test"], "signs of the posterior": by_width["test"][0]}
    for evidence in (0.25, 0.5, 1, 2, 5, 10):
        if evidence in doubled:
            result[f"doubling, evidence {evidence:g}"] = chosen(doubled[evidence], "train")
    result["doubling, evidence of the run"] = chosen(doubled[min(doubled, key=lambda each: abs(each - own))], "train")
    result["doubling, evidence by width"] = chosen(by_width, "train")
    for rounds in (1, 3, 8):
        if rounds < len(by_width["test"]):
            result[f"the same, {rounds} round{'s' * (rounds > 1)}"] = chosen(by_width, "train", rounds)
    result["the same, earliest of equal rounds"] = chosen(by_width, "train", last=False)
    result["the same, last round whatever its errors"] = by_width["test"][5]
    result["run's evidence, 1.5 times instead of twice"] = chosen(ways["1.5 times"], "train")
    result["run's evidence, a tenth of the rows not learned"] = chosen(ways["hold out"], "train")
    result["the same, round chosen by that tenth"] = chosen(ways["hold out"], "held_out")
    result["evidence ramp, no doubling"] = chosen(ways["ramp"], "train")
    result["best of signs and 10 draws"] = ways["draws"]["test"][1]
    result["5,000 flips"] = ways["flips"]["test"][1]
    result["doubling, all evidences and rounds"] = ways["double any, flips"]["test"][0]
    result["the same, then 5,000 flips"] = ways["double any, flips"]["test"][1]
    return result


def main():
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "results.json")) as file:
        runs = defaultdict(list)
        for line in json.load(file):
            runs[line["table"], line["network"], line["seed"]].append(line)
    cases = defaultdict(list)
    for (table, network, _), lines in sorted(runs.items(), key=lambda run: (run[0][1] != "tree", run[0])):
        cases[f"{table} {network}"].append(figures(lines))
    rows = dict.fromkeys(row for seeds in reversed(cases.values()) for row in seeds[0])  # dense ones first
    print("| | " + " | ".join(cases) + " |")
    print("| --- |" + " --- |" * len(cases))
    for row in rows:
        cells = [[each[row] for each in seeds if row in each] for seeds in cases.values()]
        print(f"| {row} | " + " | ".join(f"{100 * sum(cell) / len(cell):.1f}" if cell else "" for cell in cells) + " |")


main()

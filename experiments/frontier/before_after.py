#!/usr/bin/python3
"""The same trainings by two builds of bitbayes: error, FLASH, RAM, Cortex-M3 instructions and ATmega2560 cycles per answer.

    before_after.py --bitbayes OLD -o before.json
    before_after.py --bitbayes NEW -o after.json
    before_after.py --table before.json after.json
"""
import argparse
import os
import pathlib
import sys
import tempfile

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
sys.path.append(str(HERE.parent / "tables"))
import measure  # noqa: E402
import networks  # noqa: E402
import tables  # noqa: E402

NAMES = ("optdigits", "letter", "semeion", "magic-wand-digits", "spambase")
KINDS = (("--tree", "21"), ("--dense", "64"))
FLAGS = ("--epochs", "10")
AVR_ROWS = 24


def run(bitbayes, data, name, kind):
    with tempfile.TemporaryDirectory() as work:
        for part, argument in zip(("train", "test"), tables.splits(data, name)[0]):
            pathlib.Path(work, f"{part}.csv").write_text("".join(tables.lines_of(argument)))
        test = f"{work}/test.csv"
        rows, differences = networks.export(bitbayes, work, f"{work}/train.csv", test, [*kind, *FLAGS])
        answers, cortex = measure.measure(f"{work}/c", rows)
        some = np.linspace(0, len(rows) - 1, AVR_ROWS).astype(int)
        avr_answers, avr = measure.measure(f"{work}/c", rows[some], measure.Atmega2560)
        if differences(answers) or differences(avr_answers, some):
            raise RuntimeError(f"{name} {kind}: a device answers differently")
        return {"error": float((answers != tables.labels(test)).mean()), "flash": cortex["flash"], "ram": cortex["ram"],
                "instructions": round(cortex["mean"]), "instructions_max": cortex["max"], "cycles": round(avr["mean"]),
                "cycles_max": avr["max"]}


def table(before, after):
    """Markdown; "old -> new" where both are known."""
    lines = ["| data | network | error % | FLASH | RAM | Cortex-M3 instructions | ATmega2560 cycles |",
             "| --- | --- |" + " ---: |" * 5]
    for key in before:
        both = [each[key] for each in (before, after) if key in each]
        cells = [" → ".join(f"{100 * each['error']:.2f}" for each in both)]
        cells += [" → ".join(f"{each[figure]:,}" for each in both) for figure in ("flash", "ram", "instructions", "cycles")]
        lines.append(f"| {' | '.join(key.split(': '))} | {' | '.join(cells)} |")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", default=os.environ.get("BITBAYES_DATA"), help="folder of the tables ($BITBAYES_DATA)")
    parser.add_argument("--bitbayes", default=networks.DEFAULT)
    parser.add_argument("-o", "--out")
    parser.add_argument("--table", nargs=2, metavar="FILE", help="only print what two runs found")
    options = parser.parse_args()
    if options.table:
        print(table(*map(tables.saved, options.table)))
        return
    for device in (measure.CortexM3, measure.Atmega2560):
        measure.check(device)
    results = {}
    for name in NAMES:
        for kind in KINDS:
            key = f"{name}: {kind[0][2:]} {kind[1]}"
            results[key] = run(options.bitbayes, options.data, name, kind)
            print(key, results[key], file=sys.stderr, flush=True)
            tables.save(options.out, results)


if __name__ == "__main__":
    main()

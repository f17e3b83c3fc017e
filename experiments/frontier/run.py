#!/usr/bin/python3
"""Error, FLASH, RAM and instructions on a Cortex-M3 of bitbayes and scikit-learn; renews results.json, the input of page.py."""
import argparse
import os

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ[variable] = "1"

import pathlib
import sys
import tempfile
import time

import numpy as np
from sklearn.model_selection import StratifiedShuffleSplit

HERE = pathlib.Path(__file__).resolve().parent
sys.path.append(str(HERE.parent / "tables"))
import measure  # noqa: E402
import networks  # noqa: E402
import sklearn_c  # noqa: E402
import tables  # noqa: E402

NAMES = ("optdigits", "letter", "semeion", "magic-wand-digits", "spambase")
RESULTS = HERE / "results.json"
SINGLE = [("tree", size) for size in (5, 11, 21)] + [("dense", size) for size in (16, 32, 64, 128, 256, 512)]
COMMITTEES = (("tree", 11), ("dense", 32), ("dense", 64), ("dense", 128))  # with two networks drawn from the posterior
MEMBERS = (("dense", 64), ("dense", 128))  # three trainings that add their scores
ABSTAINING = (("tree", 21), ("dense", 64))
ABSTAIN = "0.01"  # the error wanted of the rows that are answered, on calibration rows
CALIBRATION = 0.2  # of the training rows, held out where a network abstains


def files_of(data, name, folder):
    """train.csv and test.csv; fit.csv and calibration.csv are the two parts of train.csv. Of five folds the first."""
    train, test = map(tables.lines_of, tables.splits(data, name)[0])
    truth = [line.rsplit(",", 1)[1] for line in train]
    fit, calibration = next(StratifiedShuffleSplit(1, test_size=CALIBRATION, random_state=0).split(truth, truth))
    parts = {"train": train, "test": test, "fit": [train[k] for k in fit], "calibration": [train[k] for k in calibration]}
    for part, lines in parts.items():
        (folder / f"{part}.csv").write_text("".join(lines))


def measured(folder, rows, differences, truth, abstains=False):
    """Figures of the C on the Cortex-M3; "don't know" is an error unless the network was told to abstain."""
    answers, cost = measure.measure(folder, rows)
    if count := differences(answers):
        raise RuntimeError(f"{count} answers differ")
    known = answers >= 0
    counted = known if abstains else np.ones(len(truth), dtype=bool)
    return {"error": float((answers != truth)[counted].mean()), "unknown": float(1 - known.mean()), "flash": cost["flash"],
            "ram": cost["ram"], "instructions": round(cost["mean"]), "instructions_max": cost["max"]}


def bitbayes_results(bitbayes, folder, truth):
    plans = [(kind, kind, size, (), ()) for kind, size in SINGLE]
    plans += [("1 + 2 drawn", kind, size, (), ("--ensemble", "2")) for kind, size in COMMITTEES]
    plans += [("3 members", kind, size, ("--members", "3"), ()) for kind, size in MEMBERS]
    plans += [("abstaining", kind, size, (), ("--abstain", ABSTAIN)) for kind, size in ABSTAINING]
    for family, kind, size, train, pack in plans:
        abstains = family == "abstaining"
        known, calibration = ("fit", "calibration") if abstains else ("train", "test")
        with tempfile.TemporaryDirectory() as work:
            rows, differences = networks.export(bitbayes, work, folder / f"{known}.csv", folder / "test.csv",
                                                [f"--{kind}", str(size), *train], pack, folder / f"{calibration}.csv")
            yield f"bitbayes, {family}", f"{kind} {size}", measured(f"{work}/c", rows, differences, truth, abstains)


def sklearn_results(folder, truth):
    train, test = (np.loadtxt(folder / f"{part}.csv", delimiter=",") for part in ("train", "test"))
    for family, generate in sklearn_c.FAMILIES.items():
        for name, rows, header, code, expected in generate(train[:, :-1], train[:, -1].astype(int), test[:, :-1]):
            with tempfile.TemporaryDirectory() as work:
                pathlib.Path(work, "net.h").write_text(header)
                pathlib.Path(work, "net.c").write_text('#include "net.h"\n\n' + code)
                yield family, name, measured(work, rows, lambda answers: (answers != expected).sum(), truth)


def run_table(options, name):
    with tempfile.TemporaryDirectory() as work:
        folder = pathlib.Path(work)
        files_of(options.data, name, folder)
        truth = tables.labels(str(folder / "test.csv"))
        parts = {"bitbayes": lambda: bitbayes_results(options.bitbayes, folder, truth),
                 "baselines": lambda: sklearn_results(folder, truth)}
        for part in [options.only] if options.only else parts:
            found, started = [], time.time()
            for family, network, result in parts[part]():
                found.append({"family": family, "name": network} | result)
                print(f"{name}, {family}, {network}: {100 * result['error']:.2f} %, {result['flash']} bytes, "
                      f"{result['instructions']} instructions", file=sys.stderr, flush=True)
            results = tables.saved(RESULTS)
            results.setdefault(name, {"test_rows": len(truth)})[part] = found
            results["programs"] = measure.versions()
            tables.save(str(RESULTS), results)
            print(f"{name}, {part}: {time.time() - started:.0f} s", file=sys.stderr, flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", default=os.environ.get("BITBAYES_DATA"), help="folder of the tables ($BITBAYES_DATA)")
    parser.add_argument("--bitbayes", default=networks.DEFAULT)
    parser.add_argument("--tables", default=",".join(NAMES))
    parser.add_argument("--only", choices=("bitbayes", "baselines"), help="the other part of results.json stays")
    options = parser.parse_args()
    measure.check(measure.CortexM3)
    for name in options.tables.split(","):
        run_table(options, name)


main()

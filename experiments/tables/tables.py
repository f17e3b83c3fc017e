"""The tables, their fixed splits, and the figures that bitbayes and scikit-learn are compared by.

A split is two DATA arguments of bitbayes, to train and to test; load() reads the same argument, so both see the same rows.
"""
import gzip
import json
import os

import numpy as np
from sklearn.datasets import load_svmlight_file
from sklearn.model_selection import StratifiedKFold

FOLDS = os.path.join(os.path.dirname(__file__), "../../build/tables")
BINS, MIN_PROBABILITY = 15, 1e-12  # as src/learn/metrics.cpp
LIBSVM_COLUMNS = {"a9a": 123, "elec-vs-med": 28782, "comp-pc-vs-mac": 21317}

FOLDED = {  # five stratified folds; the others have a split of their own
    "magic-wand-digits": "magic-wand-digits/magic-wand-digits.csv.gz",
    "semeion": "semeion/semeion.csv.gz",
    "spambase": "spambase/spambase.csv.gz",
    "elec-vs-med": "20newsgroups/elec-vs-med.libsvm.gz",
    "comp-pc-vs-mac": "20newsgroups/comp-pc-vs-mac.libsvm.gz",
}
SPLIT = {
    "optdigits": ("optdigits/optdigits.tra.csv.gz", "optdigits/optdigits.tes.csv.gz"),
    "letter": ("letter/letter.csv.gz#0:16000", "letter/letter.csv.gz#16000:20000"),
    "a9a": ("a9a/a9a.libsvm.gz", "a9a/a9a.t.libsvm.gz"),
    "ocr-letters": ("ocr-letters/ocr-train-images-idx3-ubyte.gz,ocr-letters/ocr-train-labels-idx1-ubyte.gz",
                    "ocr-letters/ocr-test-images-idx3-ubyte.gz,ocr-letters/ocr-test-labels-idx1-ubyte.gz"),
    "mnist": ("mnist/train-images-idx3-ubyte.gz,mnist/train-labels-idx1-ubyte.gz",
              "mnist/t10k-images-idx3-ubyte.gz,mnist/t10k-labels-idx1-ubyte.gz"),
}
NAMES = [*FOLDED, *SPLIT]  # small ones first
METHODS = ("LogisticRegression", "MLPClassifier", "HistGradientBoosting")  # of baselines.py
SPARSE = set(LIBSVM_COLUMNS)


def splits(folder, name):
    """The (train, test) arguments of a table; folds are written on first use, lines as they stand in the original."""
    if name in SPLIT:
        return [tuple(",".join(os.path.join(folder, part) for part in side.split(",")) for side in SPLIT[name])]
    return [write_fold(folder, name, fold) for fold in range(5)]


def write_fold(folder, name, fold):
    source = os.path.join(folder, FOLDED[name])
    kind = source.split(".")[-2]
    paths = tuple(os.path.join(FOLDS, f"{name}.{fold}.{side}.{kind}") for side in ("train", "test"))
    if not all(map(os.path.exists, paths)):
        os.makedirs(FOLDS, exist_ok=True)
        lines, truth = lines_of(source), labels(source)
        folds = StratifiedKFold(5, shuffle=True, random_state=0).split(truth, truth)
        for path, rows in zip(paths, list(folds)[fold]):
            with open(f"{path}.{os.getpid()}", "w") as file:
                file.writelines(lines[row] for row in rows)
            os.replace(f"{path}.{os.getpid()}", path)
    return paths


def lines_of(argument):
    path, _, rows = argument.partition("#")
    with (gzip.open if path.endswith(".gz") else open)(path, "rt") as file:
        lines = file.readlines()
    return lines[slice(*map(int, rows.split(":")))] if rows else lines


def read_idx(path):
    with gzip.open(path) as file:
        content = file.read()
    dimensions = content[3]
    shape = np.frombuffer(content, ">u4", dimensions, 4)
    return np.frombuffer(content, np.uint8, offset=4 + 4 * dimensions).reshape(shape)


def labels(argument):
    if "idx" in argument:
        return read_idx(argument.split(",")[1]).astype(int)
    if ".libsvm" in argument:
        return np.array([int(line.split(maxsplit=1)[0]) for line in lines_of(argument)])
    return np.array([int(line.rsplit(",", 1)[1]) for line in lines_of(argument)])


def load(name, argument):
    """Features (sparse ones as CSR) and labels."""
    if "idx" in argument:
        images = read_idx(argument.split(",")[0])
        return images.reshape(len(images), -1).astype(np.float32), labels(argument)
    if name in SPARSE:
        x, y = load_svmlight_file(argument, n_features=LIBSVM_COLUMNS[name], dtype=np.float32)
        return x, y.astype(int)
    table = np.loadtxt(lines_of(argument), delimiter=",")
    return table[:, :-1], table[:, -1].astype(int)


def figures(probability, truth):
    """Error, NLL and ECE of the probabilities (rows x classes), truth as column indices."""
    probability = probability.astype(float)
    rows = np.arange(len(truth))
    correct = probability.argmax(1) == truth
    sure = probability.max(1)
    place = np.minimum(BINS - 1, (sure * BINS).astype(int))
    off = np.bincount(place, weights=sure - correct, minlength=BINS)
    nll = -np.log(np.maximum(probability[rows, truth], MIN_PROBABILITY)).mean()
    return {"error": float(1 - correct.mean()), "nll": float(nll), "ece": float(np.abs(off).sum() / len(truth))}


def saved(path):
    if not os.path.exists(path):
        return {}
    with open(path) as file:
        return json.load(file)


def save(path, results):
    with open(path + ".tmp", "w") as file:
        json.dump(results, file, indent=1)
    os.replace(path + ".tmp", path)

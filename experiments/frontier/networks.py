"""Networks of bitbayes as C, made by its command line: train, pack, export c --verify."""
import csv
import io
import pathlib
import re

import numpy as np

from measure import call


def halves_away_from_zero(x):
    return np.trunc(x + np.copysign(0.5, x))


def halves_up(x):
    return np.floor(x) + (x - np.floor(x) >= 0.5)


FORMULAS = {
    "round(value), halves away from 0": lambda value, origin, step: halves_away_from_zero(value),
    "round((value - origin) / step), halves away from 0":
        lambda value, origin, step: halves_away_from_zero((value - origin) / step),
    "round(value / step) - origin / step, halves up": lambda value, origin, step: halves_up(value / step) - origin / step,
}
DEFAULT = pathlib.Path(__file__).resolve().parents[2] / "build/release/bitbayes"


class Library:
    """What the library answers."""

    def __init__(self, bitbayes, network, test):
        lines = list(csv.DictReader(io.StringIO(call(bitbayes, "predict", network, test, "-q"))))
        self.label, self.margin, self.known = (np.array([float(line[name]) for line in lines]) for name in ("label", "margin", "known"))

    def differences(self, answers, abstain_below, rows):
        """Rows answered otherwise. A row may also be unknown for its values alone, which columns that saturate need not show."""
        as_label = (answers == self.label[rows]) & (self.margin[rows] >= abstain_below)
        return int((~np.where(self.known[rows] == 1, as_label, as_label | (answers == -1))).sum())


def export(bitbayes, folder, train, test, flags, pack=(), calibration=None):
    """Writes folder/c/net.{h,c}; returns the test rows as the device receives them and a function that counts wrong answers to them."""
    folder = pathlib.Path(folder)
    model, network = folder / "net.bb", folder / "net.bbn"
    call(bitbayes, "train", train, "-o", model, "--threads", "1", "--seed", "1", "-q", "--force", *flags)
    call(bitbayes, "pack", model, "-o", network, "--data", calibration or test, "--threads", "1", "-q", "--force", *pack)
    call(bitbayes, "export", "c", network, "-o", folder / "c", "--name", "net", "--verify", test, "-q")
    abstain_below = int(re.search(r"#define NET_ABSTAIN_BELOW (\d+)", (folder / "c" / "net.h").read_text())[1])
    library = Library(bitbayes, network, test)
    return received(folder / "c" / "README.md", test), lambda answers, rows=slice(None): library.differences(answers, abstain_below, rows)


def received(readme, test):
    """By the formula of the export's README.md, "Each holds ...", which rounds values, or values less origin in steps."""
    text = readme.read_text()
    formula, low, high = re.search(r"Each holds (.+), saturated to (-?\d+) \.\. (\d+)", text).groups()
    values = np.loadtxt(test, delimiter=",")[:, :-1]
    origin, step = np.zeros(values.shape[1]), np.ones(values.shape[1])
    for column, *scale in re.findall(r"^\| (\d+) \| (\S+) \| (\S+) \|$", text, re.M):
        origin[int(column)], step[int(column)] = map(float, scale)
    if common := re.search(r"^origin = (\S+), step = (\S+)\.$", text, re.M):
        origin[:], step[:] = map(float, common.groups())
    numbers = FORMULAS[formula](values, origin, step)
    return np.clip(numbers, int(low), int(high)).astype(int)

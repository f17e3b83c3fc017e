"""The parameters of BitBayesClassifier: the library's table of options in scikit-learn's words."""
from __future__ import annotations

import inspect
import operator
import os
import textwrap
from numbers import Integral
from typing import Any, NamedTuple, Optional

import numpy as np
from sklearn.utils import check_random_state

from . import _core

_TREE = (101,)  # hidden neurons per class, unless `hidden_layers` says otherwise


class _Parameter(NamedTuple):
    default: Any
    kind: str
    text: str


# What takes the place of an option of the table.
_REPLACED: dict[str, dict[str, _Parameter]] = {
    "tree": {
        "architecture": _Parameter(
            "auto", "{'auto', 'tree', 'dense'}",
            "tree: each class has hidden neurons of its own, as in the paper; dense: all classes share the hidden "
            "layers; auto: dense"),
        "hidden_layers": _Parameter(
            None, "int, sequence of int or None",
            "Neurons of each hidden layer, input side first; of a tree: per class. Empty: no hidden layer. None: "
            "101 for a tree; for dense 1024, fewer where columns are many"),
    },
    "dense": {},
    "seed": {
        "random_state": _Parameter(
            1, "int, RandomState instance or None",
            "Decides everything random: the start and the order of the rows. None: another seed each time"),
    },
    "threads": {
        "n_jobs": _Parameter(
            None, "int or None", "Threads. None and -1: all cores, -2: all but one; results do not change"),
    },
    "class_weight": {
        "class_weight": _Parameter(
            None, "dict, 'balanced' or None",
            "Weights of the classes by label, 1 for others, which `fit` scales to 1 on average over its rows; "
            "balanced: rare classes count as much as frequent ones"),
    },
}

_ADDED = {
    "image_shape": _Parameter(
        None, "(height, width) or None",
        "The rows are images, line by line: decides what `preprocess` auto does, and allows `augment`"),
    "input_range": _Parameter(
        None, "(low, high) or None",
        "Lowest and highest value of the columns, numbers or one per column, for a stream: `partial_fit` then takes "
        "the statistics of the columns from it instead of from its first rows"),
    "warm_start": _Parameter(
        False, "bool",
        "Let `fit` go on from the posterior of the fit before: `epochs` passes in the order of the rows, 1 for auto"),
    "verbose": _Parameter(0, "int", "1: progress on stderr, as a bar if tqdm is installed"),
}

# Values of the table's options in the words of Python; others are text.
_TYPES = {"N": "int", "X": "float", "EPS": "float", "BYTES": "int", "NAME": "str", "A:B": "(float, float)",
          "A[,B]": "float or (float, float)"}


def _parameter(option: _core.Option) -> _Parameter:
    if isinstance(option.default, bool):
        # The help is that of a flag: what happens if the value is not the default.
        return _Parameter(option.default, "bool", f"{not option.default}: {option.help[0].lower()}{option.help[1:]}")
    kinds = [_TYPES.get(each, repr(each)) for each in option.values.split("|")]
    return _Parameter(option.default, " or ".join(kinds + ["None"] * (option.default is None)), option.help)


OPTIONS = [option for option in _core.options() if option.name not in _REPLACED]  # passed on as they are


def _parameters() -> dict[str, _Parameter]:
    """In the order of the table."""
    parameters: dict[str, _Parameter] = {}
    for option in _core.options():
        if option.name in _REPLACED:
            parameters.update(_REPLACED[option.name])
        else:
            parameters[option.name] = _parameter(option)
    return {**parameters, **_ADDED}


PARAMETERS = _parameters()


def section() -> str:
    """The part "Parameters" of the documentation."""
    lines = ["Parameters", "----------"]
    for name, (default, kind, text) in PARAMETERS.items():
        lines.append(f"{name} : {kind}, default={default!r}")
        lines += textwrap.wrap(text + ".", 112, initial_indent="    ", subsequent_indent="    ")
    return "\n".join(lines)


def signature() -> inspect.Signature:
    """Of __init__."""
    return inspect.Signature(
        [inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)] +
        [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=parameter.default)
         for name, parameter in PARAMETERS.items()])


def threads(n_jobs: Optional[int]) -> int:
    if n_jobs is None or n_jobs == -1:
        return 0
    jobs = operator.index(n_jobs)
    if jobs == 0:
        raise ValueError("n_jobs: 0 threads; None or -1 are all cores")
    return jobs if jobs > 0 else max(1, (os.cpu_count() or 1) + 1 + jobs)


def seed(random_state: Any) -> int:
    if isinstance(random_state, Integral):
        return int(random_state)
    return int(check_random_state(random_state).randint(2**31 - 1))


def layers(architecture: str, hidden_layers: Any) -> dict[str, list[int]]:
    """The options `tree` and `dense`."""
    if architecture not in ("auto", "tree", "dense"):
        raise ValueError(f"architecture: {architecture!r} is not 'auto', 'tree' or 'dense'")
    if hidden_layers is None:
        return {"tree": list(_TREE)} if architecture == "tree" else {}
    try:
        widths = [operator.index(width) for width in np.atleast_1d(hidden_layers).tolist()]
    except TypeError:
        raise TypeError(f"hidden_layers: {hidden_layers!r} is not a whole number or a sequence of them") from None
    if any(width < 1 for width in widths):
        raise ValueError(f"hidden_layers: {hidden_layers!r}; layers have at least one neuron")
    return {"dense" if widths and architecture != "tree" else "tree": widths}

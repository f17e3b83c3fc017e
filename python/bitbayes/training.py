"""Training as a function, and what it shares with the estimator: labels, weights, progress."""
from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, Callable, Mapping, NamedTuple, Optional, Sequence

import numpy as np
from numpy.typing import NDArray

from . import _core
from .table import Table, labels_of_names

Progress = Callable[[dict[str, Any]], Optional[bool]]


@dataclass(frozen=True)
class TrainResult:
    """What `train` returns.

    Attributes
    ----------
    model : Model
    history : list of dict
        One per epoch: epoch, samples_seen, seconds, error_progressive, and of the test rows error_map,
        error_mean, nll, brier, ece and validity.
    options : dict
        All options, with the choices that were left to the data.
    trials : list of (evidence, nll)
        The short runs that chose the evidence; empty if it was given.
    seconds, seconds_auto, seconds_polish : float
        Of the epochs, of the trials, of polishing.
    error_progressive : float
        Of the first epoch, each row answered before it is learned.
    test : dict or None
        Of the last epoch, with the polished network.
    """

    model: _core.Model
    history: list[dict[str, Any]]
    options: dict[str, Any]
    trials: list[tuple[float, float]]
    seconds: float
    seconds_auto: float
    seconds_polish: float
    error_progressive: float
    test: Optional[dict[str, Any]]


def label_text(label: Any) -> str:
    """The name of a class in a model: 3, 3.0 and numpy.int8(3) are "3"."""
    if not isinstance(label, (bool, np.bool_)) and (
            isinstance(label, Integral) or isinstance(label, Real) and float(label).is_integer()):
        return str(int(label))
    return str(label)


class Classes(NamedTuple):
    """The labels in ascending order, and their names in a model."""

    labels: NDArray[Any]
    names: list[str]

    def indices(self, y: Any) -> NDArray[np.uint32]:
        """The index of each label; ValueError for one that is none of `labels`."""
        found, inverse = _unique(y)
        index = {label: k for k, label in enumerate(self.labels.tolist())}
        try:
            known = [index[label] for label in found.tolist()]
        except KeyError as error:
            raise ValueError(f"y: the label {error.args[0]!r} is none of the classes "
                             f"{_shortened(self.names)}") from None
        return np.array(known, dtype=np.uint32)[inverse]


def _shortened(names: Sequence[str]) -> str:
    return ", ".join(names) if len(names) <= 10 else ", ".join(names[:10]) + ", ..."


def _unique(y: Any) -> tuple[NDArray[Any], NDArray[np.intp]]:
    y = np.asarray(y)
    if y.ndim != 1:
        raise ValueError(f"y: an array of {y.ndim} dimensions; labels are one per row")
    if y.dtype.kind in "fc" and not np.isfinite(y).all():
        raise ValueError("y: Input contains NaN or infinity, which are no labels")
    try:
        labels, indices = np.unique(y, return_inverse=True)
    except TypeError as error:
        raise ValueError(f"y: labels that cannot be sorted ({error})") from None
    return labels, indices


def classes_of(y: Any) -> tuple[Classes, NDArray[np.uint32]]:
    """The classes of the labels, and the index of each label."""
    labels, indices = _unique(y)
    names = [label_text(label) for label in labels.tolist()]
    if len(set(names)) < len(names):
        raise ValueError(f"y: two labels have the same text: {_shortened(names)}")
    return Classes(labels, names), indices.astype(np.uint32)


def weights_of(class_weight: Optional[Mapping[Any, float]], classes: Classes, labels: NDArray[np.uint32],
               sample_weight: Any, relative: bool = False) -> Optional[NDArray[np.float32]]:
    """How many times each row counts; None: once. Classes that `class_weight` does not name have weight 1.

    `relative`: the weights of the classes are scaled to 1 on average over the rows.
    """
    if class_weight is None:
        return None if sample_weight is None else np.asarray(sample_weight, dtype=np.float32)
    of_class = np.ones(len(classes.names))
    for label, weight in class_weight.items():
        if label_text(label) not in classes.names:
            raise ValueError(f"class_weight: no row is of class {label!r}")
        if not 0 <= weight < np.inf:
            raise ValueError(f"class_weight: a weight of {weight!r}; weights are 0 or more")
        of_class[classes.names.index(label_text(label))] = weight
    weights = of_class[labels]
    if relative and weights.any():
        weights /= weights.mean()
    if sample_weight is not None:
        weights = weights * np.asarray(sample_weight, dtype=np.float64)
    return weights.astype(np.float32)


class Bar:
    """Progress on stderr: a bar of tqdm if it is there, else a line per epoch."""

    def __init__(self) -> None:
        self._epoch = 0
        self._bar: Any = None
        try:
            from tqdm import tqdm
            self._tqdm: Any = tqdm
        except ImportError:
            self._tqdm = None

    def __call__(self, now: dict[str, Any]) -> None:
        if self._tqdm is not None:
            self._draw(now)
        elif now["epoch"] > self._epoch and not now["polish_round"]:
            self._epoch = now["epoch"]
            print(f"epoch {now['epoch']} of {now['epochs']}", file=sys.stderr)

    def _draw(self, now: dict[str, Any]) -> None:
        rows = now["samples_per_epoch"]
        if self._bar is None:
            self._bar = self._tqdm(total=now["epochs"] * rows, unit=" rows", unit_scale=True, file=sys.stderr)
        if now["polish_round"]:
            self._bar.set_description(f"polishing, round {now['polish_round']}")
            return
        self._bar.set_description(f"epoch {now['epoch']} of {now['epochs']}", refresh=False)
        self._bar.set_postfix(error=f"{now['error_progressive']:.2%}", refresh=False)
        self._bar.update((now["epoch"] - 1) * rows + now["sample"] - self._bar.n)

    def close(self, history: Sequence[dict[str, Any]]) -> None:
        """Leaves the bar, and says what the last epoch came to."""
        if self._bar is not None:
            self._bar.close()
        if history:
            last = history[-1]
            print(f"{last['epoch']} epochs, error {last['error_progressive']:.2%} while learning the last one",
                  file=sys.stderr)


def train(X: Any, y: Any = None, *, test: Any = None, sample_weight: Any = None, feature_names: Sequence[str] = (),
          image_shape: Optional[tuple[int, int]] = None, progress: Optional[Progress] = None,
          **options: Any) -> TrainResult:
    """Trains a model, as `bitbayes train` does: same rows, options and seed give the same bytes.

    Parameters
    ----------
    X : Table, or array or CSR matrix of shape (rows, features)
        NaN is a missing value.
    y : array of shape (rows,)
        Labels; none for a Table, which has its own.
    test : Table or (X, y), optional
        Rows to test on after each epoch.
    sample_weight : array of shape (rows,), optional
        How many times each row counts.
    feature_names : sequence of str, optional
    image_shape : (height, width), optional
        The rows are images: decides what `preprocess="auto"` does, and allows `augment`.
    progress : callable, optional
        Called with a dict about ten times a second; returning False stops the run.
    **options
        Those of `bitbayes.options()`, by name. `class_weight` may also be a dict of weights by label.

    Returns
    -------
    TrainResult

    Examples
    --------
    >>> import bitbayes
    >>> result = bitbayes.train(bitbayes.read("teacher:9#0:500"), tree=9, epochs=3)
    >>> result.model.samples_seen, len(result.history)
    (1500, 3)
    """
    if isinstance(X, Table):
        if y is not None or sample_weight is not None or len(feature_names) or image_shape is not None:
            raise TypeError("a Table has labels, weights, names and image shape of its own")
        rows, given = X.dataset, None
        classes, labels = Classes(labels_of_names(X.class_names), X.class_names), X.dataset.labels
        sample_weight = X.sample_weight
    else:
        if y is None:
            if isinstance(X, (str, os.PathLike)):
                raise TypeError(f"X is the name of a file; bitbayes.read({os.fspath(X)!r}) reads it")
            raise TypeError("y: an array of rows needs labels")
        classes, labels = classes_of(y)
        rows, given = X, labels
    class_weight = options.pop("class_weight") if isinstance(options.get("class_weight"), Mapping) else None
    weights = weights_of(class_weight, classes, labels, sample_weight)
    trainer = _core.Trainer(rows, given, None if given is None else classes.names, options=options, weights=weights,
                            column_names=list(feature_names), image_shape=image_shape, test=_test_of(test, classes))
    trainer.run(progress)
    return TrainResult(trainer.model(), trainer.history, trainer.options, trainer.trials, trainer.seconds,
                       trainer.seconds_auto, trainer.seconds_polish, trainer.error_progressive, trainer.test)


def _test_of(test: Any, classes: Classes) -> Any:
    if test is None:
        return None
    if isinstance(test, Table):
        return test.dataset
    X, y = test
    return X, classes.indices(y)

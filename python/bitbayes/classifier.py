"""Estimators for scikit-learn. The parameters of BitBayesClassifier come from the library's table of options."""
from __future__ import annotations

import math
import os
from collections.abc import Mapping
from typing import Any, Optional, Sequence

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, check_is_fitted

from . import _core, display, parameters
from .table import labels_of_names
from .training import Bar, Classes, classes_of, weights_of

_DTYPES = (np.float64, np.float32, np.uint8)  # that the library reads where they lie
_READ_IN_PLACE = {np.dtype(each) for each in _DTYPES}
_CHECKS: dict[str, Any] = {"accept_sparse": "csr", "dtype": list(_DTYPES), "force_all_finite": "allow-nan"}
_RANGE_ROWS = 256  # that stand for `input_range`

_DOCUMENTATION = """A network of binary weights, trained by closed-form Bayes updates.

{parameters}

Attributes
----------
classes_ : ndarray of shape (n_classes,)
    The labels, ascending.
n_features_in_ : int
    Number of columns seen in fit.
feature_names_in_ : ndarray of shape (n_features_in_,)
    Names of the columns seen in fit; only if they are all strings.
model_ : bitbayes.Model
    The posterior; it learns on in `partial_fit`.
history_ : list of dict
    One per epoch: epoch, samples_seen, seconds, error_progressive.
options_ : dict
    The library's options, with the choices that were left to the data.

Notes
-----
NaN is a missing value. float64, float32 and uint8 arrays are read where they lie, other numbers become float64,
sparse rows stay sparse. Values are checked by `fit`. A parameter that is None is the library's default.

Examples
--------
>>> from sklearn.datasets import load_digits
>>> from sklearn.model_selection import train_test_split
>>> from bitbayes import BitBayesClassifier
>>> X_train, X_test, y_train, y_test = train_test_split(*load_digits(return_X_y=True), random_state=0)
>>> digits = BitBayesClassifier(architecture="tree", hidden_layers=21, epochs=5, evidence=1).fit(X_train, y_train)
>>> digits.score(X_test, y_test) > 0.9
True
>>> digits.predict_proba(X_test).shape
(450, 10)

One row of a stream at a time:

>>> stream = BitBayesClassifier(architecture="tree", hidden_layers=21, input_range=(0, 16))
>>> for row in range(100):
...     stream = stream.partial_fit(X_train[row:row + 1], y_train[row:row + 1], classes=range(10))
>>> stream.model_.samples_seen
100
"""


def _range_rows(input_range: Any, columns: int) -> Any:
    """Rows evenly spaced between the lowest and the highest values."""
    try:
        low, high = (np.broadcast_to(np.asarray(end, dtype=np.float64), (columns,)) for end in input_range)
    except (TypeError, ValueError):
        raise ValueError("input_range: not (low, high), numbers or sequences of one number per column") from None
    if not (np.isfinite(low).all() and np.isfinite(high).all() and (low <= high).all()):
        raise ValueError("input_range: every column needs low <= high, both finite")
    return np.linspace(low, high, _RANGE_ROWS)


def _no_infinity(X: Any) -> bool:
    # A finite sum of squares tells in one pass; it is not finite for NaN and huge numbers either.
    return X.dtype == np.uint8 or math.isfinite(np.vdot(X, X)) or not np.isinf(X).any()


class _Classifier(ClassifierMixin, BaseEstimator):
    """Rows and labels of both estimators."""

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_columns")

    def _rows(self, X: Any) -> Any:
        """Rows to answer, checked. Arrays of the right shape and type go to the library as they are."""
        if type(X) is np.ndarray and X.ndim == 2 and X.dtype in _READ_IN_PLACE:
            rows, columns = X.shape
            if rows > 0 and columns == self.__dict__.get("_columns") and _no_infinity(X):
                return X
        check_is_fitted(self)
        return self._validate_data(X, reset=False, **_CHECKS)

    def _take_classes(self, classes: Classes) -> None:
        self.classes_ = classes.labels
        self._names = dict(zip(classes.labels.tolist(), classes.names))
        # Arrays have no column names: if the estimator knows them, scikit-learn has something to say.
        self._columns = -1 if hasattr(self, "feature_names_in_") else self.n_features_in_

    def _classes(self) -> Classes:
        return Classes(self.classes_, list(self._names.values()))

    def _take_columns(self, source: Any) -> None:
        """Columns and classes of a file."""
        self.n_features_in_ = source.features
        if source.column_names:
            self.feature_names_in_ = np.array(source.column_names, dtype=object)
        self._take_classes(Classes(labels_of_names(source.class_names), source.class_names))

    def _html(self) -> Optional[str]:
        """How it looks in a notebook; None: like other estimators."""
        raise NotImplementedError

    def _repr_html_inner(self) -> str:
        return self._html() or super()._repr_html_inner()

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, Any]:
        bundle: dict[str, Any] = super()._repr_mimebundle_(**kwargs)
        if "text/html" in bundle:
            bundle["text/html"] = self._html() or bundle["text/html"]
        return bundle

    def _more_tags(self) -> dict[str, Any]:
        reason = ("with weights of zero: a row of weight 0 teaches nothing, but it has a place in the order of the "
                  "rows and a part in the statistics of the columns, and what is learned depends on both")
        return {"allow_nan": True, "_xfail_checks": {"check_sample_weights_invariance": reason}}


def _has_probabilities(estimator: BitBayesClassifier) -> bool:
    return bool(estimator.algorithm != "backprop")


class BitBayesClassifier(_Classifier):
    __doc__ = _DOCUMENTATION.format(parameters=parameters.section())

    def __init__(self, **given: Any) -> None:
        bound = self._signature.bind(self, **given)
        bound.apply_defaults()
        for name in parameters.PARAMETERS:
            setattr(self, name, bound.arguments[name])

    _signature = parameters.signature()
    __init__.__signature__ = _signature  # type: ignore[attr-defined]

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> BitBayesClassifier:
        """Learns the rows, `epochs` times.

        Ctrl-C leaves the estimator fitted with what it has learned so far, and raises KeyboardInterrupt.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)
        y : array of shape (n_samples,)
        sample_weight : array of shape (n_samples,), optional
            How many times each row counts.
        """
        go_on = self.warm_start and hasattr(self, "model_")
        X, y = self._validate_data(X, y, reset=not go_on, **_CHECKS)
        check_classification_targets(y)
        classes, labels = (self._classes(), self._classes().indices(y)) if go_on else classes_of(y)
        weights = self._weights(classes, labels, sample_weight, X, relative=True)
        if go_on:
            self._fit_on(X, classes, labels, weights)
        else:
            self._fit_anew(X, classes, labels, weights)
        return self

    def _fit_anew(self, X: Any, classes: Classes, labels: Any, weights: Any) -> None:
        options, described = self._options(), self._description()
        try:
            trainer = _core.Trainer(X, labels, classes.names, options=options, weights=weights, **described)
        except KeyboardInterrupt:
            self._take(_core.new_model(X, classes.names, options, **described), classes, options)
            raise
        bar = Bar() if self.verbose else None
        try:
            trainer.run(bar)
        finally:
            self._take(trainer.model(), classes, trainer.options, trainer.history)
            if bar is not None:
                bar.close(self.history_)

    def _fit_on(self, X: Any, classes: Classes, labels: Any, weights: Any) -> None:
        threads = parameters.threads(self.n_jobs)
        for _ in range(1 if self.epochs in (None, "auto") else int(self.epochs)):
            report = self.model_.update(X, labels, classes.names, weights, threads)
            self.history_.append({"epoch": len(self.history_) + 1, "samples_seen": self.model_.samples_seen,
                                  "seconds": report["seconds"], "error_progressive": report["error_progressive"]})
        rounds = int(self.polish or 0)
        if rounds > 0 and self.model_.algorithm == "mfb":
            self.model_.polish(X, labels, classes.names, weights, rounds, threads)

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> BitBayesClassifier:
        """Learns each row once, in order: the posterior is the next prior.

        The first call makes the network. It needs all classes and the statistics of the columns: those of its
        rows, at least two, or of `input_range`. Evidence auto is then a fixed value, without trials.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)
        y : array of shape (n_samples,)
        classes : array of shape (n_classes,)
            All labels that will ever come; not needed after the first call.
        sample_weight : array of shape (n_samples,), optional
            How many times each row counts.
        """
        if sample_weight is None and self._learn_one(X, y):
            return self
        first = not hasattr(self, "model_")
        if first and classes is None:
            raise ValueError("classes: the first call of partial_fit needs the labels of all classes")
        known = self._classes() if classes is None else classes_of(np.asarray(list(classes)))[0]
        if not first and not np.array_equal(known.labels, self.classes_):
            raise ValueError("classes: not those of the first call of partial_fit")
        if isinstance(self.class_weight, str):
            raise ValueError(f"class_weight: {self.class_weight!r} is not for partial_fit, which does not know "
                             "the rows to come; give weights by label")
        X, y = self._validate_data(X, y, reset=first, **_CHECKS)
        labels = known.indices(y)
        weights = self._weights(known, labels, sample_weight, X)
        if first:
            options = self._options()
            model = _core.new_model(self._statistics(X), known.names, options, **self._description())
            self._take(model, known, options)
        self.model_.update(X, labels, known.names, weights, parameters.threads(self.n_jobs))
        return self

    def _learn_one(self, X: Any, y: Any) -> bool:
        """Learns a single row of an array the short way; False if it is anything else."""
        if type(X) is not np.ndarray or type(y) not in (np.ndarray, list) or self.class_weight is not None:
            return False
        state = self.__dict__
        if X.shape != (1, state.get("_columns")) or X.dtype not in _READ_IN_PLACE or len(y) != 1:
            return False
        if not _no_infinity(X):
            return False
        try:
            name = state["_names"][y[0]]
        except (KeyError, TypeError):  # no class, or not even hashable
            return False
        state["model_"].learn(X[0], name)
        return True

    def _statistics(self, X: Any) -> Any:
        if self.input_range is not None:
            rows = _range_rows(self.input_range, X.shape[1])
            return sparse.csr_matrix(rows) if sparse.issparse(X) else rows
        if X.shape[0] < 2:
            raise ValueError("the first call of partial_fit has 1 sample: it needs two or more for the statistics "
                             "of the columns, or `input_range`")
        return X

    def predict(self, X: Any, mode: str = "mean") -> Any:
        """The most probable class of each row.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)
        mode : {"mean", "map"}
            mean: averaged over the posterior; map: by the clipped network, every weight +1 or -1.
        """
        rows = self._rows(X)
        return self.classes_.take(self.model_.predict(rows, mode, parameters.threads(self.n_jobs)).class_index)

    @available_if(_has_probabilities)
    def predict_proba(self, X: Any) -> Any:
        """Probabilities of the classes, in the order of `classes_`, averaged over the posterior."""
        rows = self._rows(X)
        return self.model_.probabilities(rows, parameters.threads(self.n_jobs))

    @available_if(_has_probabilities)
    def predict_log_proba(self, X: Any) -> Any:
        """Logarithms of `predict_proba`."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    @available_if(_has_probabilities)
    def decision_function(self, X: Any) -> Any:
        """Log probabilities of the classes; with two classes the log odds of the second, one number per row."""
        logs = np.log(np.maximum(self.predict_proba(X), np.finfo(np.float64).tiny))
        if logs.shape[1] > 2:
            return logs
        odds = logs[:, 1] - logs[:, 0]
        return np.where(odds == 0, np.finfo(np.float64).tiny, odds)  # even odds: the second class is the answer

    def validity(self, X: Any) -> Any:
        """The probability that exactly one class says "yes": low for rows unlike those that were learned."""
        rows = self._rows(X)
        return self.model_.predict(rows, "mean", parameters.threads(self.n_jobs)).validity

    def margin(self, X: Any) -> Any:
        """The winner minus the runner-up, in standard deviations: low where the network is torn."""
        rows = self._rows(X)
        return self.model_.predict(rows, "mean", parameters.threads(self.n_jobs)).margin

    def clip(self, draws: int = 0) -> ClippedClassifier:
        """The network of single bits as an estimator; `draws` more, drawn from the posterior, add scores."""
        check_is_fitted(self)
        return ClippedClassifier(clone(self), draws)._take(self)

    def export_c(self, folder: Any, **options: Any) -> list[str]:
        """Writes the clipped network as C; options as in `bitbayes.export_c`. Returns the names of the files."""
        return self.clip().export_c(folder, **options)

    def export_verilog(self, folder: Any, **options: Any) -> list[str]:
        """Writes the clipped network as Verilog; options as in `bitbayes.export_verilog`."""
        return self.clip().export_verilog(folder, **options)

    def save(self, path: Any, overwrite: bool = False) -> None:
        """Writes the model to a file that the command line reads too. Parameters are not in it; pickle keeps them."""
        check_is_fitted(self)
        self.model_.save(os.fspath(path), overwrite)

    @classmethod
    def load(cls, path: Any) -> BitBayesClassifier:
        """An estimator of a model file. Labels are integers if all class names are, else str."""
        model = _core.Model.load(os.fspath(path))
        estimator = cls(algorithm=model.algorithm)
        estimator.model_, estimator.history_, estimator.options_ = model, [], {}
        estimator._take_columns(model)
        return estimator

    def _options(self) -> dict[str, Any]:
        options = {}
        for option in parameters.OPTIONS:
            value = getattr(self, option.name)
            if value is not None:
                options[option.name] = value.item() if isinstance(value, np.generic) else value
        options.update(parameters.layers(self.architecture, self.hidden_layers))
        options.update(seed=parameters.seed(self.random_state), threads=parameters.threads(self.n_jobs))
        if isinstance(self.class_weight, str):
            options["class_weight"] = self.class_weight
        return options

    def _description(self) -> dict[str, Any]:
        """What the library should know of the columns."""
        return {"column_names": list(getattr(self, "feature_names_in_", ())), "image_shape": self.image_shape}

    def _weights(self, classes: Classes, labels: Any, sample_weight: Any, X: Any, relative: bool = False) -> Any:
        if sample_weight is not None:
            sample_weight = _check_sample_weight(sample_weight, X)
        by_label = None if isinstance(self.class_weight, str) else self.class_weight
        if by_label is not None and not isinstance(by_label, Mapping):
            raise TypeError(f"class_weight: {by_label!r} is not a dict, 'balanced' or None")
        return weights_of(by_label, classes, labels, sample_weight, relative)

    def _take(self, model: _core.Model, classes: Classes, options: dict[str, Any],
              history: Sequence[dict[str, Any]] = ()) -> None:
        self.model_ = model
        self.options_ = options
        self.history_ = list(history)
        self._take_classes(classes)

    def _html(self) -> Optional[str]:
        return display.model_html(self.model_) if hasattr(self, "model_") else None


class ClippedClassifier(_Classifier):
    """The hardware network of a BitBayesClassifier: weights +1 and -1, integers only. `clip()` makes it.

    Parameters
    ----------
    estimator : BitBayesClassifier or None
        What `fit` trains before it clips; None: BitBayesClassifier().
    draws : int, default=0
        Further networks drawn from the posterior; all add their scores.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels, ascending.
    n_features_in_ : int
        Number of columns seen in fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns seen in fit; only if they are all strings.
    network_ : bitbayes.PackedNetwork
    """

    def __init__(self, estimator: Optional[BitBayesClassifier] = None, draws: int = 0) -> None:
        self.estimator = estimator
        self.draws = draws

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> ClippedClassifier:
        """Trains a clone of `estimator` and clips it."""
        estimator = BitBayesClassifier() if self.estimator is None else clone(self.estimator)
        return self._take(estimator.fit(X, y, sample_weight))

    def _take(self, estimator: BitBayesClassifier) -> ClippedClassifier:
        self.network_ = _core.PackedNetwork(estimator.model_, self.draws, estimator.options_.get("seed", 1))
        self.n_features_in_ = estimator.n_features_in_
        if hasattr(estimator, "feature_names_in_"):
            self.feature_names_in_ = estimator.feature_names_in_
        self._take_classes(estimator._classes())
        return self

    def predict(self, X: Any) -> Any:
        """The class of each row, also of rows that `known` denies."""
        rows = self._rows(X)
        return self.classes_.take(self.network_.predict(rows, self._jobs()).class_index)

    def decision_function(self, X: Any) -> Any:
        """The integer scores of the classes; with two classes that of the second, one number per row."""
        rows = self._rows(X)
        scores = self.network_.scores(rows, self._jobs())
        return scores[:, 0] if scores.shape[1] == 1 else scores

    def margin(self, X: Any) -> Any:
        """The highest score minus the next one."""
        rows = self._rows(X)
        return self.network_.predict(rows, self._jobs()).margin

    def known(self, X: Any) -> Any:
        """False where the margin is too small for an answer; all True before `abstain`."""
        rows = self._rows(X)
        return self.network_.predict(rows, self._jobs()).known

    def abstain(self, X: Any, y: Any, rate: float = 0.01) -> ClippedClassifier:
        """Chooses the lowest margin at which the error of the accepted rows of X is below `rate`."""
        X, y = self._rows(X), np.asarray(y)
        classes = self._classes()
        self.network_.abstain(X, classes.indices(y), classes.names, rate, self._jobs())
        return self

    def export_c(self, folder: Any, **options: Any) -> list[str]:
        """Writes C without floating point; options as in `bitbayes.export_c`. Returns the names of the files."""
        check_is_fitted(self)
        return _core.export_c(self.network_, os.fspath(folder), **options)

    def export_verilog(self, folder: Any, **options: Any) -> list[str]:
        """Writes Verilog and a testbench; options as in `bitbayes.export_verilog`."""
        check_is_fitted(self)
        return _core.export_verilog(self.network_, os.fspath(folder), **options)

    def save(self, path: Any, overwrite: bool = False) -> None:
        """Writes the network to a file that the command line reads too."""
        check_is_fitted(self)
        self.network_.save(os.fspath(path), overwrite)

    @classmethod
    def load(cls, path: Any) -> ClippedClassifier:
        """An estimator of a file of `save` or `bitbayes pack`."""
        estimator = cls()
        estimator.network_ = _core.PackedNetwork.load(os.fspath(path))
        estimator._take_columns(estimator.network_)
        return estimator

    def _jobs(self) -> int:
        return parameters.threads(None if self.estimator is None else self.estimator.n_jobs)

    def _html(self) -> Optional[str]:
        return display.packed_html(self.network_) if hasattr(self, "network_") else None

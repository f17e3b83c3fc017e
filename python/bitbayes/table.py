"""Tables that the library's readers read."""
from __future__ import annotations

import re
from functools import cached_property
from typing import Any, Optional, Sequence

import numpy as np
from numpy.typing import NDArray

from . import _core

_INTEGER = re.compile(r"0|-?[1-9][0-9]{0,17}")


def labels_of_names(names: Sequence[str]) -> NDArray[Any]:
    """Class names as labels: numbers if all are integers in their shortest form, else str."""
    if all(_INTEGER.fullmatch(name) for name in names):
        return np.array([int(name) for name in names], dtype=np.int64)
    return np.array(names, dtype=np.str_)


class Table:
    """Rows of a file, as `read` returns them. `train(table)` gives the model of `bitbayes train FILE`.

    Attributes
    ----------
    X : ndarray or csr_matrix
        One row per row of the file; read-only. Missing values are NaN, words are indices into
        `dataset.categories`.
    y : ndarray or None
        One label per row: integers if all class names are integers, else str. None without labels.
    class_names : list of str
    feature_names : list of str
        Empty if the file does not name its columns.
    sample_weight, groups : ndarray or None
        The columns that `row_weight` and `group` named.
    ids : list of str
        The column that `id` named, else empty.
    notes : list of str
        What the reader decided, e.g. which columns it left out.
    image_shape : (height, width) or None
    dataset : bitbayes._core.Dataset
        The rows as the library holds them.
    """

    def __init__(self, dataset: _core.Dataset) -> None:
        self.dataset = dataset
        self.class_names = dataset.class_names
        self.feature_names = dataset.column_names
        self.ids = dataset.ids
        self.notes = dataset.notes
        self.image_shape = dataset.image_shape

    @cached_property
    def X(self) -> Any:
        return self.dataset.X

    @cached_property
    def y(self) -> Optional[NDArray[Any]]:
        labels = self.dataset.labels
        return labels_of_names(self.class_names)[labels] if len(labels) else None

    @property
    def sample_weight(self) -> Optional[NDArray[np.float32]]:
        weights = self.dataset.weights
        return weights if len(weights) else None

    @property
    def groups(self) -> Optional[NDArray[np.uint32]]:
        groups = self.dataset.groups
        return groups if len(groups) else None

    def __len__(self) -> int:
        return len(self.dataset)

    def __repr__(self) -> str:
        rows, columns = self.X.shape
        return f"Table({self.dataset.name!r}: {rows} rows, {columns} features, {len(self.class_names)} classes)"


def read(data: str, **options: Any) -> Table:
    """Reads what the command line calls DATA: a CSV, LIBSVM, IDX or NPZ file, a folder or a named set.

    A data set with a test split gives its training rows, or with ":test" at the end of `data` the others.

    Parameters
    ----------
    data : str or path
    **options
        format, label, ignore, categorical, id, group, row_weight, header, max_memory: as the options of
        `bitbayes train`.

    Examples
    --------
    >>> import bitbayes
    >>> table = bitbayes.read("teacher:9#0:100")
    >>> table.X.shape, sorted(set(table.y))
    ((100, 9), [-1, 1])
    """
    return Table(_core.read(str(data), **options)[0])

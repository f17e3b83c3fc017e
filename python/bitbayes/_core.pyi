"""The C++ library. Arrays of rows are 2-D: uint8, float32 and float64 are read where they lie, other
numbers are converted to float64; a SciPy CSR matrix is sparse rows. NaN is a missing value.

Errors are exceptions: ValueError for options, data and models that make no sense (BitBayesError, a
ValueError with `exit_code`, the status of the command line), OSError for files, KeyboardInterrupt where a
signal stopped the work.
"""
from __future__ import annotations

from typing import Any, Callable, Mapping, NamedTuple, Optional, Sequence, Union

import numpy as np
from numpy.typing import NDArray

Rows = Any  # numpy.ndarray, scipy.sparse.csr_matrix or Dataset

__version__: str

class BitBayesError(ValueError):
    exit_code: int

class Option(NamedTuple):
    name: str  # as in TrainOptions
    default: Any  # int, float, bool, str or a list; "auto" or "inf" as the command line writes it; None
    values: str  # "N|auto"
    group: str
    help: str

def options() -> list[Option]:
    """The table of training options."""

class Dataset:
    """Rows of a file."""

    name: str
    kind: str  # "table", "images", "sparse", "teacher"
    class_names: list[str]
    column_names: list[str]
    categories: list[list[str]]
    ids: list[str]
    notes: list[str]
    image_shape: Optional[tuple[int, int]]
    @property
    def X(self) -> Any: ...  # read-only array without a copy, or scipy.sparse.csr_matrix
    @property
    def labels(self) -> NDArray[np.uint32]: ...  # indices into class_names; empty: none
    @property
    def weights(self) -> NDArray[np.float32]: ...  # empty: none
    @property
    def groups(self) -> NDArray[np.uint32]: ...  # empty: none
    def __len__(self) -> int: ...

def read(data: str, **options: Any) -> tuple[Dataset, Optional[Dataset]]:
    """load_data: the training rows, and the test rows if the data has them. Options as in ReadOptions:
    format, label, ignore, categorical, id, group, row_weight, header, max_memory."""

class Answers(NamedTuple):
    """One element per row."""

    class_index: NDArray[np.uint32]
    probability: NDArray[np.float64]
    validity: NDArray[np.float64]
    margin: NDArray[np.float64]
    known: NDArray[np.bool_]

class Layer(NamedTuple):
    reads_all: bool
    h: NDArray[np.float32]  # neurons x fan_in, read-only, not a copy

class Model:
    """`rows` is an array, or a Dataset; `labels` are indices into `class_names` (of a Dataset: its own)."""

    @staticmethod
    def load(path: str) -> Model: ...
    def save(self, path: str, overwrite: bool = False) -> None: ...
    def to_bytes(self) -> bytes: ...
    @staticmethod
    def from_bytes(data: bytes) -> Model: ...
    def clone(self) -> Model: ...
    # also pickle, copy and deepcopy

    features: int
    class_names: list[str]
    column_names: list[str]  # empty: not named
    samples_seen: int
    algorithm: str  # "mfb", "backprop"
    memory: Optional[int]  # may be set
    members: int  # networks that answer together
    def member(self, index: int) -> Model: ...  # a copy of one, alone
    layers: int
    def posterior(self, index: int) -> Layer: ...  # of the first member
    def column_importance(self) -> NDArray[np.float64]: ...
    def predict(self, rows: Rows, mode: str = "mean", threads: int = 0) -> Answers: ...
    def probabilities(self, rows: Rows, threads: int = 0) -> NDArray[np.float64]: ...
    def evaluate(self, rows: Rows, labels: Any = None, class_names: Any = None, threads: int = 0) -> dict[str, Any]: ...
    def evaluate_clipped(self, rows: Rows, labels: Any = None, class_names: Any = None, threads: int = 0) -> dict[str, Any]: ...
    def update(self, rows: Rows, labels: Any = None, class_names: Any = None, weights: Any = None, threads: int = 0) -> dict[str, Any]: ...
    def learn(self, row: Any, label: str) -> tuple[int, float, float, float]: ...  # one Answer, without `known`
    def polish(self, rows: Rows, labels: Any = None, class_names: Any = None, weights: Any = None, rounds: int = 5, threads: int = 0) -> None: ...
    def add_class(self, name: str) -> None: ...

def new_model(rows: Rows, class_names: Sequence[str], options: Mapping[str, Any] = ..., column_names: Sequence[str] = ..., image_shape: Optional[tuple[int, int]] = None) -> Model:
    """Untrained: column statistics of the rows, all classes, nothing learned."""

class Trainer:
    """A run. `options` are those of options(), by name; values as its defaults, numbers or text."""

    def __init__(self, rows: Rows, labels: Any = None, class_names: Any = None, options: Mapping[str, Any] = ..., weights: Any = None,
                 column_names: Sequence[str] = ..., image_shape: Optional[tuple[int, int]] = None,
                 test: Any = None) -> None:
        """`test`: a Dataset, or (rows, labels)."""
    def run(self, progress: Optional[Callable[[dict[str, Any]], Optional[bool]]] = None) -> bool:
        """Trains to the end (True), until `progress` returns False (False), or until a signal comes: then the
        exception of its handler, e.g. KeyboardInterrupt. model() is good in every case. `progress` gets the
        members of TrainProgress, about ten times a second."""
    def model(self) -> Model: ...
    options: dict[str, Any]  # all, with the choices made
    trials: list[tuple[float, float]]  # evidence, nll
    history: list[dict[str, Any]]  # EpochReport: epoch, samples_seen, seconds, error_progressive, and of the test rows
    # error_map, error_mean, nll, brier, ece, validity
    seconds: float
    seconds_auto: float
    seconds_polish: float
    error_progressive: float
    test: Optional[dict[str, Any]]  # of the last epoch, with the polished network; None without test rows

class PackedNetwork:
    def __init__(self, model: Model, draws: int = 0, seed: int = 1) -> None: ...
    @staticmethod
    def load(path: str) -> PackedNetwork: ...
    def save(self, path: str, overwrite: bool = False) -> None: ...
    def to_bytes(self) -> bytes: ...
    @staticmethod
    def from_bytes(data: bytes) -> PackedNetwork: ...
    # also pickle, copy and deepcopy

    features: int
    class_names: list[str]
    column_names: list[str]
    def predict(self, rows: Rows, threads: int = 0) -> Answers: ...
    def scores(self, rows: Rows, threads: int = 0) -> NDArray[np.int64]: ...
    def evaluate(self, rows: Rows, labels: Any = None, class_names: Any = None, threads: int = 0) -> dict[str, Any]: ...
    def abstain(self, rows: Rows, labels: Any = None, class_names: Any = None, rate: float = 0.01, threads: int = 0) -> dict[str, Any]: ...
    # "below", "abstained", "error_accepted"

def export_c(network: PackedNetwork, folder: str, name: str = "bitbayes_net", overwrite: bool = False,
             single_header: bool = False, arduino: bool = False, examples: Any = None) -> list[str]: ...
def export_verilog(network: PackedNetwork, folder: str, name: str = "bitbayes_net", overwrite: bool = False,
                   parallel: Optional[int] = None, examples: Any = None) -> list[str]: ...

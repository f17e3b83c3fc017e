"""Neural networks of binary weights, trained by closed-form Bayes updates.

`BitBayesClassifier` is a scikit-learn estimator; `read`, `train`, `Model` and `PackedNetwork` are the
library itself and need NumPy alone.
"""
from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from . import display
from ._core import (BitBayesError, Model, PackedNetwork, Trainer, __version__, export_c, export_verilog,
                    options)
from .table import Table, read
from .training import TrainResult, train

__all__ = ["BitBayesClassifier", "BitBayesError", "ClippedClassifier", "Model", "PackedNetwork", "Table",
           "TrainResult", "Trainer", "__version__", "export_c", "export_verilog", "options", "plot_history",
           "plot_reliability", "plot_weights", "read", "train"]

Model._repr_html_ = display.model_html  # type: ignore[attr-defined]
PackedNetwork._repr_html_ = display.packed_html  # type: ignore[attr-defined]

# Names that need more than NumPy are imported when they are first used.
_LAZY = {"BitBayesClassifier": "classifier", "ClippedClassifier": "classifier", "plot_history": "display",
         "plot_reliability": "display", "plot_weights": "display"}

if TYPE_CHECKING:
    from .classifier import BitBayesClassifier, ClippedClassifier
    from .display import plot_history, plot_reliability, plot_weights
else:
    def __getattr__(name: str) -> Any:
        if name not in _LAZY:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        value = getattr(importlib.import_module(f"{__name__}.{_LAZY[name]}"), name)
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_LAZY})

"""How models look in a notebook, and plots. The plots need matplotlib; the tables do not."""
from __future__ import annotations

import html
from typing import TYPE_CHECKING, Any, Optional, Sequence

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_BINS = 10
_BLOCK = 1 << 20  # weights whose tanh is in memory at once
_BLUE, _ORANGE = "#3d7ebf", "#d9782d"


def model_html(model: Any, title: Optional[str] = None) -> str:
    """A table of a Model, or of an estimator that has been fitted: its layers, and how sure their weights are."""
    model = getattr(model, "model_", model)
    facts = [
        ("features", f"{model.features:,}"),
        ("classes", _names(model.class_names)),
        ("samples seen", f"{model.samples_seen:,}"),
        ("algorithm", model.algorithm),
    ]
    if model.memory is not None:
        facts.append(("memory", f"{model.memory:,} rows"))
    head = _cells("th", ("layer, reads", "neurons × fan-in", "bits", "certainty of the weights", "mean"))
    rows, total = [], 0
    for index in range(model.layers):
        layer = model.posterior(index)
        total += layer.h.size
        rows.append(_layer_row(index, layer, sure=model.algorithm == "mfb"))
    facts.insert(0, ("clipped network", f"{total:,} bits"))
    return (f'<div style="display:inline-block">{_caption(title or "bitbayes model")}{_facts(facts)}'
            f'<table style="margin:0.4em 0;color:inherit;font-size:inherit;border-collapse:collapse">'
            f'<thead><tr>{head}</tr></thead><tbody>{"".join(rows)}</tbody></table></div>')


def packed_html(network: Any, title: Optional[str] = None) -> str:
    """A table of a PackedNetwork."""
    facts = [
        ("features", f"{network.features:,}"),
        ("classes", _names(network.class_names)),
        ("bytes of the file", f"{len(network.to_bytes()):,}"),
    ]
    return f'<div style="display:inline-block">{_caption(title or "bitbayes packed network")}{_facts(facts)}</div>'


def _caption(title: str) -> str:
    return f'<div style="font-weight:bold;text-align:left">{_text(title)}</div>'


def _facts(facts: Sequence[tuple[str, str]]) -> str:
    return '<div style="text-align:left">' + " ".join(
        f'<span style="display:inline-block;margin-right:1.2em"><span style="opacity:0.65">{name}</span> '
        f"{_text(value)}</span>" for name, value in facts) + "</div>"


def _text(value: str) -> str:
    """Names come from data: no markup, no control characters."""
    return html.escape("".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in value))


def _names(names: Sequence[str], shown: int = 10, length: int = 24) -> str:
    """How many, and the first of them."""
    short = [name if len(name) <= length else name[:length - 1] + "…" for name in names[:shown]]
    return f"{len(names):,}: " + ", ".join(short) + (", …" if len(names) > shown else "")


def _layer_row(index: int, layer: Any, sure: bool) -> str:
    neurons, fan_in = layer.h.shape
    reads = "all inputs" if index == 0 else f"all of layer {index}" if layer.reads_all else f"trees on layer {index}"
    picture, mean = "-", "-"
    if sure:
        counts, certainty = _certainty(layer.h)
        picture, mean = _bars(counts, f"certainty of layer {index + 1}"), f"{certainty:.0%}"
    return "<tr>" + _cells("td", (f"{index + 1}, {reads}", f"{neurons:,} × {fan_in:,}", f"{layer.h.size:,}", picture,
                                  mean)) + "</tr>"


def _cells(tag: str, contents: Sequence[str]) -> str:
    """Of one row of the table of layers."""
    sides = ("left", "right", "right", "left", "right")
    return "".join(f'<{tag} style="text-align:{side};padding:0.2em 0.8em 0.2em 0">{content}</{tag}>'
                   for side, content in zip(sides, contents))


def _certainty(h: NDArray[np.float32]) -> tuple[NDArray[np.int64], float]:
    """Counts of |tanh h| in _BINS bins from 0 (either sign) to 1 (sure), and the mean."""
    counts, total = np.zeros(_BINS, np.int64), 0.0
    values = h.reshape(-1)
    for start in range(0, values.size, _BLOCK):
        certainty = np.abs(np.tanh(values[start:start + _BLOCK]))
        counts += np.histogram(certainty, bins=_BINS, range=(0, 1))[0]
        total += float(certainty.sum(dtype=np.float64))
    return counts, total / max(values.size, 1)


def _bars(counts: NDArray[np.int64], label: str, width: int = 160, height: int = 44) -> str:
    """A histogram from 0 to 1 as SVG, in colours that are readable on white and on black."""
    step, foot = width / len(counts), 13
    tall = (height - foot) * counts / max(int(counts.max()), 1)
    bars = "".join(
        f'<rect x="{step * k + 0.5:.1f}" y="{height - foot - t:.1f}" width="{step - 1:.1f}" height="{t:.1f}">'
        f"<title>{k / len(counts):g} to {(k + 1) / len(counts):g}: {share:.1%} of the weights</title></rect>"
        for k, (t, share) in enumerate(zip(tall, counts / max(int(counts.sum()), 1))) if t > 0)
    return (f'<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label="{_text(label)}" width="{width}" '
            f'height="{height}" viewBox="0 0 {width} {height}"><g fill="{_BLUE}">{bars}</g>'
            f'<path d="M0 {height - foot + 0.5}H{width}" stroke="currentColor" stroke-opacity="0.5"/>'
            f'<g fill="currentColor" font-size="9" opacity="0.7"><text x="0" y="{height - 3}">either sign</text>'
            f'<text x="{width}" y="{height - 3}" text-anchor="end">sure</text></g></svg>')


def _pyplot() -> Any:
    try:
        import matplotlib.pyplot as pyplot
    except ImportError as error:
        raise ImportError("plots need matplotlib: pip install matplotlib, or apt-get install python3-matplotlib"
                          ) from error
    return pyplot


def _axes(ax: Optional[Axes]) -> Axes:
    return _pyplot().subplots(figsize=(5, 4), constrained_layout=True)[1] if ax is None else ax


def reliability(estimator: Any, X: Any, y: Any, bins: int = 15) -> dict[str, Any]:
    """What plot_reliability draws: `confidence`, `accuracy` and `rows` of the bins that have rows, in rising order,
    and `ece`, as `bitbayes eval` computes it."""
    probabilities = np.asarray(estimator.predict_proba(X))
    best = probabilities.argmax(axis=1)
    confidence = probabilities[np.arange(len(best)), best]
    right = np.asarray(estimator.classes_)[best] == np.asarray(y)
    index = np.minimum((confidence * bins).astype(int), bins - 1)
    rows = np.bincount(index, minlength=bins)
    used = rows > 0
    rows = rows[used]
    mean = np.bincount(index, confidence, bins)[used] / rows
    accuracy = np.bincount(index, right, bins)[used] / rows
    return {"confidence": mean, "accuracy": accuracy, "rows": rows,
            "ece": float(np.sum(rows * np.abs(mean - accuracy)) / rows.sum())}


def plot_reliability(estimator: Any, X: Any, y: Any, bins: int = 15, ax: Optional[Axes] = None) -> Axes:
    """Draws how often answers are right over how sure they were; on the diagonal they are right as often as they say.

    A dot is a bin of confidence, its area the share of the rows, its bar the 95 % interval (Wilson) of the share of
    right answers. Takes any classifier that has predict_proba.
    """
    ax = _axes(ax)
    points = reliability(estimator, X, y, bins)
    confidence, accuracy, rows = points["confidence"], points["accuracy"], points["rows"]
    ax.plot([0, 1], [0, 1], color="0.6", linewidth=1, linestyle="--", label="right as often as it says")
    ax.vlines(confidence, *_wilson(accuracy, rows), color=_BLUE, linewidth=1, alpha=0.6)
    ax.scatter(confidence, accuracy, s=12 + 150 * rows / rows.sum(), color=_BLUE, zorder=3, clip_on=False)
    ax.scatter([], [], s=30, color=_BLUE, label="rows, in bins of confidence")
    ax.set(xlim=(0, 1), ylim=(0, 1), xlabel="confidence", ylabel="share of right answers")
    ax.set_title(f"ECE {points['ece']:.2%} of {rows.sum():,} rows", fontsize="medium", pad=10)
    ax.legend(loc="upper left", frameon=False, fontsize="small")
    _open_frame(ax)
    return ax


def _wilson(share: NDArray[np.float64], rows: NDArray[np.int64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The ends of the 95 % interval of a probability that showed in `share` of the rows."""
    z = 1.96
    middle = (share + z * z / (2 * rows)) / (1 + z * z / rows)
    half = z / (1 + z * z / rows) * np.sqrt(share * (1 - share) / rows + z * z / (4 * rows * rows))
    return middle - half, middle + half


def _open_frame(ax: Axes) -> None:
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)


def plot_history(estimator_or_history: Any, ax: Optional[Axes] = None) -> Axes:
    """Draws the errors of each epoch: of a classifier or Trainer, or of such a list of dicts."""
    history = estimator_or_history
    for name in ("history_", "history"):
        history = getattr(history, name, history)
    if not history:
        raise ValueError("there is no history: fit has not been called, or stopped within the first epoch")
    ax = _axes(ax)
    epochs = [report["epoch"] for report in history]
    for key, label, colour in (("error_progressive", "training rows, before each was learned", _BLUE),
                               ("error_mean", "test rows, mean", _ORANGE),
                               ("error_map", "test rows, clipped", "0.4")):
        if history[-1].get(key) is not None:
            ax.plot(epochs, [100 * report[key] for report in history], color=colour, label=label,
                    marker="o" if len(epochs) < 50 else "", markersize=3)
    ax.set(xlabel="epoch", ylabel="error, %")
    ax.set_ylim(bottom=0)
    ax.xaxis.get_major_locator().set_params(integer=True)
    ax.legend(frameon=False, fontsize="small")
    _open_frame(ax)
    return ax


def plot_weights(estimator_or_model: Any, image_shape: Optional[tuple[int, int]] = None, layer: int = 0,
                 count: int = 16, figure: Optional[Figure] = None) -> Figure:
    """Draws posterior means of weights, tanh h: blue for -1, red for +1, white for either sign.

    With `image_shape`, or that of the estimator, each of `count` neurons, spread evenly over the layer, is an image of
    the inputs that it reads. Otherwise it is a line of one image. Models of backprop show their real weights.
    """
    model = getattr(estimator_or_model, "model_", estimator_or_model)
    h = model.posterior(layer).h
    count = min(count, len(h))
    neurons = np.arange(count) * len(h) // count
    bayes = model.algorithm == "mfb"
    means = np.tanh(h[neurons]) if bayes else h[neurons]
    limit = 1.0 if bayes else float(np.abs(means).max())
    colours = {"cmap": "RdBu_r", "vmin": -limit, "vmax": limit, "interpolation": "nearest"}
    if image_shape is None and layer == 0:
        image_shape = getattr(estimator_or_model, "image_shape", None)

    if image_shape is not None:
        pixels = image_shape[0] * image_shape[1]
        if means.shape[1] not in (pixels, pixels + 1):  # the last one may be the constant
            raise ValueError(f"layer {layer} has {means.shape[1]} inputs, which are no image of {image_shape[0]} x "
                             f"{image_shape[1]}; preprocess='center' gives every pixel one input")
        columns = int(np.ceil(np.sqrt(len(neurons))))
        rows = -(-len(neurons) // columns)
        figure = figure or _pyplot().figure(figsize=(1.1 * columns + 0.8, 1.15 * rows), constrained_layout=True)
        axes = figure.subplots(rows, columns, squeeze=False).ravel()
        for ax in axes:
            ax.axis("off")
        for ax, neuron, mean in zip(axes, neurons, means):
            picture = ax.imshow(mean[:pixels].reshape(image_shape), **colours)
            ax.set_title(str(neuron), fontsize=7, pad=2)
    else:
        figure = figure or _pyplot().figure(figsize=(7, 0.15 * len(neurons) + 1.2), constrained_layout=True)
        ax = figure.subplots()
        axes = [ax]
        picture = ax.imshow(means, aspect="auto", **colours)
        ax.set_yticks(range(len(neurons)), [str(neuron) for neuron in neurons], fontsize=7)
        ax.set(xlabel="input", ylabel="neuron")
    figure.colorbar(picture, ax=list(axes), label="mean of the weight" if bayes else "weight", shrink=0.8)
    return figure

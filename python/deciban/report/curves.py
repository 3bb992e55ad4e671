"""The training of a network by epoch: its errors, the gradients of its layers and its idle units."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from deciban.data.validation import check_is_fitted

from ..errors import DataError
from ..losses import Floats
from ..networks.history import Ending, Epoch, select_epoch
from . import canvas
from .canvas import colour, family, mark
from .direct_labels import Label, place_labels
from .palette import INK, PAPER
from .vector import need_matplotlib, use_style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Inches: as wide as other pictures; of the axes, of what stands above and below each, and of a line of the title.
_WIDTH, _PANEL, _AROUND, _LINE = 4.0, 1.15, 0.42, 0.19
_AXES, _ACROSS = 230.0, 72.0  # points: of the width and height of axes
_WRAP = 52  # characters of a title
_MARKS = 8  # on a line
# A gradient of nothing has no logarithm; below this share of the largest it is drawn there.
_LEAST = 1e-12
# Layers that are drawn: of more, the first and the last ones.
_LAYERS = 8
_KEPT: dict[str, Any] = {"color": INK, "linewidth": 0.8, "linestyle": "dotted"}
_SOLID, _DASHED = ("solid", 1.4), ((0, (4.0, 2.0)), 1.1)


def learning_curves(model_or_history: Any, *, title: str | None = None) -> Figure:
    """Draw the training of a network by epoch.

    There are up to four parts, and a dotted line at the epoch whose weights were kept: the one of the lowest loss, that
    of validation data where there are some; of a stream, the last.

        loss, error         of the examples during the epoch, and of validation data where there were some
        gradient norm       ‖∂𝓔/∂W‖ of each layer, from below, on a logarithmic scale
        idle units          of each hidden layer the share that is dead, idle on every example, and of pairs of
                            unit and example that are idle (`deciban.networks.layers`)

    Of more than eight layers the first and last four are drawn, which the figure says.

    Parameters
    ----------
    model_or_history : MLPClassifier, MLPRegressor or list of Epoch
        A fitted network, or its `history_`. Of a regression the error is the mean of the squared errors, else the share
        of misclassified examples.
    title : str, optional
        Title in place of the name of the model.

    Returns
    -------
    matplotlib.figure.Figure
        The figure; `figure.get_label()` describes it in words. Save it by `figure.savefig("figure.png")`, or by
        `deciban.report.svg(figure)`.

    Raises
    ------
    ImportError
        Without Matplotlib (`pip install 'deciban[report]'`).
    TypeError
        If the model has no epochs.
    DataError
        If no epoch was finished; a model read from a file has none.

    Examples
    --------
    >>> from deciban import MLPClassifier
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1]
    >>> model = MLPClassifier((4,), max_iter=3, learning_rate=0.1, random_state=0).fit(X, y)
    >>> figure = learning_curves(model, title="steps")
    >>> figure.get_label().partition(":")[0], len(figure.axes)
    ('steps', 4)
    """
    need_matplotlib("learning_curves")
    epochs, last = _epochs(model_or_history)
    best = epochs[-1] if last else select_epoch(epochs)
    named = title
    if named is None:
        named = canvas.name_model(model_or_history) if hasattr(model_or_history, "history_") else "learning curves"
    sheet = _Sheet.of(epochs, 4 if epochs[-1].dead else 3, named)
    sheet.errors(0, "loss", lambda each: each.loss, lambda each: each.validation_loss)
    sheet.errors(1, "error", lambda each: each.error, lambda each: each.validation_error)
    sheet.gradients(2)
    if epochs[-1].dead:
        sheet.idle(3)
    sheet.finish(named, best)
    return sheet.figure


def _epochs(given: object) -> tuple[list[Epoch], bool]:
    """Return the epochs of a model or history, and whether the weights are those of the last one whatever its loss."""
    from sklearn.base import BaseEstimator

    if isinstance(given, BaseEstimator):
        check_is_fitted(given)
    history = getattr(given, "history_", given)
    if not isinstance(history, Sequence) or not all(isinstance(each, Epoch) for each in history):
        raise TypeError(f"a fitted network or its history_ is expected, got {type(given).__name__}")
    if not history:
        raise DataError(
            "there are no learning curves: no epoch was finished, or the model is of a file, which keeps none"
        )
    return list(history), getattr(given, "status_", None) is Ending.STREAMED


@dataclass(eq=False)
class _Sheet:
    """Axes one below the other over the same epochs; `labels` are those of the lines of each."""

    figure: Figure
    axes: list[Axes]
    fonts: list[str]
    missing: str
    epochs: list[Epoch]
    labels: list[list[Label]] = field(default_factory=list)

    @classmethod
    def of(cls, epochs: list[Epoch], parts: int, title: str) -> _Sheet:
        from matplotlib.figure import Figure
        from matplotlib.ticker import MaxNLocator

        fonts, missing = family([title])
        with use_style():
            figure = Figure(figsize=(_WIDTH, _WIDTH), layout="constrained")
            axes = list(figure.subplots(parts, 1, sharex=True, squeeze=False)[:, 0])
            for each in axes:
                each.xaxis.set_major_locator(MaxNLocator(6, integer=True, min_n_ticks=1, steps=[1, 2, 5, 10]))
                for side in ("top", "right"):
                    each.spines[side].set_visible(False)
            first, last = epochs[0].epoch, epochs[-1].epoch
            pad = max(0.5, 0.02 * (last - first))
            axes[0].set_xlim(first - pad, last + pad)
            axes[-1].set_xlabel("epoch")
        return cls(figure, axes, fonts, missing, epochs, [[] for _ in axes])

    def line(
        self, part: int, values: Iterable[Any], gid: str, look: dict[str, Any], label: str = "", signed: bool = False
    ) -> None:
        """Draw a curve with its label; a single epoch is a mark, and what is no finite number a gap."""
        y = np.array([np.nan if each is None else each for each in values], dtype=np.float64)
        y[~np.isfinite(y)] = np.nan
        alone = {"marker": "o", "markersize": 4.0} if len(y) == 1 and "marker" not in look else {}
        with use_style():
            x = [each.epoch for each in self.epochs]
            self.axes[part].plot(x, y, gid=gid, **{**look, **alone})
        if label:
            keys = ("color", "marker", "markersize", "markeredgecolor", "markeredgewidth")
            self.labels[part].append(Label.of(label, x, y, {key: look[key] for key in keys} if signed else None))

    def errors(self, part: int, what: str, own: Callable[[Epoch], Any], held: Callable[[Epoch], Any]) -> None:
        """Draw the errors of the examples, and of validation data."""
        self.named(part, what)
        self.line(part, map(own, self.epochs), f"{what}-training", _look(INK, _SOLID), "training")
        if any(held(each) is not None for each in self.epochs):
            self.line(part, map(held, self.epochs), f"{what}-validation", _look(INK, _DASHED), "validation")
        found = [each for epoch in self.epochs for each in (own(epoch), held(epoch)) if each is not None]
        top = max(filter(np.isfinite, found), default=0.0)
        self.axes[part].set_ylim(0.0, 1.05 * top if top > 0.0 else 1.0)

    def gradients(self, part: int) -> None:
        """Draw a line for each layer."""
        from matplotlib.ticker import LogLocator, NullFormatter, StrMethodFormatter

        norms: Floats = np.array([each.gradient_norms for each in self.epochs])
        top = float(norms.max(initial=0.0, where=np.isfinite(norms))) or 1.0
        norms = np.maximum(norms, _LEAST * top)
        self.named(part, "gradient norm")
        with use_style():
            axis = self.axes[part]
            axis.set_yscale("log")
            low = float(norms.min(initial=top, where=np.isfinite(norms)))
            axis.set_ylim(10.0 ** np.floor(np.log10(low) - 0.01), 10.0 ** np.ceil(np.log10(top) + 0.01))
            axis.yaxis.set_major_locator(LogLocator(numticks=5))
            axis.yaxis.set_major_formatter(StrMethodFormatter("{x:g}"))
            axis.yaxis.set_minor_formatter(NullFormatter())
        for place, layer in enumerate(_select_layers(norms.shape[1])):
            look = self.style_layer(place, _SOLID)
            called = "output layer" if layer == norms.shape[1] - 1 else f"layer {layer + 1}"
            self.line(part, norms[:, layer], f"gradient-{layer + 1}", look, called, signed=True)

    def idle(self, part: int) -> None:
        """Draw two lines for each hidden layer."""
        self.named(part, "idle units")
        for place, layer in enumerate(_select_layers(len(self.epochs[-1].dead) + 1)[:-1]):
            for what, style, share in (
                ("dead", _SOLID, [each.dead[layer] for each in self.epochs]),
                ("idle", _DASHED, [each.saturated[layer] for each in self.epochs]),
            ):
                label = {"dead": "dead: on every example", "idle": "idle: on average"}[what] if not place else ""
                self.line(part, share, f"{what}-{layer + 1}", self.style_layer(place, style), label)
        self.axes[part].set_ylim(-0.04, 1.04)

    def style_layer(self, place: int, style: tuple[Any, float]) -> dict[str, Any]:
        """Return the style of a layer: its colour, and in grey its mark, which stands elsewhere on each line."""
        every = max(1, len(self.epochs) // _MARKS)
        look = {"markersize": 3.6, "markeredgewidth": 0.4, "markeredgecolor": PAPER}
        look |= {"marker": mark(place, 3.6)["marker"], "markevery": (place * every // _LAYERS, every)}
        return {**_look(colour(place), style), **look}

    def named(self, part: int, what: str) -> None:
        self.axes[part].set_ylabel(what)

    def finish(self, title: str, best: Epoch) -> None:
        """Mark the epoch that was kept, add title and labels, and set the height that they need."""
        layers = len(best.gradient_norms)
        notes = [f"the first and last {_LAYERS // 2} of {layers:,} layers"] if layers > _LAYERS else []
        lines = [line for text in (title, *notes) for line in textwrap.wrap(text, _WRAP)]
        self.labels[0].append(Label.of(f"kept: epoch {best.epoch:,}", [best.epoch] * 2, self.axes[0].get_ylim()))
        with use_style():
            for part, each in enumerate(self.axes):
                each.axvline(best.epoch, gid=f"kept-{part}", zorder=0.8, **_KEPT)
            self.axes[0].set_title("\n".join(lines), loc="left", family=self.fonts)
            for axes, labels in zip(self.axes, self.labels, strict=True):
                place_labels(axes, labels, (_AXES, _ACROSS), self.fonts)
            noted = canvas.note(self.figure, self.missing)
            self.figure.align_ylabels(self.axes)
            height = len(self.axes) * _PANEL + _AROUND + _LINE * (noted + len(lines))
            self.figure.set_size_inches(_WIDTH, height)
            over = f"{title}: learning curves over {len(self.epochs):,} epoch{'s' if len(self.epochs) > 1 else ''}"
            self.figure.set_label("; ".join([over, *notes, *_describe_kept(best)]) + ".")


def _look(paint: str, style: tuple[Any, float]) -> dict[str, Any]:
    return {"color": paint, "linestyle": style[0], "linewidth": style[1]}


def _select_layers(layers: int) -> list[int]:
    half = _LAYERS // 2
    return list(range(layers)) if layers <= _LAYERS else [*range(half), *range(layers - half, layers)]


def _describe_kept(best: Epoch) -> list[str]:
    """Describe the epoch that was kept."""

    def pair(own: float, held: float | None) -> str:
        return f"{own:.3g}" + ("" if held is None else f" ({held:.3g} of validation data)")

    told = [
        f"kept is epoch {best.epoch:,}, with a loss of {pair(best.loss, best.validation_loss)}",
        f"an error of {pair(best.error, best.validation_error)}",
        f"gradient norms by layer, from below: {', '.join(f'{norm:.2g}' for norm in best.gradient_norms)}",
    ]
    if best.dead:
        told.append(f"dead units by layer: {', '.join(f'{100 * share:.0f} %' for share in best.dead)}")
    return told

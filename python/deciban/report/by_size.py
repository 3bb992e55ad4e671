"""Learning curves of several models: errors by the number of training examples."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from ..errors import DataError
from ..evaluation.comparison import Comparison, Point
from ..losses import Floats
from .canvas import Canvas, colour, mark, short
from .figure_words import speaking
from .vector import need_matplotlib

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_APART = 0.01  # of the width, so that the bars of models do not hide each other


def error_curve(
    sizes: Sequence[int],
    errors: Mapping[str, ArrayLike],
    intervals: Mapping[str, ArrayLike] | None = None,
    *,
    measure: str | None = None,
    title: str | None = None,
    language: str = "en",
) -> Figure:
    """Draw the errors of one or more models by the number of training examples.

    Such curves side by side show which type of model needs fewer examples, and which one ends lower: Ng & Jordan, On
    discriminative vs. generative classifiers, NIPS 2001.

    Parameters
    ----------
    sizes : sequence of int of shape (n_sizes,)
        Numbers of training examples, ascending; on a logarithmic scale where they span more than a factor of 8.
    errors : mapping of str to array-like of shape (n_sizes,)
        Errors by name of the model; NaN where they were not measured.
    intervals : mapping of str to array-like of shape (n_sizes, 2), optional
        Ends of the intervals, of the models that have them.
    measure : str, optional
        Name of the errors. By default "error".
    title : str, optional
        Title in place of the default; "" for none.
    language : {"en", "ko"}, default="en"
        Language of the figure.

    Returns
    -------
    matplotlib.figure.Figure
        The figure; `figure.get_label()` describes it in words. Save it by `figure.savefig("figure.png")`, or by
        `deciban.report.svg(figure)`.

    Raises
    ------
    ValueError
        If sizes and errors do not fit together.
    ImportError
        Without Matplotlib (`pip install 'deciban[report]'`).

    Examples
    --------
    >>> figure = error_curve([10, 100], {"a": [0.3, 0.1], "b": [0.2, 0.15]}, {"a": [[0.2, 0.4], [0.05, 0.15]]})
    >>> figure.get_label()
    'learning curve: error by the number of examples learnt, 10 to 100; a 0.1 after 100; b 0.15 after 100.'
    """
    need_matplotlib("error_curve")
    say = speaking(language)
    x, curves = _validate(sizes, errors, intervals or {})
    named = say("errors") if title is None else title
    what = say("error") if measure is None else measure
    seen = Canvas.make_framed(say("examples"), what, [named, what, *map(str, curves)])
    _axes(seen, x, curves)
    told = [say("error.says", title=named or say("errors"), measure=what, first=f"{x[0]:,.0f}", last=f"{x[-1]:,.0f}")]
    for place, (model, (y, ends)) in enumerate(curves.items()):
        look = {**mark(place, 5.0), "linestyle": "solid", "linewidth": 1.3}
        at = _shift(x, (place - 0.5 * (len(curves) - 1)) * _APART)
        if ends is not None:
            seen.axes.vlines(
                at, ends[:, 0], ends[:, 1], colors=colour(place), linewidth=1.0, gid=f"intervals-{place}", zorder=1.5
            )
        seen.path(at, y, gid=f"model-{place}", zorder=2.0, **look)
        known = np.flatnonzero(np.isfinite(y))
        last = f"{y[known[-1]]:.3g}" if len(known) else "–"
        seen.label(f"{short(model)}: {last}", at, y, mark(place, 5.0))
        if len(known):
            told.append(say("error.at", name=short(model), value=last, size=f"{x[known[-1]]:,.0f}"))
    seen.finish(named, "; ".join(told) + ".")
    return seen.figure


def comparison_curves(
    found: Comparison, *, measure: str = "error", title: str | None = None, language: str = "en"
) -> Figure:
    """Draw the learning curves of a comparison: errors, or log losses, of all models with their 95 % intervals.

    Parameters
    ----------
    found : Comparison
        Result of `deciban.compare`.
    measure : {"error", "log loss"}, default="error"
        What is drawn; log losses are in nats, of the models that have probabilities.
    title : str, optional
        Title in place of the default; "" for none.
    language : {"en", "ko"}, default="en"
        Language of the figure.

    Returns
    -------
    matplotlib.figure.Figure
        The figure; `figure.get_label()` describes it in words. Save it by `figure.savefig("figure.png")`, or by
        `deciban.report.svg(figure)`.

    Raises
    ------
    TypeError
        If `found` is no comparison.
    ValueError
        If `measure` is neither of the two.
    DataError
        If no model was finished.

    Examples
    --------
    >>> import deciban
    >>> y = np.arange(60) % 2
    >>> X = np.random.default_rng(0).normal(size=(60, 2)) + 4.0 * y[:, None]
    >>> figure = comparison_curves(deciban.compare(["naive-bayes"], X, y, folds=2, sizes=[10]), title="clouds")
    >>> figure.get_label().split(";")[0]
    'clouds: error by the number of examples learnt, 10 to 30'
    """
    if not isinstance(found, Comparison):
        raise TypeError(f"what deciban.compare gives is expected, got {type(found).__name__}")
    if measure not in ("error", "log loss"):
        raise ValueError(f"measure must be 'error' or 'log loss', got {measure!r}")
    if not found.rows:
        raise DataError("there are no curves: no model was finished")
    sizes = sorted({point.n for row in found.rows for point in row.curve})
    values: dict[str, Floats] = {}
    intervals: dict[str, Floats] = {}
    for row in found.rows:
        at = {point.n: point for point in row.curve}
        values[row.model] = np.array([_value(at.get(n), measure) for n in sizes])
        if measure == "error":
            intervals[row.model] = np.array([at[n].interval if n in at else (np.nan, np.nan) for n in sizes])
        elif np.isnan(values[row.model]).all():
            del values[row.model]
    if not values:
        raise DataError("there are no curves: no model gives probabilities")
    said = speaking(language)(measure)
    return error_curve(sizes, values, intervals, measure=said, title=title, language=language)


def _value(point: Point | None, measure: str) -> float:
    found = None if point is None else point.error if measure == "error" else point.log_loss
    return np.nan if found is None else found


Curves = dict[str, tuple[Floats, Floats | None]]


def _validate(sizes: object, errors: Any, intervals: Any) -> tuple[Floats, Curves]:
    """Return validated sizes (k,), and by model its errors (k,) and intervals (k, 2)."""
    x = np.asarray(sizes, dtype=np.float64)
    if x.ndim != 1 or not len(x) or not np.isfinite(x).all() or x[0] < 1 or not (np.diff(x) > 0).all():
        raise ValueError(f"sizes must be numbers of examples, each larger than the one before, got {sizes!r}")
    if not isinstance(errors, Mapping) or not errors:
        raise ValueError("errors must be a mapping from the names of models to their errors, and not empty")
    unknown = [model for model in intervals if model not in errors]
    if unknown:
        raise ValueError(f"intervals are of models without errors: {', '.join(map(repr, unknown))}")
    curves: Curves = {}
    for model, given in errors.items():
        y = np.asarray(given, dtype=np.float64)
        ends = None if intervals.get(model) is None else np.asarray(intervals[model], dtype=np.float64)
        if y.shape != x.shape or (ends is not None and ends.shape != (len(x), 2)):
            came = f"{y.shape}" + ("" if ends is None else f" and {ends.shape}")
            raise ValueError(f"errors of {model!r}: ({len(x)},), and intervals ({len(x)}, 2), are expected, got {came}")
        curves[str(model)] = (np.where(np.isfinite(y), y, np.nan), ends)
    return x, curves


def _axes(seen: Canvas, x: Floats, curves: Curves) -> None:
    """Set the axes from no error to the largest; sizes are logarithmic where they are far apart."""
    from matplotlib.ticker import FuncFormatter, NullFormatter, NullLocator

    if x[-1] > 8.0 * x[0]:
        seen.axes.set_xscale("log")
        seen.axes.set_xlim(x[0] * (x[0] / x[-1]) ** 0.05, x[-1] * (x[-1] / x[0]) ** 0.05)
        seen.axes.xaxis.set_minor_locator(NullLocator())
        seen.axes.xaxis.set_minor_formatter(NullFormatter())
    else:
        pad = 0.05 * (x[-1] - x[0]) or 1.0
        seen.axes.set_xlim(x[0] - pad, x[-1] + pad)
    seen.axes.set_xticks(_ticks(x))
    seen.axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))
    values = [each for y, ends in curves.values() for each in (y, ends) if each is not None]
    top = max((float(np.nanmax(each)) for each in values if np.isfinite(each).any()), default=0.0)
    seen.axes.set_ylim(0.0, 1.05 * top if top > 0.0 else 1.0)


def _ticks(x: Floats) -> list[float]:
    """Return at most six of the sizes, the last one among them."""
    step = -(-len(x) // 6)
    return sorted(float(each) for each in x[::-1][::step])


def _shift(x: Floats, by: float) -> Floats:
    """Return the sizes moved by a share of the width."""
    if x[-1] > 8.0 * x[0]:
        moved: Floats = x * (x[-1] / x[0]) ** by
        return moved
    return x + by * ((x[-1] - x[0]) or 2.0)

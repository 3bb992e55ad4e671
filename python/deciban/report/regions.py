"""Where a classifier says what: regions of a plane, the street of a support vector machine, and who holds it up."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from ..errors import DataError
from ..losses import Floats
from . import canvas
from .examples import Examples
from .marks import BOUNDARY, MARGIN, TINT, colour, faint, hatch
from .plane import Plane, check_features
from .space import Space
from .vector import need_matplotlib

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Points along each side of the picture at which the model is asked: about two classes, and about more of them, whose
# votes do not say how near a boundary is.
_STEPS, _MORE_STEPS = 151, 241
# What says by how much a class leads, the plainest first.
_SCORES = ("decision_function", "predict_joint_log_proba", "predict_log_proba")


def decision_regions(
    model: Any,
    X: Any,
    y: ArrayLike | None = None,
    *,
    features: Sequence[int | str] | None = None,
    names: Sequence[str] | None = None,
    labels: Sequence[str] | None = None,
    title: str | None = None,
) -> Figure:
    """What a classifier says all over a plane, and the examples X (N, d), y (N,) on it, as a Matplotlib figure.

        region of class c = { x : s_c(x) ≥ s_k(x) for all k };      two classes: s(x) > 0 is `classes_[1]`

    Two features are the plane itself. Of more, it is the one along the two leading principal components of X through
    its mean, and the figure says so; or `features`, two of them by place or by name, the others at their means. An
    example is drawn where it falls on the plane, so off a plane of more features it may stand in another region than
    it is in.

    A support vector machine also shows the lines s = −1, 0 and +1; a ring around each support vector; and, of two
    classes where X and y are those it learnt (without `sample_weight` 0), the zones of SPEC S5: outside the margin
    (small), on it (full), inside it (half), on the wrong side (hollow, crossed). `OneClassSVM` shows what it knows and
    what is strange to it, without y.

    Parameters
    ----------
    model : any fitted classifier with `decision_function`, `predict_joint_log_proba` or `predict_log_proba`, of one
        label a row. Of `SVMRegressor` see `regression_tube`.
    names, labels : what features and classes are called; else as the model knows them.
    title : instead of the name of the model.

    The figure needs no display and no pyplot: `figure.savefig("regions.png")`, or `deciban.report.svg(figure)`;
    `figure.get_label()` says in words what it shows. Raises ImportError without Matplotlib (`deciban[report]`),
    DataError for X that are not finite numbers, ValueError for features that are not there.

    >>> from deciban import SVM
    >>> X = [[1.0, 3.0], [3.0, 3.0], [4.0, 4.0], [2.0, 1.0], [5.0, 2.0]]
    >>> street = SVM("linear", C=np.inf, calibration=None).fit(X, ["up", "up", "up", "down", "down"])
    >>> figure = decision_regions(street, X, ["up", "up", "up", "down", "down"], names=["a", "b"], title="street")
    >>> print(figure.get_label().replace("; ", ";\\n"))
    street: regions of 'down' (2 examples), 'up' (3) over a and b;
    3 support vectors;
    outside the margin 2, on the margin 3, inside the margin 0, on the wrong side 0.
    """
    need_matplotlib("decision_regions")
    classes = _classes(model)
    space = Space.of(X, names, model)
    if len(space.names) < 2:
        raise DataError("regions need two features or more; X has one")
    plane = Plane.of(space.rows, check_features(features, space.names, 2), space.names)
    shown = Examples.of(model, space, plane, y, classes, labels)
    named = canvas.called(model) if title is None else title
    seen = canvas.Canvas.over(shown.at, plane, [*shown.labels, named])
    surface = _surface(model, len(classes), space, plane, seen)
    shown.draw(seen)
    _regions(seen.axes, surface, len(classes))
    _lines(model, seen, surface)
    over = f"regions of {shown.classes_in_words()} over {' and '.join(plane.names)}"
    says = "; ".join([f"{named}: {over}", *filter(None, [plane.says]), *shown.street_in_words()]) + "."
    seen.finish(named, says, filter(None, [plane.says, canvas.few(len(shown.at))]))
    return seen.figure


def _classes(model: Any) -> list[Any]:
    """The classes that the model tells apart; TypeError for what is no classifier, NotFittedError before `fit`."""
    if isinstance(model, BaseEstimator):
        check_is_fitted(model)
    if getattr(model, "multilabel_", False):
        raise TypeError("a classifier of one label a row is expected; this one gives a row many")
    if hasattr(model, "classes_"):
        return list(model.classes_)
    if hasattr(model, "offset_") and hasattr(model, "decision_function"):
        return [-1, 1]
    told = ": see deciban.report.regression_tube" if hasattr(model, "epsilon") else ""
    raise TypeError(f"a fitted classifier is expected, got {type(model).__name__}{told}")


def _surface(model: Any, C: int, space: Space, plane: Plane, seen: canvas.Canvas) -> Floats:
    """(C, n, n) by how much each class leads over the picture; of two classes C = 1, and the second one leads."""
    steps = _STEPS if C <= 2 else _MORE_STEPS
    x, y = np.meshgrid(seen.along(0, steps), seen.along(1, steps))
    P = np.column_stack([x.ravel(), y.ravel()])
    leads = np.concatenate([_leads(model, space.asked(plane.points(P[part]))) for part in space.parts(len(P))])
    return np.ascontiguousarray(leads.T).reshape(-1, steps, steps)


def _leads(model: Any, X: Any) -> Floats:
    """(n, C) s_c − max of the others; (n, 1) the score of two classes."""
    ask = next(getattr(model, name) for name in _SCORES if hasattr(model, name))
    s = np.clip(np.nan_to_num(np.asarray(ask(X), dtype=np.float64)), -1e9, 1e9)
    if s.ndim == 1:
        return s[:, None]
    if s.shape[1] == 2:
        return s[:, 1:] - s[:, :1]
    leads = np.empty_like(s)
    for c in range(s.shape[1]):
        leads[:, c] = s[:, c] - np.delete(s, c, axis=1).max(axis=1)
    return leads


def _regions(axes: Axes, surface: Floats, C: int) -> None:
    """A pale tint and a hatch for each region."""
    for c in range(C):
        lead = surface[c] if len(surface) == C else surface[0] if c else -surface[0]
        if not (lead > 0.0).any():
            continue
        grid = _grid(axes, lead)
        most = float(lead.max())
        axes.contourf(*grid, lead, levels=[0.0, 2.0 * most], colors=[colour(c)], alpha=TINT, zorder=0.5)
        if hatch(c):
            lines = axes.contourf(*grid, lead, levels=[0.0, 2.0 * most], colors="none", hatches=[hatch(c)], zorder=0.6)
            lines.set(edgecolor=faint(c), linewidth=0.0)


def _grid(axes: Axes, values: NDArray[Any]) -> tuple[Floats, Floats]:
    (left, right), (low, high) = axes.get_xlim(), axes.get_ylim()
    return np.linspace(left, right, values.shape[1]), np.linspace(low, high, values.shape[0])


def _lines(model: Any, seen: canvas.Canvas, surface: Floats) -> None:
    """The boundary, and the margin of what has one."""
    for lead in surface:
        _line(seen.axes, lead, 0.0, BOUNDARY)
    seen.line("boundary: score 0" if len(surface) == 1 else "boundaries", BOUNDARY)
    if len(surface) == 1 and hasattr(model, "margin_"):
        found = [_line(seen.axes, surface[0], level, MARGIN) for level in (-1.0, 1.0)]
        if any(found):
            seen.line("margin: scores ±1", MARGIN)


def _line(axes: Axes, lead: Floats, level: float, look: dict[str, Any]) -> bool:
    there = bool(lead.min() < level < lead.max())
    if there:
        axes.contour(*_grid(axes, lead), lead, levels=[level], zorder=1.0, **look)
    return there

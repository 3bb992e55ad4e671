"""Pictures of a model in a plane of its features: decision regions, and a regression with its tube.

Decision regions have the margins and support vectors of a support vector machine.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from deciban.data.rows import Rows
from deciban.data.validation import check_is_fitted

from ..errors import DataError
from ..losses import Floats
from . import canvas
from .canvas import BOUNDARY, MARGIN, TINT, colour, faint, hatch, mark, ring, size_for
from .examples import Examples, find_support
from .palette import INK
from .plane import Plane, Space, check_features
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
    X: Rows,
    y: ArrayLike | None = None,
    *,
    features: Sequence[int | str] | None = None,
    names: Sequence[str] | None = None,
    labels: Sequence[str] | None = None,
    title: str | None = None,
) -> Figure:
    r"""Draw the decision regions of a classifier in a plane, with examples.

        region of class c = { x : s_c(x) ≥ s_k(x) for all k };      two classes: s(x) > 0 is `classes_[1]`

    Two features are the plane itself. Of more, it is the one along the two leading principal components of X through
    its mean, and the figure says so; or `features`, the others at their means. An example is drawn where it falls on
    the plane, so off a plane of more features it may stand in another region than it is in. A support vector machine
    also shows the lines s = −1, 0 and +1; a ring around each support vector; and, of two classes where X and y are the
    training examples (without weights of 0), the zones: outside the margin (small), on it (full), inside it (half), on
    the wrong side (hollow, crossed). `OneClassSVM` shows normal examples and outliers, without y. The figure needs no
    display and no pyplot.

    Parameters
    ----------
    model : classifier
        Any fitted classifier with `decision_function`, `predict_joint_log_proba` or `predict_log_proba`, of one label a
        row.
    X : array-like of shape (n_samples, n_features)
        Examples.
    y : array-like of shape (n_samples,), optional
        Their labels.
    features : sequence of two int or str, optional
        Indices or names of the features of the plane.
    names : sequence of str, optional
        Names of the features in place of those of the model.
    labels : sequence of str, optional
        Names of the classes in place of those of the model.
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
    DataError
        If X has one feature, or is not finite.
    ValueError
        If features do not exist.

    Examples
    --------
    >>> from deciban import SVM
    >>> X = [[1.0, 3.0], [3.0, 3.0], [4.0, 4.0], [2.0, 1.0], [5.0, 2.0]]
    >>> street = SVM("linear", C=np.inf, calibration=None).fit(X, ["up", "up", "up", "down", "down"])
    >>> figure = decision_regions(street, X, ["up", "up", "up", "down", "down"], names=["a", "b"], title="street")
    >>> print(figure.get_label().replace("; ", ";\n"))
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
    named = canvas.name_model(model) if title is None else title
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
    """Return the classes of the model; TypeError for what is no classifier, NotFittedError before `fit`."""
    from sklearn.base import BaseEstimator

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
    """Return (C, n, n) the lead of each class over the picture; of two classes C = 1, the lead of the second."""
    steps = _STEPS if C <= 2 else _MORE_STEPS
    x, y = np.meshgrid(seen.along(0, steps), seen.along(1, steps))
    P = np.column_stack([x.ravel(), y.ravel()])
    leads = np.concatenate([_leads(model, space.asked(plane.points(P[part]))) for part in space.parts(len(P))])
    return np.ascontiguousarray(leads.T).reshape(-1, steps, steps)


def _leads(model: Any, X: Rows) -> Floats:
    """Return (n, C) s_c − max of the others; (n, 1) the score of two classes."""
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
    """Draw a pale tint and a hatch for each region."""
    for c in range(C):
        lead = surface[c] if len(surface) == C else surface[0] if c else -surface[0]
        if not (lead > 0.0).any():
            continue
        grid = _make_grid(axes, lead)
        most = float(lead.max())
        axes.contourf(*grid, lead, levels=[0.0, 2.0 * most], colors=[colour(c)], alpha=TINT, zorder=0.5)
        if hatch(c):
            lines = axes.contourf(*grid, lead, levels=[0.0, 2.0 * most], colors="none", hatches=[hatch(c)], zorder=0.6)
            lines.set(edgecolor=faint(c), linewidth=0.0)


def _make_grid(axes: Axes, values: NDArray[Any]) -> tuple[Floats, Floats]:
    (left, right), (low, high) = axes.get_xlim(), axes.get_ylim()
    return np.linspace(left, right, values.shape[1]), np.linspace(low, high, values.shape[0])


def _lines(model: Any, seen: canvas.Canvas, surface: Floats) -> None:
    """Draw the boundary, and the margin of a model that has one."""
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
        axes.contour(*_make_grid(axes, lead), lead, levels=[level], zorder=1.0, **look)
    return there


_TUBE_STEPS = 401


def regression_tube(
    model: Any,
    X: Rows,
    y: ArrayLike,
    *,
    feature: int | str | None = None,
    names: Sequence[str] | None = None,
    target: str = "y",
    title: str | None = None,
) -> Figure:
    """Draw a regression along a feature, with its tube f ± ε and examples.

    Of more features than one it is drawn along `feature`, with the others at their means; else along the leading
    principal component through the mean. Support vectors are ringed where X are the training examples; the others lie
    in the tube, at least of one feature.

    Parameters
    ----------
    model : regressor
        A fitted regressor.
    X : array-like of shape (n_samples, n_features)
        Examples.
    y : array-like of shape (n_samples,)
        Their targets.
    feature : int or str, optional
        Index or name of the feature.
    names : sequence of str, optional
        Names of the features in place of those of the model.
    target : str, default="y"
        Name of the target.
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
    DataError
        If y is not a finite number for each row of X.

    Examples
    --------
    >>> from deciban import SVMRegressor
    >>> line = SVMRegressor("linear", C=10.0, epsilon=0.5).fit([[0.0], [1.0], [2.0]], [1.0, 3.2, 5.0])
    >>> print(regression_tube(line, [[0.0], [1.0], [2.0]], [1.0, 3.2, 5.0], names=["x"], title="line").get_label())
    line: f over x, 3 examples; the tube is 0.5 to each side; 2 support vectors.
    """
    need_matplotlib("regression_tube")
    check_is_fitted(model)
    space = Space.of(X, names, model)
    values = np.asarray(y, dtype=np.float64)
    if values.shape != (space.rows.shape[0],) or not np.isfinite(values).all():
        raise DataError(f"y: {space.rows.shape[0]:,} finite numbers are expected, one for each row of X")
    plane = Plane.of(space.rows, check_features(feature, space.names, 1), space.names, 1)
    at = np.column_stack([plane.shadows(space.rows), values])
    named = canvas.name_model(model) if title is None else title
    seen = canvas.Canvas.over(at, plane, [named], (plane.names[0], target))
    epsilon = getattr(model, "epsilon_", getattr(model, "epsilon", None))
    held = find_support(model, space)
    _draw_function(model, space, plane, seen, epsilon)
    few = canvas.select_drawn(len(at))
    inside = few if held is None else np.setdiff1d(few, held)
    size = size_for(len(few))
    seen.marks(at[inside], mark(0, 0.75 * size), "others")
    told = [f"{named}: f over {plane.names[0]}, {len(at):,} examples", *([plane.says] if plane.says else [])]
    told += [] if epsilon is None else [f"the tube is {epsilon:g} to each side"]
    if held is not None:
        seen.marks(at[np.intersect1d(few, held)], mark(0, size), "held")
        seen.marks(at[np.intersect1d(few, held)], ring(size), "support-vectors")
        seen.entry(f"others: {len(at) - len(held):,}", mark(0, 4.5))
        seen.entry(f"support vectors: {len(held):,}", mark(0, 5.0), ring(5.0))
        told.append(f"{len(held):,} support vectors")
    seen.finish(named, "; ".join(told) + ".", filter(None, [plane.says, canvas.few(len(at))]))
    return seen.figure


def _draw_function(model: Any, space: Space, plane: Plane, seen: canvas.Canvas, epsilon: float | None) -> None:
    x = seen.along(0, _TUBE_STEPS)
    f = np.concatenate([model.predict(space.asked(plane.points(x[part, None]))) for part in space.parts(_TUBE_STEPS)])
    seen.axes.plot(x, f, color=INK, linewidth=BOUNDARY["linewidths"], zorder=1.0, gid="f", scaley=False)
    seen.line("f", BOUNDARY)
    if epsilon is None:
        return
    for side in (-epsilon, epsilon):
        seen.axes.plot(x, f + side, color=INK, lw=MARGIN["linewidths"], ls="dashed", zorder=1.0, scaley=False)
    seen.axes.fill_between(x, f - epsilon, f + epsilon, color=colour(0), alpha=TINT, linewidth=0.0, zorder=0.5)
    seen.line(f"tube: f ± {epsilon:g}", MARGIN)

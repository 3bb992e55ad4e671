"""What a regression says along one feature, and the tube of a support vector machine around it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from ..errors import DataError
from . import canvas
from .examples import held_by
from .marks import BOUNDARY, MARGIN, TINT, colour, mark, ring, size_for
from .plane import Plane, check_features
from .space import Space
from .vector import INK, need_matplotlib

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_STEPS = 401


def regression_tube(
    model: Any,
    X: Any,
    y: ArrayLike,
    *,
    feature: int | str | None = None,
    names: Sequence[str] | None = None,
    target: str = "y",
    title: str | None = None,
) -> Figure:
    """What a regression says along a feature, its tube f ± ε, and the examples X (N, d), y (N,), as a figure.

    Of more features than one it is `feature`, by place or by name, with the others at their means; else the leading
    principal component through the mean. Support vectors are ringed where X is what the model learnt; the others lie
    in the tube, at least of one feature. `names` (d,) and `target` are what X and y are called. See `decision_regions`
    for what is returned and raised.

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
    named = canvas.called(model) if title is None else title
    seen = canvas.Canvas.over(at, plane, [named], (plane.names[0], target))
    epsilon = getattr(model, "epsilon_", getattr(model, "epsilon", None))
    held = held_by(model, space)
    _draw_function(model, space, plane, seen, epsilon)
    few = canvas.drawn(len(at))
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
    x = seen.along(0, _STEPS)
    f = np.concatenate([model.predict(space.asked(plane.points(x[part, None]))) for part in space.parts(_STEPS)])
    seen.axes.plot(x, f, color=INK, linewidth=BOUNDARY["linewidths"], zorder=1.0, gid="f", scaley=False)
    seen.line("f", BOUNDARY)
    if epsilon is None:
        return
    for side in (-epsilon, epsilon):
        seen.axes.plot(x, f + side, color=INK, lw=MARGIN["linewidths"], ls="dashed", zorder=1.0, scaley=False)
    seen.axes.fill_between(x, f - epsilon, f + epsilon, color=colour(0), alpha=TINT, linewidth=0.0, zorder=0.5)
    seen.line(f"tube: f ± {epsilon:g}", MARGIN)

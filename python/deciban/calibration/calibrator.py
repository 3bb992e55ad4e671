"""The catalogue of calibrators: one protocol for two classes and for many.

Scores s (N, C), or margins f (N,) or (N, 1) of two classes for the scores (0, f), become log p(c | s):

    two classes     log p(1) − log p(0) = g(A·f)                                            f = s_1 − s_0
    more            p(c) ∝ 1/(1 + e^(−g_c(z_c))),     z_c = A·s_c − log Σ_{k≠c} e^(A·s_k)     of log-probabilities
                                                      z_c = A·s_c                             of margins

A is the temperature that suits the same examples, so that nothing depends on the unit of the scores (for curves, at
least so large that some scores of a row are a nat apart); g, g_c are curves that never fall: so p(c) never falls where
s_c rises and the other scores stay. Without curves there is only A, and p = softmax(A·s). The decision is the largest
p(c), of equal ones the first: it is that of the scores for a temperature, and may be another one where a curve says
that the scores decide too late or too soon.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, Protocol, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from deciban.scores import log_posterior

from .beta import beta
from .isotonic import isotonic
from .platt import Line, platt
from .targets import Floats, seldom_wrong
from .temperature import temperature

# Larger scores count as this, and infinite ones, of what a model holds for impossible, as so many units.
_LARGEST, _IMPOSSIBLE = 1e300, 1e4
# Nats; what is beyond is as sure.
_SURE = 1e100


class Curve(Protocol):
    """Log-odds, in nats, of log-odds; it never falls."""

    def __call__(self, z: Floats, /) -> Floats: ...


@dataclass(frozen=True, eq=False)
class Calibrator:
    """A map from the scores of a classifier to log probabilities: a scale, and a curve for each class.

    Called with scores (N, C), or (N,) margins of two classes, it returns log p(c | s) (N, C). A calibrator fitted to no
    examples takes scores as nats: A = 1 and no curves. The curve of a class that all or none of the examples belong to
    is z itself.

    Parameters
    ----------
    classes : int
        Number C of classes.
    scale : float, default=1.0
        Factor A of the scores.
    curves : tuple of callable, default=()
        Monotone curves of log-odds: one for two classes, else one for each class.
    margins : bool, default=False
        Whether scores of more than two classes are each of its own class against the rest, as those of
        `decision_function`.

    Examples
    --------
    >>> Temperature(2)([[0.0, 0.0]]).round(3).tolist()
    [[-0.693, -0.693]]
    """

    classes: int
    scale: float = 1.0
    curves: tuple[Curve, ...] = ()
    margins: bool = False

    name: ClassVar[str]
    curve: ClassVar[Any] = None
    """(z, positive, weight) → Curve: of log-odds z (n,), some of which are of the class; None where A says it all."""

    @classmethod
    def fit(cls, scores: ArrayLike, y: ArrayLike, weight: ArrayLike | None = None, *, margins: bool = False) -> Self:
        """Fit the calibrator to scores of examples that the model was not trained on.

        Judgements are such: `fit(said.log_p, said.y)`.

        Parameters
        ----------
        scores : array-like of shape (n_samples, n_classes) or (n_samples,)
            Scores of each class, or margins of two classes.
        y : array-like of int of shape (n_samples,)
            Class indices, below C.
        weight : array-like of shape (n_samples,), optional
            Weights ≥ 0; a weight means repetition.
        margins : bool, default=False
            Whether scores of more than two classes are each of its own class against the rest, independent of the other
            classes, as those of `decision_function`.

        Returns
        -------
        Calibrator
            The fitted calibrator, of the class on which `fit` is called.

        Raises
        ------
        ValueError
            If something is NaN, or the shapes do not fit together.
        """
        s, y, weight = check_scores(scores, y, weight)
        C = max(2, s.shape[1])
        if not len(s):
            return cls(C, margins=margins)
        A = temperature(s, y, weight, seldom_wrong)
        if cls.curve is None:
            return cls(C, A, margins=margins)
        A = max(A, 1.0 / _reach(s))
        curves: list[Curve] = []
        for k, z in enumerate(log_odds(s, A, margins).T):
            positive = y == (1 if C == 2 else k)
            curves.append(cls.curve(z, positive, weight) if positive.any() and not positive.all() else Line(1.0))
        return cls(C, A, tuple(curves), margins)

    def __call__(self, scores: ArrayLike) -> Floats:
        """Return (N, C) log p(c | s)."""
        s = as_scores(scores)
        if max(2, s.shape[1]) != self.classes:
            raise ValueError(f"scores of {self.classes} classes are expected, got the shape {s.shape}")
        if self.classes == 2:
            g = log_odds(s, self.scale)
            g = np.column_stack([curve(g[:, 0]) for curve in self.curves]) if self.curves else g
            return log_posterior(np.hstack([np.zeros_like(g), g]))
        if not self.curves:
            return log_posterior(_scale(s, self.scale))
        z = log_odds(s, self.scale, self.margins)
        return log_posterior(-np.logaddexp(0.0, -np.column_stack([g(z[:, c]) for c, g in enumerate(self.curves)])))

    @property
    def line(self) -> Line | None:
        """Slope and offset of the log-odds of differences of scores; None where they are no straight line."""
        if not self.curves:
            return Line(self.scale)
        first = self.curves[0]
        if self.classes > 2 or not isinstance(first, Line):
            return None
        return Line(self.scale * first.slope, first.offset)


class Temperature(Calibrator):
    """Temperature scaling, p = softmax(A·s): one number, and the decision stays.

    Guo, Pleiss, Sun & Weinberger, ICML 2017.

    Parameters
    ----------
    classes : int
        Number C of classes.
    scale : float, default=1.0
        Factor A of the scores, the inverse of the temperature.
    curves : tuple of callable, default=()
        None, as there are no curves.
    margins : bool, default=False
        Whether scores of more than two classes are each of its own class against the rest.

    Examples
    --------
    >>> Temperature.fit([-2.0, -1.0, 1.0, 2.0], [0, 1, 0, 1]).line.offset
    0.0
    """

    name = "temperature"


class Platt(Calibrator):
    """Platt scaling, log-odds A·s + B for each class: a slope and an offset.

    Platt (1999); Lin, Lin & Weng, Machine Learning 68 (2007).

    Parameters
    ----------
    classes : int
        Number C of classes.
    scale : float, default=1.0
        Factor of the scores before the lines.
    curves : tuple of callable, default=()
        Lines of log-odds: one for two classes, else one for each class.
    margins : bool, default=False
        Whether scores of more than two classes are each of its own class against the rest.

    Examples
    --------
    >>> bool(Platt.fit([-2.0, -1.0, 1.0, 2.0], [0, 0, 0, 1]).line.offset < 0.0)
    True
    """

    name = "platt"
    curve = staticmethod(platt)


class Beta(Calibrator):
    """Beta calibration, log-odds a·log p − b·log(1 − p) + c: two slopes and an offset for each class.

    Kull, Silva Filho & Flach, AISTATS 2017.

    Parameters
    ----------
    classes : int
        Number C of classes.
    scale : float, default=1.0
        Factor of the scores before the curves.
    curves : tuple of callable, default=()
        Curves of log-odds: one for two classes, else one for each class.
    margins : bool, default=False
        Whether scores of more than two classes are each of its own class against the rest.

    Examples
    --------
    >>> Beta.fit([-2.0, -1.0, 1.0, 2.0], [0, 0, 0, 1]).line is None
    True
    """

    name = "beta"
    curve = staticmethod(beta)


class Isotonic(Calibrator):
    """Isotonic calibration: a monotone step function, with as many steps as the examples support.

    Zadrozny & Elkan, KDD 2002.

    Parameters
    ----------
    classes : int
        Number C of classes.
    scale : float, default=1.0
        Factor of the scores before the curves.
    curves : tuple of callable, default=()
        Curves of log-odds: one for two classes, else one for each class.
    margins : bool, default=False
        Whether scores of more than two classes are each of its own class against the rest.

    Examples
    --------
    >>> Isotonic.fit([-2.0, -1.0, 1.0, 2.0], [0, 0, 0, 1])([[9.0]]).shape
    (1, 2)
    """

    name = "isotonic"
    curve = staticmethod(partial(isotonic, turning=False))


CATALOGUE: dict[str, type[Calibrator]] = {each.name: each for each in (Temperature, Platt, Beta, Isotonic)}
"""By name, the simplest first."""


def by_name(name: object) -> type[Calibrator]:
    """Return the calibrator of a name.

    Parameters
    ----------
    name : {"temperature", "platt", "beta", "isotonic"}
        Name in `CATALOGUE`.

    Returns
    -------
    type
        The class of the calibrator.

    Raises
    ------
    ValueError
        If there is none of this name.

    Examples
    --------
    >>> by_name("platt").__name__
    'Platt'
    """
    if isinstance(name, str) and name in CATALOGUE:
        return CATALOGUE[name]
    raise ValueError(f"a calibrator must be one of {', '.join(map(repr, CATALOGUE))}, got {name!r}")


def as_scores(scores: ArrayLike) -> Floats:
    """Return (N, K) finite scores."""
    s = np.asarray(scores, dtype=np.float64)
    s = s[:, None] if s.ndim == 1 else s
    if s.ndim != 2 or not s.shape[1]:
        raise ValueError(f"scores must be (N,) or (N, C), got the shape {s.shape}")
    if np.isnan(s).any():
        raise ValueError(f"scores must be numbers; that of row {int(np.isnan(s).any(axis=1).argmax())} is NaN")
    s = np.where(np.isinf(s), np.sign(s) * _IMPOSSIBLE, s)
    return np.clip(s, -_LARGEST, _LARGEST)


def check_scores(scores: ArrayLike, y: ArrayLike, weight: ArrayLike | None) -> tuple[Floats, NDArray[np.intp], Floats]:
    """Return scores (N, K), class indices (N,), weights (N,), those of 0 left out."""
    s = as_scores(scores)
    given, N, C = np.asarray(y), len(s), max(2, s.shape[1])
    if given.shape != (N,) or (N and given.dtype.kind not in "iub"):
        raise ValueError(f"y must hold the place of the class of each of {N} rows, got {given.dtype} {given.shape}")
    places = given.astype(np.intp)
    if N and not (places.min() >= 0 and places.max() < C):
        raise ValueError(f"y must hold places of classes, 0 to {C - 1}, got {places.min()} to {places.max()}")
    w = np.ones(N) if weight is None else np.asarray(weight, dtype=np.float64)
    if w.shape != (N,) or not (np.isfinite(w) & (w >= 0.0)).all():
        raise ValueError(f"weight must be {N} finite numbers ≥ 0")
    kept = w > 0.0
    return s[kept], places[kept], w[kept]


def log_odds(s: Floats, A: float, margins: bool = False) -> Floats:
    """Return (N, 1) A·f of two classes; (N, C) z of more."""
    if s.shape[1] == 1:
        return _scale(s, A)
    if s.shape[1] == 2:
        return _scale(s[:, 1:] - s[:, :1], A)
    if margins:
        return _scale(s, A)
    log_p = log_posterior(_scale(s, A))
    winner = log_p.argmax(axis=1)[:, None]
    others = log_p.copy()
    np.put_along_axis(others, winner, -np.inf, axis=1)
    top = others.max(axis=1, keepdims=True)
    with np.errstate(under="ignore"):
        rest = np.log1p(-np.minimum(np.exp(others), 0.5))  # who is not the first has ½ at most
        of_winner = top + np.log(np.exp(others - top).sum(axis=1, keepdims=True))
    np.put_along_axis(rest, winner, of_winner, axis=1)
    z: Floats = log_p - rest
    return z


def _reach(s: Floats) -> float:
    """Return the largest difference between scores of a row: where a temperature takes all for noise, curves still see
    them as far apart as a nat."""
    most = np.abs(s).max() if s.shape[1] == 1 else np.ptp(s, axis=1).max()
    return float(most) or 1.0


def _scale(s: Floats, A: float) -> Floats:
    with np.errstate(over="ignore"):
        return np.clip(A * s, -_SURE, _SURE)

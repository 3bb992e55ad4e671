"""Online gradient descent: learn from each example once, as it comes, with a bound on the regret.

    round t:   suffer f_t(w_t) = c_t ℓ(y_t, x_t·w_t + b_t), whose gradient is g_t,
               w_{t+1} = Π(w_t − η_t g_t),      η_t = α / √(‖g_1‖² + … + ‖g_t‖²)

For every (u, β) no farther than D from all (w_t, b_t), whatever the examples and their order,

    Σ f_t(w_t) − Σ f_t(u)  ≤  (D²/2α + α) · √(Σ ‖g_t‖²)

by Zinkevich (ICML 2003, Theorem 1) with the steps of Duchi, Hazan & Singer, JMLR 12 (2011), for one step size: Streeter
& McMahan (2010). Π brings (w, b) back into the ball of a radius r, where there is one; then D ≤ 2r. With g_t bounded
the regret a round goes to 0 like 1/√t, and so does the expected excess of the mean weights over the best
(Cesa-Bianchi, Conconi & Gentile, IEEE Trans. Inf. Theory 50, 2004).

Cost: what a row stores, a score. The loops are the core's (`crates/core/src/solve/descent.rs`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from deciban import _core
from deciban.losses import CrammerSinger, Floats, Loss, Softmax, ZeroOne


@dataclass(frozen=True)
class Online:
    """What was learnt until now; `learn` and `grown` give the next.

    w (K, d), b (K,), their sums over all rounds, that of w less rounds·w (so any split of the examples adds the same
    numbers), rounds (K,), Σ‖g‖² (K,) and what was suffered (K,), Σ f_t(w_t). For two classes K = 1 and scores > 0
    speak for the second; for more, each class against the rest.

    >>> from deciban.losses import Logistic
    >>> begun = Online.start(Logistic(), 2, 1)
    >>> learnt = begun.learn(np.array([[1.0], [-1.0]]), np.array([1, 0]), np.ones(2))
    >>> bool(learnt.w[0, 0] > 0.0), learnt.rounds.tolist()
    (True, [2.0])
    """

    loss: Loss
    w: Floats
    b: Floats
    early_w: Floats
    sum_b: Floats
    rounds: Floats
    squares: Floats
    suffered: Floats
    intercept: bool = True
    scale: float = 1.0
    radius: float = np.inf

    @classmethod
    def start(
        cls, loss: Loss, classes: int, d: int, *, intercept: bool = True, scale: float = 1.0, radius: float = np.inf
    ) -> Self:
        """Return the state before anything is learnt, of two classes or more; `scale` is α."""
        if isinstance(loss, CrammerSinger | Softmax | ZeroOne):
            raise ValueError(f"online descent needs a loss of one score with a slope, which {loss.name!r} is not")
        for name, value in (("scale", scale), ("radius", radius)):
            if not value > 0.0:
                raise ValueError(f"{name} must be a number > 0, got {value!r}")
        K = scores_of(classes)
        matrix, vector = np.zeros((K, d)), np.zeros(K)
        return cls(loss, matrix, vector, matrix, vector, vector, vector, vector, intercept, scale, radius)

    @classmethod
    def after(cls, loss: Loss, w: Floats, b: Floats, rounds: float, squares: Floats) -> Self:
        """Return the state as if so many rounds had been at weights w (K, d), b (K,), which stayed, with Σ‖g‖² (K,); of
        these nothing counts as suffered, and the bound is on the regret of what comes."""
        n = np.full(len(b), float(rounds))
        return cls(loss, w, b, np.zeros_like(w), n * b, n, squares, np.zeros(len(b)))

    def learn(self, rows: Any, y: NDArray[np.intp], c: Floats, n_jobs: int | None = None) -> Self:
        """Learn one round an example, in order: `rows` as the core takes them, y (N,) class indices, c (N,)
        weights."""
        parts = [self._learn_one(k, rows, targets, c, n_jobs) for k, targets in enumerate(against_rest(y, len(self.b)))]
        names = ("w", "b", "early_w", "sum_b", "rounds", "squares", "suffered")
        columns: dict[str, Any] = dict(
            zip(names, (np.array(column) for column in zip(*parts, strict=True)), strict=True)
        )
        if not all(np.isfinite(column).all() for column in columns.values()):
            raise OverflowError("the numbers left the range of a float64: scale the columns down")
        return replace(self, **columns)

    def _learn_one(self, k: int, rows: Any, y: Floats, c: Floats, n_jobs: int | None) -> Sequence[Any]:
        now, total, rounds, squares, suffered = _core.descend(
            rows,
            y,
            np.ascontiguousarray(c),
            self.loss.name,
            (self.w[k], float(self.b[k])),
            (self.early_w[k], float(self.sum_b[k])),
            float(self.rounds[k]),
            float(self.squares[k]),
            delta=getattr(self.loss, "delta", 1.0),
            intercept=self.intercept,
            rule="adaptive",
            step=self.scale,
            averaged=True,
            radius=self.radius,
            suffered=float(self.suffered[k]),
            n_jobs=n_jobs,
        )
        return *now, *total, rounds, squares, suffered

    def grown(self, place: Sequence[int] | NDArray[np.intp], classes: int) -> Self:
        """Return the same with more classes, old class i at `place[i]`; a new one starts at zero."""
        signed: dict[str, Any] = {
            name: spread(getattr(self, name), place, classes, -1.0) for name in ("w", "b", "early_w", "sum_b")
        }
        counted: dict[str, Any] = {
            name: spread(getattr(self, name), place, classes) for name in ("rounds", "squares", "suffered")
        }
        return replace(self, **signed, **counted)

    @property
    def mean(self) -> tuple[Floats, Floats]:
        """(K, d) and (K,): the mean weights of all rounds."""
        rounds = np.maximum(self.rounds, 1.0)
        return self.w + self.early_w / rounds[:, None], self.sum_b / rounds

    def regret_bound(self, distance: float | None = None) -> Floats:
        """Return (K,) (D²/2α + α)·√Σ‖g‖²; without D, 2·radius."""
        D = 2.0 * self.radius if distance is None else distance
        bound: Floats = (D * D / (2.0 * self.scale) + self.scale) * np.sqrt(self.squares)
        return bound


def scores_of(classes: int) -> int:
    """Return K: one score for two classes, else one a class."""
    if classes < 2:
        raise ValueError(f"two classes at least are expected, got {classes}")
    return 1 if classes == 2 else classes


def against_rest(y: NDArray[np.intp], K: int) -> list[Floats]:
    """Return K targets (N,) of −1 and +1: each class against the rest, of two the second."""
    return [np.where(y == k, 1.0, -1.0) for k in (range(K) if K > 1 else [1])]


def spread(of_scores: Floats, place: Sequence[int] | NDArray[np.intp], classes: int, mirrored: float = 1.0) -> Floats:
    """Return numbers of K scores for more classes, old class i at `place[i]`, zeros for the new: where one score served
    two classes, the first has it `mirrored`."""
    if classes == len(place):
        return of_scores
    every = np.concatenate([mirrored * of_scores, of_scores]) if len(of_scores) == 1 else of_scores
    result = np.zeros((classes, *of_scores.shape[1:]))
    result[np.asarray(place)] = every
    return result

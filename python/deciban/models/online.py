"""Linear classifiers that learn on from a stream, each example once, with a bound on the regret."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from time import perf_counter
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from deciban._core import scores
from deciban.certificates.certificate import Certificate
from deciban.data.digest import digest
from deciban.data.rows import Rows, reals_for_core, square_values, stretches
from deciban.losses import Floats, Loss
from deciban.solvers import Problem, Solution, Status
from deciban.solvers.online import Online, against_rest

from ..data.examples import RowExamples, refuse_large
from ..data.offered import offer_unless
from ..data.transaction import all_or_nothing
from ..solvers.limits import check_positive
from .linear import LinearClassifier
from .stream import next_examples


class OnlineClassifier(LinearClassifier):
    """A linear classifier whose loss online gradient descent can follow, too."""

    step: float
    stream_: Online

    def _needs_all_examples(self) -> str:
        """Return why there is no `partial_fit`, or nothing."""
        return ""

    @offer_unless(lambda self: self._needs_all_examples())
    def partial_fit(
        self, X: Rows, y: ArrayLike, classes: ArrayLike | None = None, sample_weight: ArrayLike | None = None
    ) -> Self:
        """Learn more examples X (N, d), y (N,), in their order and each once.

            round t:   suffer f_t = ℓ(y_t, x_t·w_t + b_t), whose gradient is g_t,
                       w_{t+1} = w_t − η_t g_t,      η_t = α / √(‖g_1‖² + … + ‖g_t‖²),      the same for b

        α is `step`. Whatever the examples, for every (u, β) no farther than D from all (w_t, b_t)

            Σ f_t(w_t, b_t) − Σ f_t(u, β)  ≤  (D²/2α + α)·√(Σ ‖g_t‖²)        (Streeter & McMahan 2010)

        which is `stream_.regret_bound(D)`, and `stream_.suffered` the first sum (K,). The weights are the mean of all
        rounds, whose expected excess over the best goes to 0 with the regret a round (Cesa-Bianchi, Conconi & Gentile,
        IEEE Trans. Inf. Theory 50, 2004). There is no penalty: `C`, `penalty`, `solver`, `tol` and the limits are those
        of `fit`, and short steps keep weights short.

        sample_weight : c is ⌊c⌋ rounds one after the other, and one of what is left of c, up to 10⁹ rounds a call;
            a class weight multiplies f_t.
        classes : labels that may come later. Many classes: one against the rest. A new label brings a new class, from
            zero; while none comes, any split of a stream into batches gives the same model, to the last bit.

        After a `fit` it goes on from the fitted weights, as if each example had been a round at these weights; a `fit`
        starts over. The certificate tells what was suffered: there is no minimum of these examples, and no gap.
        ValueError and OverflowError leave the model as it was.
        """
        with all_or_nothing(self):
            started = perf_counter()
            for check in (self._penalty, lambda: self._together(2)):
                check()  # refuses what is no parameter
            given, place = next_examples(self, X, y, sample_weight, classes)
            self._stream(given, self._resume(given, place))
            self._seconds = perf_counter() - started
        return self

    def _resume(self, given: RowExamples, place: NDArray[np.intp] | None) -> Online:
        """Return the state of these classes before these examples."""
        loss, scale = self._loss(), check_positive("step", self.step)
        if not np.isfinite(scale):
            raise ValueError(f"step must be a finite number > 0, got {self.step!r}")
        C, d = len(given.classes), given.X.shape[1]
        if place is None:
            return Online.start(loss, C, d, intercept=self.fit_intercept, scale=scale)
        known = getattr(self, "stream_", None)
        if known is None:
            known = Online.after(loss, *self._double(), self._proof.n, self._squares)
        return replace(known.grown(place, C), loss=loss, intercept=self.fit_intercept, scale=scale)

    def _stream(self, given: RowExamples, known: Online) -> None:
        rows, each = refuse_large(given.X), given.weight / given.repetition
        for part, share in rounds(given.repetition):
            known = known.learn(reals_for_core(rows[part]), given.y[part], share * each[part], self._threads())
        before = {} if not hasattr(self, "_proof") else self._proof.class_counts
        count = np.bincount(given.y, given.repetition, minlength=len(given.classes))
        labels = given.classes.tolist()
        self._proof = _certificate(
            known, {label: before.get(label, 0.0) + n for label, n in zip(labels, count.tolist(), strict=True)}
        )
        self.stream_, self.classes_ = known, given.classes
        self.coef_, self.intercept_ = known.mean
        self.n_iter_ = known.rounds.astype(np.int64)
        self.solution_ = [Solution(self.coef_, self.intercept_, Status.STREAMED, self._proof.iterations, "online")]
        self.temperature_ = 1.0 if self._fits_log_loss else None

    def _become(self, given: RowExamples, problems: list[Problem], solutions: list[Solution]) -> None:
        super()._become(given, problems, solutions)
        self.__dict__.pop("stream_", None)
        self._squares = squares_at(self._loss(), given, self.coef_, self.intercept_, self.fit_intercept)


# So many rounds are put together at a time.
_AT_ONCE = 1 << 16
_MOST = 1e9


def rounds(repetition: Floats) -> Iterator[tuple[Any, Floats]]:
    """Yield the examples of the rounds, part by part, and the weight of each: 1, of the last of an example the rest.

    >>> [(part.tolist(), share.tolist()) for part, share in rounds(np.array([1.0, 2.5]))]
    [([0, 1, 1, 1], [1.0, 1.0, 1.0, 0.5])]
    """
    if (repetition == 1.0).all():
        for first in range(0, len(repetition), _AT_ONCE):
            part = slice(first, min(first + _AT_ONCE, len(repetition)))
            yield part, repetition[part]
        return
    times = np.ceil(repetition)
    if not times.sum() <= _MOST:
        raise ValueError(
            f"partial_fit takes a round for each repetition, and the weights sum to {repetition.sum():g}, more than "
            f"{_MOST:g}: give smaller weights, or call it several times"
        )
    ends = np.cumsum(times).astype(np.int64)
    for first in range(0, int(ends[-1]), _AT_ONCE):
        t = np.arange(first, min(first + _AT_ONCE, int(ends[-1])))
        i = np.searchsorted(ends, t, side="right")
        yield i, np.where(t == ends[i] - 1, (repetition - (times - 1.0))[i], 1.0)


# From so many examples the gradients of all are judged.
_LOOKED_AT = 1000


def squares_at(loss: Loss, given: RowExamples, w: Floats, b: Floats, intercept: bool) -> Floats:
    """Return (K,) Σ ‖g‖² of rounds at weights w (K, d), b (K,) that stay: one an example, from some 1,000 of them."""
    step = -(-len(given.y) // _LOOKED_AT)
    X, y, repetition = given.X[::step], given.y[::step], given.repetition[::step]
    s = scores(reals_for_core(X), np.ascontiguousarray(w), b)
    each = given.weight[::step] / repetition
    with np.errstate(over="ignore"):
        parts = [np.asarray(square_values(X[part]).sum(axis=1), dtype=np.float64).ravel() for part in stretches(X)]
        lengths = np.concatenate(parts) + float(intercept)
        slopes = [each * loss.slope(target, s[:, k]) for k, target in enumerate(against_rest(y, len(w)))]
        share = given.repetition.sum() / repetition.sum()
        found: Floats = np.array([share * ((repetition * lengths) @ np.square(slope)) for slope in slopes])
    return found


def _certificate(stream: Online, counts: dict[Any, float]) -> Certificate:
    """Return the certificate of a stream; its digest is of the state, the same for every split into batches."""
    state = (stream.w, stream.b, stream.early_w, stream.sum_b, stream.rounds, stream.squares, stream.suffered)
    return Certificate(
        objective=f"Σ c·{stream.loss.name} of each example before it is learnt, {len(stream.b)} problems",
        primal=float(stream.suffered.sum()),
        dual=None,
        kkt_violation=None,
        iterations=int(stream.rounds.max()),
        status=Status.STREAMED.name.lower(),
        advice=Status.STREAMED.value,
        seconds=0.0,
        n=float(sum(counts.values())),
        d=stream.w.shape[1],
        class_counts=counts,
        seed=None,
        digest=digest(*state),
    )

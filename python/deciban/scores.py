"""Scores: the one thing that prediction, explanation and serving see of a model.

Nothing here loads SciPy or scikit-learn, and NumPy only when a score is evaluated.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from .conventions import DECIBANS_PER_NAT

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


class Terms(NamedTuple):
    """The parts of a score difference: `feature` (m,) ascending indices, `x` (m,), `evidence` (m,) nats."""

    feature: NDArray[np.intp]
    x: Floats
    evidence: Floats


class Term(NamedTuple):
    """One piece of evidence as people read it: the feature's name, its weight in decibans, its value."""

    feature: Any
    decibans: float
    x: float


@dataclass(frozen=True)
class Explanation:
    """Why `label` and not `against`: prior_decibans + Σ terms = decibans. Strongest evidence first.

    `against` is the runner-up; it is None when the model knows one class only, and then nothing is weighed.
    """

    label: Any
    against: Any
    probability: float
    decibans: float
    prior_decibans: float
    terms: list[Term]


@dataclass(frozen=True, eq=False)
class AffineScore:
    """A score that is affine in the features, one column a class.

        score(x)_c = prior_c + Σ_j x_j W_jc + Σ_j absent_jc

    W (d, C), prior (C,) log prior probabilities, absent (d, C) or None, all in nats. For a Bernoulli model
    W = logit φ and absent = log(1 − φ): an absent feature weighs absent_j, a present one
    W_j + absent_j = log φ_j. Every linear or discrete Bayes model compiles to this form.

    Cost: one pass over the nonzeros of X, C multiplications each.

    >>> import numpy as np
    >>> score = AffineScore(np.log([[0.8, 0.1], [0.2, 0.9]]), np.log([0.5, 0.5]))
    >>> score(np.array([[1.0, 0.0]])).round(3).tolist()
    [[-0.916, -2.996]]
    """

    W: Floats
    prior: Floats
    absent: Floats | None = None

    @cached_property
    def bias(self) -> Floats:
        """(C,) the score of the empty row: prior + Σ_j absent_j."""
        if self.absent is None:
            return self.prior
        # Rows of the transpose are contiguous, so NumPy adds them pairwise: 10^6 terms keep their digits.
        result: Floats = self.prior + self.absent.T.copy().sum(axis=1)
        return result

    def __call__(self, X: Any) -> Floats:
        """(N, C) scores in nats of X (N, d), dense or sparse; a sparse X is never made dense."""
        result: Floats = X @ self.W + self.bias
        return result

    def terms(self, row: Any, label: int, against: int) -> Terms:
        """Evidence in nats for class `label` against class `against`, feature by feature.

        `row` is one example, (d,) or (1, d), dense or sparse. Listed are the features that are present and,
        where the model uses them, the absent ones; then
        prior_label − prior_against + Σ evidence = score_label − score_against.
        """
        feature, x = _nonzeros(row)
        if self.absent is None:
            weight = self.W[feature]
            return Terms(feature, x, x * (weight[:, label] - weight[:, against]))
        import numpy as np

        full = np.zeros(len(self.W))
        full[feature] = x
        evidence = full * (self.W[:, label] - self.W[:, against])
        evidence += self.absent[:, label] - self.absent[:, against]
        return Terms(np.arange(len(full)), full, evidence)

    def explain(self, row: Any, labels: Sequence[Any], names: Sequence[Any] | None = None) -> Explanation:
        """The winner of one row against its runner-up, in decibans; `names` (d,) default to the indices."""
        import numpy as np

        score = np.atleast_2d(self(row))[0]
        probability = np.exp(log_posterior(score))
        if len(score) == 1:
            return Explanation(labels[0], None, float(probability[0]), 0.0, 0.0, [])
        label, against = np.argsort(-score, kind="stable")[:2]
        feature, x, evidence = self.terms(row, label, against)
        decibans = evidence * DECIBANS_PER_NAT
        terms = [
            Term(int(feature[k]) if names is None else names[feature[k]], float(decibans[k]), float(x[k]))
            for k in np.argsort(-np.abs(decibans), kind="stable")
        ]
        return Explanation(
            label=labels[label],
            against=labels[against],
            probability=float(probability[label]),
            decibans=float(score[label] - score[against]) * DECIBANS_PER_NAT,
            prior_decibans=float(self.prior[label] - self.prior[against]) * DECIBANS_PER_NAT,
            terms=terms,
        )


def _nonzeros(row: Any) -> tuple[NDArray[np.intp], Floats]:
    """Indices (ascending) and values of the nonzero features of one dense or sparse row."""
    import numpy as np

    if hasattr(row, "tocsr"):
        row = row.tocsr()
        if not row.has_canonical_format:
            row = row.copy()
            row.sum_duplicates()
        kept = np.flatnonzero(row.data)
        return row.indices[kept].astype(np.intp), row.data[kept].astype(np.float64)
    values = np.asarray(row).reshape(-1)
    feature = np.flatnonzero(values)
    return feature, values[feature].astype(np.float64)


def log_posterior(b: Any) -> Floats:
    """Bayes' rule in logs, normalised over the last axis: the only logsumexp of the package.

        log p(c | x) = b_c − [B + log Σ_c' e^(b_c' − B)],      b_c = log p(x | c) + log p(c),  B = max b_c

    The winner's own e^0 = 1 is kept out of the sum and put back by log1p, so that a certain winner gets
    −Σ of the others to full precision, never a rounded zero, and never −0. A class of probability zero
    (b_c = −∞) stays there; one class at least must be finite.

    >>> log_posterior([-120.0, -121.0]).round(6).tolist()
    [-0.313262, -1.313262]
    """
    import numpy as np

    b = np.asarray(b, dtype=np.float64)
    winner = np.expand_dims(b.argmax(axis=-1), -1)
    below = b - np.take_along_axis(b, winner, axis=-1)
    with np.errstate(under="ignore"):
        others = np.exp(below)
    np.put_along_axis(others, winner, 0.0, axis=-1)
    result: Floats = below - np.log1p(others.sum(axis=-1, keepdims=True))
    return result

"""Selection of the number of features: the error of naive Bayes on held-out examples, for a few sizes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from deciban.data.folds import deal_stratified
from deciban.data.labelled import WeighedExamples
from deciban.distributions import Counts, Distribution
from deciban.distributions.priors import class_prior

Floats = NDArray[np.float64]

FOLDS = 5


class CandidateResult(NamedTuple):
    """Naive Bayes on the `k` best features: mean error of the folds, and its standard error."""

    k: int
    error: float
    standard_error: float


def sizes(d: int) -> list[int]:
    """Return 10, 30, 100, 300 … below d, and d.

    >>> sizes(500), sizes(7)
    ([10, 30, 100, 300, 500], [7])
    """
    found, k = [], 10
    while k < d:
        found += [k, 3 * k]
        k *= 10
    return [k for k in found if k < d] + [d]


def estimate_held_out_errors(
    data: WeighedExamples,
    family: Distribution,
    best_first: Callable[[Floats], NDArray[np.intp]],
    rng: np.random.RandomState,
) -> list[CandidateResult]:
    """Return the error of naive Bayes by 5-fold cross-validation, features chosen anew in every fold.

    `best_first(weight)` gives all features by what they tell in examples of these weights, 0 for the fold held out.
    Statistics are sums, so each part is counted once and what a fold learns from is the whole minus the part.
    """
    fold = deal_stratified(data.y, min(FOLDS, len(data.y)), rng)
    parts = [data.only(fold == f) for f in range(fold.max() + 1)]
    counts = [family.count(part.X, part.y, part.weight, len(part.classes)) for part in parts]
    whole = sum(counts[1:], start=counts[0])
    errors = [
        _errors(part, whole - seen, family, best_first(np.where(fold == f, 0.0, data.weight)))
        for f, (part, seen) in enumerate(zip(parts, counts, strict=True))
    ]
    mean, spread = np.mean(errors, axis=0), np.std(errors, axis=0, ddof=1) / np.sqrt(len(parts))
    return [
        CandidateResult(*found) for found in zip(sizes(data.X.shape[1]), mean.tolist(), spread.tolist(), strict=True)
    ]


def _errors(part: WeighedExamples, learnt: Counts, family: Distribution, order: NDArray[np.intp]) -> list[float]:
    """Return the share of `part` that is judged wrongly with the first k of the features in `order`, for every size
    k."""
    with np.errstate(divide="ignore"):  # a class that is wholly held out has log 0 = −∞
        prior = np.log(class_prior("empirical", learnt.n))
    X, s = part.X[:, order], learnt.s[:, order]
    errors = []
    for k in sizes(len(order)):
        score = family.score(family.parameters(Counts(learnt.n, s[:, :k]), "bayes"), prior)
        called = score(X[:, :k]).argmax(axis=1)
        errors.append(float(part.weight[called != part.y].sum() / part.weight.sum()))
    return errors


def smallest(tried: Sequence[CandidateResult]) -> int:
    """Return the fewest features whose error is within one standard error of the best. Breiman et al. 1984, §3.4.3."""
    best = min(tried, key=lambda each: each.error)
    return next(each.k for each in tried if each.error <= best.error + best.standard_error)

"""How much an explanation depends on which examples were learnt: the same items explained by models of resamples."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone
from sklearn.utils import _safe_indexing
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _num_samples, column_or_1d, has_fit_parameter

from deciban.data.devices import fetched
from deciban.threads import on_threads

from ..data.convergence import warned_once
from .label_errors import settled
from .stable import Asked, Said, Stability

RESAMPLES, TOP = 20, 10
# So often a resample without all classes is drawn again.
_DRAWS = 1000


@warned_once()
@on_threads
def explanation_stability(
    model: Any, X: Any, y: ArrayLike, items: Any, *, resamples: int = RESAMPLES, top: int = TOP, seed: int = 0
) -> Stability:
    """How stable the explanations of `items` are, had other examples of the same kind been learnt.

        w_r ~ Multinomial(N; 1/N, …, 1/N),      evidence_r = that of the model learnt from X with weights w_r

    for r = 1 … `resamples` (the bootstrap: Efron, Annals of Statistics 7, 1979; Efron & Tibshirani 1993, ch. 6). A
    resample without all classes is drawn again. The pair of classes is that of the model of all examples, winner and
    runner-up, whoever wins in a resample; so the mean of the prior and the means of the terms sum to the mean of the
    log-odds. Of every term: mean, standard deviation, and the share of resamples in which it has the same sign. Of
    every item: in how many resamples the label is the same, and how far the `top` strongest terms are the same ones,
    |A ∩ B| / |A ∪ B| on average (Jaccard; Kalousis, Prados & Hilario, Knowledge and Information Systems 12, 2007).

    `model`, which need not be fitted and is left as it is, is cloned; it draws the same at random in every resample, so
    that the examples alone make the difference. Where weights are refused, examples are repeated. Of a model that
    counts, `credible_interval` tells how far the log-odds are to be doubted without resamples. Cost: resamples + 1
    fits.

    X, items : what `model.fit` and `model.explain` take. y (N,) labels.
    Errors : TypeError for a model without `explain`; ValueError for labels of one class, one resample, or no items.

    >>> from deciban import NaiveBayes
    >>> X, y = [[1, 0, 3], [2, 0, 1], [0, 1, 2], [0, 2, 3]] * 5, ["a", "a", "b", "b"] * 5
    >>> item = explanation_stability(NaiveBayes(), X, y, [[1, 0, 1]])[0]
    >>> [(term.feature, round(term.decibans, 1), term.same_sign) for term in item.terms]
    [(0, 12.6, 1.0), (2, -0.4, 0.8)]
    """
    labels = column_or_1d(fetched(y))
    X, items = (each if hasattr(each, "shape") else listed(each) for each in (X, items))
    _check(model, X, labels, items, resamples, top)
    classes, member = np.unique(labels, return_inverse=True)
    model = settled(model, X, labels, None, seed)
    first = clone(model).fit(X, labels)
    asked = [Asked.of(why) for why in first.explain(items)]
    random, said = np.random.default_rng(seed), []
    for _ in range(resamples):
        learnt = _learnt(model, X, labels, _drawn(member, len(classes), random))
        won = learnt.predict(items).tolist()
        said.append([Said.of(_why(learnt, items, k, each), won[k] == each.label) for k, each in enumerate(asked)])
    return Stability.of(asked, [list(each) for each in zip(*said, strict=True)], top, seed)


def _why(learnt: Any, items: Any, k: int, asked: Asked) -> Any:
    return learnt.explain(_safe_indexing(items, [k]), pair=asked.pair)[0]


def _drawn(member: NDArray[np.intp], C: int, random: np.random.Generator) -> NDArray[np.intp]:
    """(N,) how often each example is drawn."""
    N = len(member)
    for _ in range(_DRAWS):
        times = random.multinomial(N, np.full(N, 1.0 / N))
        if len(np.unique(member[times > 0])) == C:
            return times.astype(np.intp)
    raise ValueError(
        f"resamples with all {C} classes are expected; of {N} examples {_DRAWS:,} were drawn without: a class has too "
        "few"
    )


def _learnt(model: Any, X: Any, labels: NDArray[Any], times: NDArray[np.intp]) -> Any:
    rows = np.flatnonzero(times)
    more = {"sample_weight": times[rows].astype(np.float64)} if has_fit_parameter(model, "sample_weight") else {}
    rows = rows if more else np.repeat(rows, times[rows])
    learnt = clone(model).fit(_safe_indexing(X, rows), labels[rows], **more)
    if getattr(model, "callback", None) is None and _ending(learnt) == "interrupted":
        raise KeyboardInterrupt  # the fit has taken it for its own
    return learnt


def _ending(learnt: Any) -> str:
    return getattr(getattr(learnt, "certificate_", None), "status", "")


def listed(items: Any) -> list[Any]:
    """Items as a list; one text alone is refused, as it would be read letter by letter."""
    if isinstance(items, str | bytes):
        raise TypeError("a sequence of examples is expected, not one text: put it in a list")
    return list(items)


def _check(model: Any, X: Any, labels: Any, items: Any, resamples: Any, top: Any) -> None:
    if not hasattr(model, "explain") or not hasattr(model, "fit"):
        raise TypeError(f"a classifier that learns and explains is expected; {type(model).__name__} does not do both")
    for name, value, least in (("resamples", resamples, 2), ("top", top, 1)):
        if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
            raise ValueError(f"{name} must be a whole number from {least}, got {value!r}")
    if _num_samples(X) != len(labels):
        raise ValueError(f"one label per example is expected; there are {_num_samples(X)} and {len(labels)} labels")
    if not _num_samples(items):
        raise ValueError("at least one item to explain is expected")
    check_classification_targets(labels)
    if len(np.unique(labels)) < 2:
        raise ValueError(f"at least two classes are expected; all labels are {np.unique(labels).tolist()}")

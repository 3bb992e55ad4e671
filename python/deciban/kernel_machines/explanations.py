"""Explanations of kernel machines: by feature, or by support vector."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from deciban.data.devices import fetch, take
from deciban.losses import Floats
from deciban.scores import Explanation, KernelScore, PairwiseScore
from deciban.scores.evidence import explanation
from deciban.verdict import places_of

from .one_vs_one import pairs
from .probabilities import Calibration

# The posterior may stretch the log-odds of a machine so many times, or shrink them to that share.
_MOST = 4.0


def of_items(score: KernelScore | PairwiseScore, X: Any, p: Floats, *told: Any, pair: Any = None) -> list[Explanation]:
    """Return for each row of X, with its log posterior p (n, C), what `of_score` or `of_pairs` tells of it."""
    explained: Any = of_pairs if isinstance(score, PairwiseScore) else of_score
    asked = places_of(pair, told[0])
    return [explained(score, fetch(take(X, [i])), p[i], *told, asked) for i in range(X.shape[0])]


def of_score(
    score: KernelScore,
    row: Any,
    p: Floats,
    labels: Sequence[Any],
    names: list[str] | None,
    support: Sequence[int],
    by_vector: bool,
    known: Calibration,
    asked: tuple[int, int] | None = None,
) -> Explanation:
    """Return the winner against its runner-up, or the two classes `asked` for, by the score of one machine, or of each
    class against the rest."""
    label, against = asked or _two(p)
    return _explain(score, row, (label, against), (label, against), p, labels, names, support, by_vector, known.of_item)


def of_pairs(
    score: PairwiseScore,
    row: Any,
    p: Floats,
    labels: Sequence[Any],
    names: list[str] | None,
    support: Sequence[int],
    by_vector: bool,
    known: Calibration,
    asked: tuple[int, int] | None = None,
) -> Explanation:
    """Return the winner against its runner-up, or the two classes `asked` for, by the machine of the two."""
    label, against = asked or _two(p)
    two = min(label, against), max(label, against)
    pair, worth = score.pair(*two), partial(known.of_item, k=pairs(len(labels)).index(two))
    columns = (1, 0) if label < against else (0, 1)
    own = np.repeat(np.arange(len(labels)), score.n_support)
    kept = [*np.flatnonzero(own == min(label, against)), *np.flatnonzero(own == max(label, against))]
    places = [support[k] for k in kept]
    return _explain(pair, row, (label, against), columns, p, labels, names, places, by_vector, worth)


def _two(p: Floats) -> tuple[int, int]:
    label, against = (int(c) for c in np.argsort(-p, kind="stable")[:2])
    return label, against


def _explain(
    score: KernelScore,
    row: Any,
    classes: Any,
    columns: Any,
    p: Floats,
    labels: Any,
    names: Any,
    places: Any,
    vectors: bool,
    worth: Callable[[Floats], Floats],
) -> Explanation:
    """Return parts of the margin, all stretched alike towards the log-odds of the posterior, log p(label) − log
    p(against); what is left, because other classes have a say or a curve is not a line through 0, stands with the
    prior."""
    label, against = columns
    s = score(row)[0]
    featureless = score.vectors.ndim == 1
    start = score.intercept if vectors or featureless else score.prior
    terms = (score.by_vector if vectors or featureless else score.terms)(row, label, against)
    nats, margin = worth(s), float(s[label] - s[against])
    total, own = float(p[classes[0]] - p[classes[1]]), float(nats[label] - nats[against])
    unit = own / margin if margin else 0.0
    stretch = float(np.clip(total / margin, unit / _MOST, unit * _MOST)) if unit > 0.0 else 0.0
    terms = terms._replace(evidence=stretch * terms.evidence)
    prior = stretch * float(start[label] - start[against]) + total - stretch * margin
    told = labels[classes[0]], labels[classes[1]], float(np.exp(p[classes[0]]))
    return explanation(*told, total, prior, terms, list(places) if vectors or featureless else names)

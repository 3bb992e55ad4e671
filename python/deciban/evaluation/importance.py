"""Importance of features over many examples: decibans of evidence, and mutual information with the class in bits."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from deciban.artifact.artifact import Artifact
from deciban.conventions import DECIBANS_PER_NAT
from deciban.data.devices import fetch
from deciban.data.rows import Rows
from deciban.features.column_information import bin_numbers, information_of
from deciban.features.information import BITS_PER_NAT, entropy
from deciban.text.encoder import rates
from deciban.threads import on_threads
from deciban.verdict import print_name

Floats = NDArray[np.float64]

ABSENT = "(absent words)"
"""Words that are not there speak as one feature."""
TOP = 20


class FeatureImportance(NamedTuple):
    """The importance of a feature for the decisions of a model.

    Parameters
    ----------
    feature : object
        Name of the feature.
    decibans : float
        Mean of its absolute evidence in an example, in decibans.
    label : label
        The class that it is evidence for most.
    bits : float or None
        Its mutual information with the class, in bits; None where no labels were given.

    Examples
    --------
    >>> FeatureImportance("cheap", 4.4, "spam", 1.0).to_json()["label"]
    'spam'
    """

    feature: Any
    decibans: float
    label: Any
    bits: float | None

    def to_json(self) -> dict[str, Any]:
        """Return the fields as plain Python objects, with keys that scripts rely on.

        Returns
        -------
        dict
            The fields by their names.
        """
        return self._asdict()


@dataclass(frozen=True)
class Importance(Sequence[FeatureImportance]):
    """The features that the decisions of a model depend on, the strongest first.

    Parameters
    ----------
    features : tuple of FeatureImportance
        The features.
    n : float
        Number of examples that these are means of.
    total : float
        Mean of Σ |decibans| over all features of an example, those that are not listed included.
    class_bits : float or None
        Entropy of the labels, in bits: no feature has more; None where none were given.

    Examples
    --------
    >>> found = Importance((FeatureImportance("cheap", 4.4, "spam", 1.0),), 10.0, 4.4, 1.0)
    >>> len(found), found[0].feature
    (1, 'cheap')
    """

    features: tuple[FeatureImportance, ...]
    n: float
    total: float
    class_bits: float | None

    def __len__(self) -> int:
        return len(self.features)

    @overload
    def __getitem__(self, at: int) -> FeatureImportance: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[FeatureImportance]: ...
    def __getitem__(self, at: int | slice) -> FeatureImportance | Sequence[FeatureImportance]:
        return self.features[at]

    def __iter__(self) -> Iterator[FeatureImportance]:
        return iter(self.features)

    def __str__(self) -> str:
        told = ["decibans    bits  feature, and what it speaks for most"]
        for each in self:
            bits = "" if each.bits is None else f"{each.bits:.4f}"
            told.append(f"{each.decibans:8.2f}  {bits:>6}  {print_name(each.feature)}  {each.label}")
        told.append(f"{self.total:8.2f}          all features, mean of {self.n:,.10g} examples")
        if self.class_bits is not None:
            told.append(f"          {self.class_bits:6.4f}  in the class")
        return "\n".join(told)

    def to_json(self) -> dict[str, Any]:
        """Return the features as plain Python objects, with keys that scripts rely on.

        Returns
        -------
        dict
            The fields by their names.
        """
        listed = [each.to_json() for each in self]
        return {"n": self.n, "total": self.total, "class_bits": self.class_bits, "features": listed}


@on_threads
def evidence_importance(
    model: object, X: Rows | None = None, y: ArrayLike | None = None, *, top: int | None = TOP
) -> Importance:
    """Return the features that the decisions of a fitted classifier depend on, the strongest first.

        decibans_j = 1/N Σ_i |evidence of j in example i for its winner against its runner-up|

    Evidence is that of `model.explain`, as scores have it, whatever may be claimed; a feature is what an
    explanation names: a word, a column, or a category of a column. Its label is the class on whose side its
    decibans were most. With labels y the bits are I(feature; y) / log 2 over the same examples: of a word whether
    it is there, of a number over bins that are equally full. Where an explanation does not name the feature, that
    is a value of its own. Many bits and few decibans: the model could use more of the feature. Few bits and many
    decibans: it relies on a feature with little information, or with information only together with others. The
    cost is that of `model.explain(X)`.

    Parameters
    ----------
    model : classifier
        A fitted classifier with `explain`.
    X : sequence of str, array-like of shape (n_samples, n_features) or data frame, optional
        Examples, as `model.explain` takes them; a few hundred are enough. Without X, of a `TextClassifier`, the result
        is about its training texts: occurrences per text times the decibans of a word for a class against its nearest
        rival. For two classes of a linear model that is the same mean.
    y : array-like of shape (n_samples,), optional
        Labels, for the bits.
    top : int or None, default=20
        Number of features; None for all.

    Returns
    -------
    Importance
        The features with decibans, label and bits.

    Raises
    ------
    TypeError
        If the model has no `explain`.
    ValueError
        If X is needed, y has another length, or `top` is no whole number.

    Examples
    --------
    >>> from deciban import TextClassifier
    >>> texts, labels = ["cheap pills", "cheap loan", "lunch at noon", "noon"], ["spam", "spam", "ham", "ham"]
    >>> found = evidence_importance(TextClassifier(words=(1, 1)).fit(texts, labels), texts, labels, top=2)
    >>> [(each.feature, round(each.decibans, 1), each.label, round(each.bits, 2)) for each in found]
    [('cheap', 4.1, 'spam', 1.0), ('noon', 4.1, 'ham', 1.0)]
    """
    if not hasattr(model, "explain"):
        raise TypeError(f"a fitted classifier that explains itself is expected; {type(model).__name__} does not")
    if top is not None and (isinstance(top, bool) or not isinstance(top, int | np.integer) or top < 0):
        raise ValueError(f"top must be a whole number from 0, or None for all, got {top!r}")
    if getattr(model, "multilabel_", False):
        raise ValueError("a model that gives one label is expected; this one gives each example many")
    if X is None:
        if y is not None:
            raise ValueError("y was given without X, the examples that it labels")
        return _of_learnt_texts(model, top)
    whys = model.explain(X)
    if not whys:
        raise ValueError("at least one example is expected")
    classes, member = (None, None) if y is None else np.unique(fetch(y), return_inverse=True)
    if member is not None and member.shape != (len(whys),):
        raise ValueError(f"one label per example is expected; there are {len(whys)} and {member.size} labels")
    return _of_explanations(whys, None if classes is None else (member, len(classes)), top)


def _of_explanations(whys: Sequence[Any], given: Any, top: int | None) -> Importance:
    """Collect the terms of all explanations by feature; `given` are the classes (N,) and their number."""
    found: dict[Any, list[tuple[int, float, float]]] = defaultdict(list)
    sides: dict[Any, dict[Any, float]] = defaultdict(lambda: defaultdict(float))
    words = whys[0].verdict is not None  # of a text; an explanation of a row has none
    for i, why in enumerate(whys):
        for term in why.terms:
            feature = ABSENT if words and not term.count else term.feature
            decibans = term.decibans / why.claimed
            found[feature].append((i, decibans, 1.0 if words else term.x))
            sides[feature][why.label if decibans > 0.0 else why.against] += abs(decibans)
    sums = {feature: sum(abs(decibans) for _, decibans, _ in terms) for feature, terms in found.items()}
    order = sorted(sums, key=lambda feature: (-sums[feature], str(feature)))[:top]
    n = len(whys)
    listed = [
        FeatureImportance(
            feature,
            sums[feature] / n,
            max(sides[feature], key=lambda label: sides[feature][label]),
            None if given is None else _bits(found[feature], *given),
        )
        for feature in order
    ]
    bits = None if given is None else float(entropy(np.bincount(given[0]))) * BITS_PER_NAT
    return Importance(tuple(listed), float(n), sum(sums.values()) / n, bits)


def _bits(terms: Sequence[tuple[int, float, float]], y: NDArray[np.intp], C: int) -> float:
    """Return the mutual information of a feature that explanations name with these values."""
    rows = np.array([i for i, _, _ in terms], dtype=np.intp)
    value = np.zeros(len(y))
    value[rows] = 1.0 + bin_numbers(np.array([x for _, _, x in terms]))
    return information_of(value, y, C, labels=True) * BITS_PER_NAT


def _of_learnt_texts(model: Any, top: int | None) -> Importance:
    """Return the importance of the words that a text model counted, whatever it minimised."""
    known: Any = getattr(model, "model_", None)
    if not isinstance(known, Artifact):
        raise ValueError(f"X is expected, examples for {type(model).__name__} to explain; text models do without")
    rows, _, seen = known.encoder.features()
    W, absent = model.served_.by_word().T, np.frombuffer(model.served_.absent, "<f8")
    if len(absent):
        W = W + absent.reshape(len(rows), -1).T
    share = seen.n / seen.n.sum()
    parts = np.abs(_above_the_next(W)) * rates(seen) * share[:, None] * DECIBANS_PER_NAT
    each = parts.sum(axis=0)
    order = np.argsort(-each, kind="stable")[:top]
    order = order[each[order] > 0.0]
    bits = known.encoder.information(seen)[order] * BITS_PER_NAT
    labels = [known.classes[c] for c in W[:, order].argmax(axis=0)]
    listed = zip(known.encoder.names(rows[order]), each[order].tolist(), labels, bits.tolist(), strict=True)
    return Importance(
        tuple(map(FeatureImportance._make, listed)),
        float(seen.n.sum()),
        float(each.sum()),
        float(entropy(seen.n)) * BITS_PER_NAT,
    )


def _above_the_next(W: Floats) -> Floats:
    """Return (C, K) the lead of each class over the largest of the others."""
    most = W.max(axis=0)
    first = W.argmax(axis=0)
    rest = W.copy()
    rest[first, np.arange(W.shape[1])] = -np.inf
    following = rest.max(axis=0)
    above: Floats = W - most
    above[first, np.arange(W.shape[1])] = most - following
    return above

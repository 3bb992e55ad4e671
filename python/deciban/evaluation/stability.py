"""Stability of explanations: the same items explained by models of resampled training examples."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Self, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from deciban.data.classifier import Classifier
from deciban.data.devices import fetch
from deciban.data.estimator import clone
from deciban.data.fit_parameters import has_fit_parameter
from deciban.data.refusal import check_whole
from deciban.data.rows import Rows
from deciban.data.samples import n_samples, take_rows
from deciban.data.validation import check_classification_targets, column_or_1d
from deciban.threads import on_threads
from deciban.verdict import Explanation, print_name

from ..data.convergence import warn_once
from .label_errors import settle_model


class ReferenceExplanation(NamedTuple):
    """The explanation of an item by the model of all examples: two classes, log-odds, prior and terms in decibans."""

    label: Any
    against: Any
    decibans: float
    prior: float
    terms: dict[Any, float]

    @classmethod
    def of(cls, why: Any) -> Self:
        """Make it from its explanation."""
        return cls(why.label, why.against, why.decibans, why.prior_decibans, _by_feature(why))

    @property
    def pair(self) -> tuple[Any, Any]:
        """The label, and what it is weighed against."""
        return self.label, self.against


class ResampledExplanation(NamedTuple):
    """The explanation of an item by the model of a resample, for the same classes, and whether its label stays."""

    decibans: float
    prior: float
    terms: dict[Any, float]
    same: bool

    @classmethod
    def of(cls, why: Any, same: bool) -> Self:
        """Make it from its explanation."""
        return cls(why.decibans, why.prior_decibans, _by_feature(why), same)


def _by_feature(why: Explanation) -> dict[Any, float]:
    found: dict[Any, float] = {}
    for term in why.terms:
        found[term.feature] = found.get(term.feature, 0.0) + term.decibans
    return found


@dataclass(frozen=True)
class StableTerm:
    """A term of an explanation over resamples of the training examples.

    Parameters
    ----------
    feature : object
        Name of the feature.
    decibans : float
        Its evidence by the model of all examples.
    mean : float
        Mean over the resamples; one that does not name the feature counts as 0.
    deviation : float
        Standard deviation over the resamples.
    same_sign : float
        Share of resamples in which its sign is the same.

    Examples
    --------
    >>> term = StableTerm.of("cheap", 4.0, [3.0, 5.0, -1.0, 5.0])
    >>> term.mean, term.same_sign
    (3.0, 0.75)
    """

    feature: Any
    decibans: float
    mean: float
    deviation: float
    same_sign: float

    @classmethod
    def of(cls, feature: Any, decibans: float, values: Sequence[float]) -> Self:
        """Make the term from its decibans in every resample.

        Parameters
        ----------
        feature : object
            Name of the feature.
        decibans : float
            Its evidence by the model of all examples.
        values : sequence of float
            Its evidence in every resample.

        Returns
        -------
        StableTerm
            The term.
        """
        found = np.asarray(values)
        same = float((np.sign(found) == np.sign(decibans)).mean())
        return cls(feature, decibans, float(found.mean()), float(found.std(ddof=1)), same)

    def to_json(self) -> dict[str, Any]:
        """Return the fields as plain Python objects, with keys that scripts rely on.

        Returns
        -------
        dict
            The fields by their names.
        """
        return dict(vars(self))


@dataclass(frozen=True)
class StableExplanation:
    """An item over the resamples: `label` against `against`, as the model of all examples has it.

    total       the log-odds: its `decibans`, mean, deviation, and how often the sign is the same
    prior       the prior; its mean and those of the terms sum to that of the total
    same_label  share of resamples whose prediction is `label`
    overlap     mean of |A ∩ B| / |A ∪ B|, A the strongest features by all examples, B those by a resample
    terms       strongest first, by the model of all examples; what only resamples name follows
    """

    label: Any
    against: Any
    total: StableTerm
    prior: StableTerm
    same_label: float
    overlap: float
    terms: tuple[StableTerm, ...]

    for_label, against_label = Explanation.for_label, Explanation.against_label

    @classmethod
    def of(cls, asked: ReferenceExplanation, said: Sequence[ResampledExplanation], top: int) -> Self:
        """Make it from the explanations by the model of all examples and by those of the resamples."""
        features = {**asked.terms, **{feature: 0.0 for each in said for feature in each.terms}}
        terms = [
            StableTerm.of(feature, asked.terms.get(feature, 0.0), [each.terms.get(feature, 0.0) for each in said])
            for feature in features
        ]
        terms.sort(key=lambda term: (-abs(term.decibans), -abs(term.mean), str(term.feature)))
        return cls(
            asked.label,
            asked.against,
            StableTerm.of("total", asked.decibans, [each.decibans for each in said]),
            StableTerm.of("prior", asked.prior, [each.prior for each in said]),
            float(np.mean([each.same for each in said])),
            float(np.mean([_jaccard(strongest(asked.terms, top), strongest(each.terms, top)) for each in said])),
            tuple(terms),
        )

    def __str__(self) -> str:
        lines = [
            f"{self.label} against {self.against}: {self.total.decibans:.1f} dB, in resamples {self.total.mean:.1f} ± "
            f"{self.total.deviation:.1f}; the same label in {100 * self.same_label:.0f} %, "
            f"the strongest terms to {100 * self.overlap:.0f} %",
            "decibans    mean  deviation  same sign",
        ]
        for each in (self.prior, *self.terms[:_PRINTED]):
            numbers = f"{each.decibans:+8.1f}{each.mean:+8.1f}{each.deviation:11.1f}{100 * each.same_sign:9.0f} %"
            lines.append(f"{numbers}  {print_name(each.feature)}")
        more = len(self.terms) - _PRINTED
        return "\n".join([*lines, *([f"and {more:,} more terms"] if more > 0 else [])])

    def to_json(self) -> dict[str, Any]:
        """Return keys that scripts rely on."""
        return {
            "label": self.label,
            "against": self.against,
            "total": self.total.to_json(),
            "prior": self.prior.to_json(),
            "same_label": self.same_label,
            "overlap": self.overlap,
            "terms": [term.to_json() for term in self.terms],
        }


# Terms that are printed.
_PRINTED = 12


@dataclass(frozen=True)
class Stability(Sequence[StableExplanation]):
    """The stability of explanations over resamples of the training examples, one for each item.

    Parameters
    ----------
    items : tuple of StableExplanation
        The explanations.
    resamples : int
        Number of resamples.
    top : int
        Number of strongest terms whose overlap is measured.
    seed : int
        Seed of the resamples.

    Examples
    --------
    >>> found = Stability((), 20, 10, 0)
    >>> len(found), found.to_json()["resamples"]
    (0, 20)
    """

    items: tuple[StableExplanation, ...]
    resamples: int
    top: int
    seed: int

    @classmethod
    def of(
        cls, asked: Sequence[ReferenceExplanation], said: Sequence[Sequence[ResampledExplanation]], top: int, seed: int
    ) -> Self:
        """Make the result from the explanations of each item.

        Parameters
        ----------
        asked : sequence of ReferenceExplanation
            Explanations by the model of all examples.
        said : sequence of sequence of ResampledExplanation
            Explanations of each item by the models of the resamples.
        top : int
            Number of strongest terms whose overlap is measured.
        seed : int
            Seed of the resamples.

        Returns
        -------
        Stability
            The result.
        """
        found = [StableExplanation.of(own, each, top) for own, each in zip(asked, said, strict=True)]
        return cls(tuple(found), len(said[0]), top, seed)

    def __len__(self) -> int:
        return len(self.items)

    @overload
    def __getitem__(self, at: int) -> StableExplanation: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[StableExplanation]: ...
    def __getitem__(self, at: int | slice) -> StableExplanation | Sequence[StableExplanation]:
        return self.items[at]

    def __iter__(self) -> Iterator[StableExplanation]:
        return iter(self.items)

    @property
    def overlap(self) -> float:
        """Mean overlap of the strongest terms, over all items."""
        return float(np.mean([each.overlap for each in self]))

    @property
    def same_label(self) -> float:
        """Share of resamples in which the label is the same, over all items."""
        return float(np.mean([each.same_label for each in self]))

    def __str__(self) -> str:
        items = f"{len(self):,} {'item' if len(self) == 1 else 'items'}"
        return (
            f"{items}, {self.resamples} resamples: the same label in {100 * self.same_label:.0f} %, the {self.top} "
            f"strongest terms the same to {100 * self.overlap:.0f} %"
        )

    def to_json(self) -> dict[str, Any]:
        """Return the explanations as plain Python objects, with keys that scripts rely on.

        Returns
        -------
        dict
            The fields by their names.
        """
        items = [each.to_json() for each in self]
        return {"resamples": self.resamples, "top": self.top, "seed": self.seed, "items": items}


def strongest(terms: dict[Any, float], top: int) -> set[Any]:
    """Return the features of the `top` largest |decibans| above 0."""
    spoken = [feature for feature, decibans in terms.items() if decibans]
    return set(sorted(spoken, key=lambda feature: (-abs(terms[feature]), str(feature)))[:top])


def _jaccard(one: set[Any], other: set[Any]) -> float:
    return len(one & other) / len(one | other) if one | other else 1.0


RESAMPLES, TOP = 20, 10
# So often a resample without all classes is drawn again.
_DRAWS = 1000


@warn_once()
@on_threads
def explanation_stability(
    model: Classifier, X: Rows, y: ArrayLike, items: Any, *, resamples: int = RESAMPLES, top: int = TOP, seed: int = 0
) -> Stability:
    """Measure the stability of explanations over bootstrap resamples of the training examples.

        w_r ~ Multinomial(N; 1/N, …, 1/N),      evidence_r = that of the model fitted to X with weights w_r

    for r = 1 … `resamples` (the bootstrap: Efron, Annals of Statistics 7, 1979; Efron & Tibshirani 1993, ch. 6). A
    resample without all classes is drawn again. The pair of classes is that of the model of all examples, winner and
    runner-up, whoever wins in a resample; so the mean of the prior and the means of the terms sum to the mean of the
    log-odds. The model draws the same at random in every resample, so that the examples alone make the difference.
    Where weights are refused, examples are repeated. The cost is resamples + 1 fits.

    Parameters
    ----------
    model : classifier
        A classifier with `explain`; it is cloned, need not be fitted, and stays as it is.
    X : sequence of str, array-like of shape (n_samples, n_features) or data frame
        Training examples, as `model.fit` takes them.
    y : array-like of shape (n_samples,)
        Labels.
    items : sequence of str, array-like of shape (n_items, n_features) or data frame
        Examples to explain, as `model.explain` takes them.
    resamples : int, default=20
        Number of resamples.
    top : int, default=10
        Number of strongest terms whose overlap is measured.
    seed : int, default=0
        Seed of the resamples and of the model.

    Returns
    -------
    Stability
        Of every term mean, standard deviation, and the share of resamples in which it has the same sign. Of every item
        the share of resamples with the same label, and the mean overlap |A ∩ B| / |A ∪ B| of the strongest terms
        (Jaccard; Kalousis, Prados & Hilario, Knowledge and Information Systems 12, 2007).

    Raises
    ------
    TypeError
        If the model has no `explain`.
    ValueError
        If the labels are of one class, there is one resample, or there are no items.

    Examples
    --------
    >>> from deciban import NaiveBayes
    >>> X, y = [[1, 0, 3], [2, 0, 1], [0, 1, 2], [0, 2, 3]] * 5, ["a", "a", "b", "b"] * 5
    >>> item = explanation_stability(NaiveBayes(), X, y, [[1, 0, 1]])[0]
    >>> [(term.feature, round(term.decibans, 1), term.same_sign) for term in item.terms]
    [(0, 12.6, 1.0), (2, -0.4, 0.8)]
    """
    labels = column_or_1d(fetch(y))
    X, items = (each if hasattr(each, "shape") else as_list(each) for each in (X, items))
    _check(model, X, labels, items, resamples, top)
    classes, member = np.unique(labels, return_inverse=True)
    model = settle_model(model, X, labels, None, seed)
    first = clone(model).fit(X, labels)
    asked = [ReferenceExplanation.of(why) for why in first.explain(items)]
    random, said = np.random.default_rng(seed), []
    for _ in range(resamples):
        learnt = _fit(model, X, labels, _draw_weights(member, len(classes), random))
        won = learnt.predict(items).tolist()
        said.append(
            [
                ResampledExplanation.of(_why(learnt, items, k, each), won[k] == each.label)
                for k, each in enumerate(asked)
            ]
        )
    return Stability.of(asked, [list(each) for each in zip(*said, strict=True)], top, seed)


def _why(learnt: Any, items: Any, k: int, asked: ReferenceExplanation) -> Any:
    return learnt.explain(take_rows(items, [k]), pair=asked.pair)[0]


def _draw_weights(member: NDArray[np.intp], C: int, random: np.random.Generator) -> NDArray[np.intp]:
    """Return (N,) how often each example is drawn."""
    N = len(member)
    for _ in range(_DRAWS):
        times = random.multinomial(N, np.full(N, 1.0 / N))
        if len(np.unique(member[times > 0])) == C:
            return times.astype(np.intp)
    raise ValueError(
        f"resamples with all {C} classes are expected; of {N} examples {_DRAWS:,} were drawn without: a class has too "
        "few"
    )


def _fit(model: Classifier, X: Rows, labels: NDArray[Any], times: NDArray[np.intp]) -> Any:
    rows = np.flatnonzero(times)
    more = {"sample_weight": times[rows].astype(np.float64)} if has_fit_parameter(model, "sample_weight") else {}
    rows = rows if more else np.repeat(rows, times[rows])
    learnt = clone(model).fit(take_rows(X, rows), labels[rows], **more)
    if getattr(model, "callback", None) is None and _ending(learnt) == "interrupted":
        raise KeyboardInterrupt  # the fit has taken it for its own
    return learnt


def _ending(learnt: Any) -> str:
    return getattr(getattr(learnt, "certificate_", None), "status", "")


def as_list(items: Any) -> list[Any]:
    """Return items as a list; one text alone is refused, as it would be read letter by letter."""
    if isinstance(items, str | bytes):
        raise TypeError("a sequence of examples is expected, not one text: put it in a list")
    return list(items)


def _check(model: Any, X: Any, labels: Any, items: Any, resamples: Any, top: Any) -> None:
    if not hasattr(model, "explain") or not hasattr(model, "fit"):
        raise TypeError(f"a classifier that learns and explains is expected; {type(model).__name__} does not do both")
    for name, value, least in (("resamples", resamples, 2), ("top", top, 1)):
        check_whole(name, value, least)
    if n_samples(X) != len(labels):
        raise ValueError(f"one label per example is expected; there are {n_samples(X)} and {len(labels)} labels")
    if not n_samples(items):
        raise ValueError("at least one item to explain is expected")
    check_classification_targets(labels)
    if len(np.unique(labels)) < 2:
        raise ValueError(f"at least two classes are expected; all labels are {np.unique(labels).tolist()}")

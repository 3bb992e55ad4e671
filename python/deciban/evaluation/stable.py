"""What explanations by many models of one item have in common."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Self, overload

import numpy as np

from deciban.verdict import Weighed, told_as


class Asked(NamedTuple):
    """What the model of all examples says of an item: the two classes, log-odds, prior and terms in decibans."""

    label: Any
    against: Any
    decibans: float
    prior: float
    terms: dict[Any, float]

    @classmethod
    def of(cls, why: Any) -> Self:
        """From its explanation."""
        return cls(why.label, why.against, why.decibans, why.prior_decibans, _by_feature(why))

    @property
    def pair(self) -> tuple[Any, Any]:
        """The label, and what it is weighed against."""
        return self.label, self.against


class Said(NamedTuple):
    """What the model of a resample says of an item and the same two classes, and whether its label is the same."""

    decibans: float
    prior: float
    terms: dict[Any, float]
    same: bool

    @classmethod
    def of(cls, why: Any, same: bool) -> Self:
        """From its explanation."""
        return cls(why.decibans, why.prior_decibans, _by_feature(why), same)


def _by_feature(why: Any) -> dict[Any, float]:
    found: dict[Any, float] = {}
    for term in why.terms:
        found[term.feature] = found.get(term.feature, 0.0) + term.decibans
    return found


@dataclass(frozen=True)
class StableTerm:
    """A term over the resamples: `decibans` by the model of all examples, then `mean` and standard `deviation`, and the
    share of resamples in which its sign is the same. A resample that does not name the feature counts as 0."""

    feature: Any
    decibans: float
    mean: float
    deviation: float
    same_sign: float

    @classmethod
    def of(cls, feature: Any, decibans: float, values: Sequence[float]) -> Self:
        """From its decibans in every resample."""
        found = np.asarray(values)
        same = float((np.sign(found) == np.sign(decibans)).mean())
        return cls(feature, decibans, float(found.mean()), float(found.std(ddof=1)), same)

    def to_json(self) -> dict[str, Any]:
        """Keys that scripts rely on."""
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

    for_label, against_label = Weighed.for_label, Weighed.against_label

    @classmethod
    def of(cls, asked: Asked, said: Sequence[Said], top: int) -> Self:
        """From what the model of all examples and those of the resamples say."""
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
            lines.append(f"{numbers}  {told_as(each.feature)}")
        more = len(self.terms) - _PRINTED
        return "\n".join([*lines, *([f"and {more:,} more terms"] if more > 0 else [])])

    def to_json(self) -> dict[str, Any]:
        """Keys that scripts rely on."""
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
    """What resamples say of every item; `top` strongest terms are compared."""

    items: tuple[StableExplanation, ...]
    resamples: int
    top: int
    seed: int

    @classmethod
    def of(cls, asked: Sequence[Asked], said: Sequence[Sequence[Said]], top: int, seed: int) -> Self:
        """From what was said of each item, by the model of all examples and by those of the resamples."""
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
        """How far the strongest terms are the same ones, over all items."""
        return float(np.mean([each.overlap for each in self]))

    @property
    def same_label(self) -> float:
        """In how many resamples the label is the same, over all items."""
        return float(np.mean([each.same_label for each in self]))

    def __str__(self) -> str:
        items = f"{len(self):,} {'item' if len(self) == 1 else 'items'}"
        return (
            f"{items}, {self.resamples} resamples: the same label in {100 * self.same_label:.0f} %, the {self.top} "
            f"strongest terms the same to {100 * self.overlap:.0f} %"
        )

    def to_json(self) -> dict[str, Any]:
        """Keys that scripts rely on."""
        items = [each.to_json() for each in self]
        return {"resamples": self.resamples, "top": self.top, "seed": self.seed, "items": items}


def strongest(terms: dict[Any, float], top: int) -> set[Any]:
    """The features of the `top` largest |decibans| above 0."""
    spoken = [feature for feature, decibans in terms.items() if decibans]
    return set(sorted(spoken, key=lambda feature: (-abs(terms[feature]), str(feature)))[:top])


def _jaccard(one: set[Any], other: set[Any]) -> float:
    return len(one & other) / len(one | other) if one | other else 1.0

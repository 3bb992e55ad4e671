"""What is said of examples whose labels are probably wrong."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, overload

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Integers = NDArray[np.intp]
Kind = Literal["duplicate", "confident", "likelier"]
KINDS: tuple[Kind, ...] = ("duplicate", "confident", "likelier")


@dataclass(frozen=True)
class Suspect:
    """An example whose label is probably wrong.

    place        where it stands among the examples
    label        the label that it was given
    suggested    the label that it probably should have
    decibans     evidence for the suggestion against the label, by a model that did not learn the example
    probability  of the label that it was given, by the same model
    kind         "duplicate": most near-duplicates have the label suggested; "confident": the model is as sure of it as
                 of those that have it, on average; "likelier": it is not that sure
    reason       the same in words
    copies       places of the near-duplicates that have the label suggested, five at most
    """

    place: int
    label: Any
    suggested: Any
    decibans: float
    probability: float
    kind: Kind
    reason: str
    copies: tuple[int, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Keys that scripts rely on."""
        return {
            "place": self.place,
            "label": self.label,
            "suggested": self.suggested,
            "decibans": self.decibans,
            "probability": self.probability,
            "kind": self.kind,
            "reason": self.reason,
            "copies": list(self.copies),
        }


@dataclass(frozen=True, eq=False)
class Suspects(Sequence[Suspect]):
    """What suspicion falls on, the strongest first: near-duplicates, then those of which the model holds another label
    for likelier and is sure of it, by the joint or by ten decibans, or, until `wrong` are listed, is less sure.

    n           weight of all examples, their number where none has a weight
    wrong       how many of their labels are wrong, as the confident joint estimates
    classes     the labels, sorted; of these are `thresholds` (C,) and `joint` (C, C): see `evaluation.confident`
    order       (N,) places of all examples of weight > 0, from the most suspect to the least
    """

    suspects: tuple[Suspect, ...]
    n: float
    wrong: float
    classes: tuple[Any, ...]
    thresholds: Floats
    joint: Floats
    order: Integers

    def __len__(self) -> int:
        return len(self.suspects)

    @overload
    def __getitem__(self, at: int) -> Suspect: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[Suspect]: ...
    def __getitem__(self, at: int | slice) -> Suspect | Sequence[Suspect]:
        return self.suspects[at]

    def __iter__(self) -> Iterator[Suspect]:
        return iter(self.suspects)

    def __str__(self) -> str:
        copies = sum(each.kind == "duplicate" for each in self)
        found = f"{len(self):,} {'suspect' if len(self) == 1 else 'suspects'}"
        labels = f"about {self.wrong:,.0f} of {self.n:,.0f} labels wrong"
        return f"{found}, {copies:,} for near-duplicates under another label; {labels}"

    def at(self, places: Integers) -> Suspects:
        """The same of examples that stand at these places among others."""
        moved = tuple(
            replace(each, place=int(places[each.place]), copies=tuple(places[[*each.copies]].tolist()))
            for each in self.suspects
        )
        return replace(self, suspects=moved, order=places[self.order])

    def to_json(self) -> dict[str, Any]:
        """Keys that scripts rely on."""
        return {
            "n": self.n,
            "wrong": self.wrong,
            "classes": list(self.classes),
            "thresholds": self.thresholds.tolist(),
            "joint": self.joint.tolist(),
            "suspects": [each.to_json() for each in self],
        }

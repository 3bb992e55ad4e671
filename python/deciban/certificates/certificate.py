"""What a fit can prove about itself."""

from __future__ import annotations

import re
from collections.abc import Container, Mapping
from dataclasses import dataclass, replace
from typing import Any, Self

from deciban import __version__
from deciban.attached import Attached
from deciban.data.plain_state import PlainState

from .bound import Bound, Probabilities
from .gap import relative_gap
from .telling import headed, line


@dataclass(frozen=True)
class Certificate(PlainState):
    """What was minimised, how close to the minimum the fit came, and on which data.

        relative_gap = (primal − dual) / |primal|

    By weak duality no parameters reach below `dual`, so the gap bounds what is left to gain. Where the
    problem is not convex there is no dual and no gap; `kkt_violation` is then the norm of the gradient. A model
    that learns from a stream seeks no minimum and has neither: `primal` is what it suffered on the way.
    `status` says how the fit ended and `advice` what to do about it. `digest` names the data or,
    for counting models, of the sufficient statistics, which are all that the data are to such a model.

    `bounds` are those on the error out of sample, each with whether it applies and whether it is vacuous, and
    `calibration` is how probabilities come about. A fit does not pay for them: they are what follows from the numbers
    that it ends with (n, the VC dimension, the support vectors, of linear machines of two classes the
    `training_error`, whose scores the proof needs). What takes a pass over the examples is found when it is asked for,
    by `model.bounds(X, y)`. Those with a confidence hold together with probability 0.95. Files of earlier versions
    have no bounds and no calibration.

    `str()` is one line, `lines()` all of it.

    >>> import numpy as np
    >>> from deciban import LinearSVM
    >>> X = np.array([[1.0, 3.0], [3.0, 3.0], [4.0, 4.0], [2.0, 1.0], [5.0, 2.0]])
    >>> proof = LinearSVM(C=np.inf, calibration=None).fit(X, [1, 1, 1, -1, -1]).certificate_
    >>> proof.bound("support vectors").value, proof.bound("vc").vacuous, str(proof.calibration)
    (0.75, 'every error is at most 1', 'none: only margins')
    >>> str(proof)[:50]
    'converged; 5 examples (-1: 2, 1: 3), 2 features; g'
    """

    objective: str
    primal: float
    dual: float | None
    kkt_violation: float | None
    iterations: int
    status: str
    advice: str
    seconds: float
    n: float
    d: int
    class_counts: Mapping[Any, float]
    seed: int | None
    digest: str
    version: str = __version__
    training_error: float | None = None
    bounds: tuple[Bound, ...] = ()
    calibration: Probabilities | None = None

    @property
    def relative_gap(self) -> float | None:
        """(primal − dual) / |primal|, or None where there is no dual."""
        return None if self.dual is None else relative_gap(self.primal, self.dual)

    def to_json(self) -> dict[str, Any]:
        """What a model file stores: all but the wall time, so that the same fit gives the same bytes."""
        return {
            "objective": self.objective,
            "primal": self.primal,
            "dual": self.dual,
            "relative_gap": self.relative_gap,
            "kkt_violation": self.kkt_violation,
            "iterations": self.iterations,
            "status": self.status,
            "advice": self.advice,
            "n": self.n,
            "d": self.d,
            "class_counts": {str(label): count for label, count in self.class_counts.items()},
            "seed": self.seed,
            "version": self.version,
            "digest": self.digest,
            "training_error": self.training_error,
            "bounds": [each.to_json() for each in self.bounds],
            "calibration": None if self.calibration is None else self.calibration.to_json(),
        }

    @classmethod
    def from_json(cls, values: Mapping[str, Any], d: int) -> Self:
        """What a model file has stored, of a model of d features; the wall time is not among it."""
        given = fields_of(values)
        if given.get("d") != d or type(given.get("class_counts")) is not dict:
            raise ValueError("a certificate of other data")
        given.setdefault("training_error", None)
        for name in ("primal", "dual", "kkt_violation", "n", "training_error"):
            if type(given[name]) not in (int, float) and (given[name] is not None or name in ("primal", "n")):
                raise ValueError(f"a certificate whose {name} is no number")
        for name in ("objective", "status", "advice", "digest", "version"):
            if type(given[name]) is not str:
                raise ValueError(f"a certificate whose {name} is no text")
        return cls(**given, seconds=0.0)

    def advising(self, parameters: Container[str]) -> Self:
        """The same without advice on parameters that a model with these `parameters` lacks.

        >>> asked = "raise max_iter, or tol; scale the columns"
        >>> proof = Certificate("", 1.0, 0.0, 0.0, 9, "exhausted", asked, 0.0, 1.0, 1, {}, None, "")
        >>> [proof.advising(known).advice for known in (["max_iter", "tol"], ["max_iter"], [])]
        ['raise max_iter, or tol; scale the columns', 'raise max_iter; scale the columns', 'scale the columns']
        """
        told = self.advice if "tol" in parameters else self.advice.replace(", or tol", "")
        named = (
            (part, re.findall(r"\b(?:max_iter|tol|time_limit|epochs|pocket|averaged)\b", part))
            for part in told.split("; ")
        )
        return replace(self, advice="; ".join(part for part, names in named if all(n in parameters for n in names)))

    def bound(self, name: str) -> Bound:
        """The bound of this name; KeyError for what is none of them."""
        found = {each.name: each for each in self.bounds}
        if name not in found:
            known = ", ".join(map(repr, found)) or "none, as an earlier version wrote this certificate"
            raise KeyError(f"bounds: {known}; got {name!r}")
        return found[name]

    _repr_html_ = Attached("html of a certificate")

    def __str__(self) -> str:
        return line(self.to_json())

    def lines(self) -> list[str]:
        """The whole text, line by line, each with its heading."""
        told = headed(self.to_json())
        width = max(len(heading) for heading, _ in told)
        return [f"{heading:<{width}}  {text}" for heading, text in told]


def fields_of(values: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a certificate, but for `seconds`, as JSON has them; ValueError for bounds that are none."""
    given = {name: value for name, value in values.items() if name != "relative_gap"}
    bounds = given.get("bounds", [])
    if type(bounds) not in (list, tuple):
        raise ValueError("a certificate whose bounds are no list")
    given["bounds"] = tuple(Bound.from_json(each) for each in bounds)
    told = given.get("calibration")
    given["calibration"] = None if told is None else Probabilities.from_json(told)
    return given

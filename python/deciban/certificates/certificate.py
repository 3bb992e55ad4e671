"""The record of a fit: what it minimised, how close to the minimum it came, and on which data; also in words.

Of the relative duality gap there is one definition for certificates, proofs and stopping rules, of linear and kernel
machines:

    relative gap = (P − D) / |P|

P and D scale together with C, with sample weights and with the units of the data, so that the quotient does not.
"""

from __future__ import annotations

import math
import re
from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any, Self

from deciban import __version__
from deciban.attached import Attached
from deciban.data.plain_state import PlainState

from .bound import Bound, Probabilities, best_bound


def relative_gap(primal: float, dual: float) -> float:
    """Return (P − D)/|P|: 0 where P = D, and ∞ where only P is 0 or D is −∞.

    >>> relative_gap(2e-9, 1e-9), relative_gap(0.0, 0.0), relative_gap(0.0, -1.0)
    (0.5, 0.0, inf)
    """
    gap = primal - dual
    if gap == 0.0:
        return 0.0
    return gap / abs(primal) if primal and math.isfinite(gap) else math.nan if math.isnan(gap) else math.inf


def is_within(gap: float, primal: float, tol: float) -> bool:
    """Return whether a gap P − D is at most tol·|P|; NaN never is.

    >>> is_within(1e-9, 1e-3, 1e-6), is_within(1e-9, 1e-4, 1e-6)
    (True, False)
    """
    return gap <= tol * abs(primal)


@dataclass(frozen=True)
class Certificate(PlainState):
    """What a fit minimised, how close to the minimum it came, and on which data.

        relative_gap = (primal − dual) / |primal|

    By weak duality no parameters reach below `dual`, so the gap bounds what is left to gain. Where the problem is not
    convex there is no dual and no gap; `kkt_violation` is then the norm of the gradient. A model that learns from a
    stream seeks no minimum and has neither: `primal` is its loss on the way.

    Bounds are those that follow from the numbers of the fit (n, the VC dimension, the support vectors, of linear
    machines of two classes the training error); `model.bounds(X, y)` adds those that need the examples. Bounds with a
    confidence hold together with probability 0.95. Files of earlier versions have no bounds and no calibration. `str()`
    is one line, `lines()` all of it.

    Parameters
    ----------
    objective : str
        The objective that was minimised.
    primal : float
        Its value.
    dual : float or None
        Lower bound on its minimum.
    kkt_violation : float or None
        Violation of the optimality conditions.
    iterations : int
        Number of iterations.
    status : str
        How the fit ended.
    advice : str
        What to do about it.
    seconds : float
        Wall time.
    n : float
        Weight of the examples.
    d : int
        Number of features.
    class_counts : mapping of label to float
        Weight of the examples of each class.
    seed : int or None
        Seed of the fit.
    digest : str
        Digest of the data or, for counting models, of the sufficient statistics.
    version : str, default=deciban.__version__
        Version of Deciban.
    training_error : float, optional
        Share of misclassified training examples.
    bounds : tuple of Bound, default=()
        Bounds on the error out of sample.
    calibration : Probabilities, optional
        How probabilities come about.

    Examples
    --------
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
        """Return what a model file stores: all but the wall time, so that the same fit gives the same bytes.

        Returns
        -------
        dict
            The fields by their names.
        """
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
        """Make a certificate from the values in a file, which lack the wall time.

        Parameters
        ----------
        values : mapping of str to object
            The values that `to_json` returned.
        d : int
            Number of features of the model.

        Returns
        -------
        Certificate
            The certificate.

        Raises
        ------
        ValueError
            If the values are no certificate, or one of other data.
        """
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
        """Return the same certificate without advice on parameters that a model lacks.

        Parameters
        ----------
        parameters : container of str
            Names of the parameters of the model.

        Returns
        -------
        Certificate
            The certificate.

        Examples
        --------
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
        """Return the bound of a name.

        Parameters
        ----------
        name : str
            Name of the bound, such as "vc".

        Returns
        -------
        Bound
            The bound.

        Raises
        ------
        KeyError
            If there is none of this name.
        """
        found = {each.name: each for each in self.bounds}
        if name not in found:
            known = ", ".join(map(repr, found)) or "none, as an earlier version wrote this certificate"
            raise KeyError(f"bounds: {known}; got {name!r}")
        return found[name]

    _repr_html_ = Attached("html of a certificate")

    def __str__(self) -> str:
        return format_line(self.to_json())

    def lines(self) -> list[str]:
        """Return the whole text, line by line, each with its heading.

        Returns
        -------
        list of str
            The lines.
        """
        told = format_lines(self.to_json())
        width = max(len(heading) for heading, _ in told)
        return [f"{heading:<{width}}  {text}" for heading, text in told]


def fields_of(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a certificate, but for `seconds`, as JSON has them; ValueError for bounds that are none."""
    given = {name: value for name, value in values.items() if name != "relative_gap"}
    bounds = given.get("bounds", [])
    if type(bounds) not in (list, tuple):
        raise ValueError("a certificate whose bounds are no list")
    given["bounds"] = tuple(Bound.from_json(each) for each in bounds)
    told = given.get("calibration")
    given["calibration"] = None if told is None else Probabilities.from_json(told)
    return given


# What one line has room for.
_ROOM = 200
_LEAST = 24


def format_line(proof: Mapping[str, Any]) -> str:
    """Return status, data, optimum, the best bound, calibration, how to reproduce: one line of 200 characters at most.

    What to do about the status stands behind it, as far as there is room; where there is too little, the log loss and
    the counts of the classes are left to `format_lines`.
    """
    status = _on_one_line(str(proof["status"]).partition(":")[0])
    for counts, loss in ((2, True), (2, False), (0, False)):
        parts = _data(proof, counts), _gap(proof), _best(proof), _calibration(proof, loss), _format_origin(proof, 12)
        rest = "; ".join(_on_one_line(each) for each in parts)
        room = _ROOM - len(status) - len(rest) - 4
        if room >= -2:
            break
    if proof["advice"] and room >= _LEAST:
        status += f": {_shorten(_on_one_line(str(proof['advice'])), room)}"
    return _shorten(f"{status}; {rest}", _ROOM)


def format_lines(proof: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return headings and what stands behind them; a heading that is empty is the one above."""
    return [(heading, _on_one_line(text)) for heading, text in _rows(proof)]


def _rows(proof: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    yield "ended", str(proof["status"])
    if proof["advice"]:
        yield "what to do", str(proof["advice"])
    yield "data", f"{_data(proof, 20)}; digest {proof['digest']}"
    yield "minimised", str(proof["objective"])
    yield "optimum", _optimum(proof)
    yield from describe_trust(proof)
    yield "reproduce", f"{_format_origin(proof, 64)}: the same examples and parameters give the same model"


def describe_trust(proof: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield when to believe the model: its bounds and its probabilities; nothing of what an earlier version wrote."""
    heading, error = "bounds", proof.get("training_error")
    if type(error) is float:
        yield heading, f"training error: {error:.4g}"
        heading = ""
    bounds, how = _read(proof)
    for said in _group_reasons(bounds):
        yield heading, _on_one_line(said)
        heading = ""
    if any(each.delta for each in bounds):
        yield heading, "all but those of support vectors and leave-one-out hold together with probability 95 %"
    if how is not None:
        yield "calibration", _on_one_line(str(how))


def _group_reasons(bounds: Iterable[Bound]) -> Iterator[str]:
    """Yield what each says; those that do not apply for one reason, one behind the other, together."""
    for (applies, why), group in groupby(bounds, lambda each: (each.applies, "" if each.applies else each.condition)):
        each = list(group)
        if applies or len(each) == 1:
            yield from map(str, each)
        else:
            yield f"{', '.join(one.name for one in each)}: do not apply: {why}"


def _read(proof: Mapping[str, Any]) -> tuple[tuple[Bound, ...], Probabilities | None]:
    """Return what is told of bounds and probabilities; nothing where a file has something else in their place."""
    try:
        told = proof.get("calibration")
        bounds = tuple(Bound.from_json(each) for each in proof.get("bounds") or ())
        return bounds, Probabilities.from_json(told) if told else None
    except (ValueError, TypeError):
        return (), None


def _data(proof: Mapping[str, Any], most: int) -> str:
    counts = proof.get("class_counts") or {}
    told = ", ".join(f"{_shorten(_on_one_line(str(label)), 20)}: {count:,.10g}" for label, count in counts.items())
    told = f"{len(counts):,} classes" if len(counts) > most else told
    return f"{proof['n']:,.10g} examples{f' ({told})' if told else ''}, {proof['d']:,} features"


def _gap(proof: Mapping[str, Any]) -> str:
    if proof["relative_gap"] is not None:
        return f"gap {proof['relative_gap']:.1e}"
    return "no gap (not convex)" if proof["kkt_violation"] is not None else "no gap (a stream)"


def _optimum(proof: Mapping[str, Any]) -> str:
    told = [f"{proof['primal']:.10g}"]
    if proof["dual"] is not None:
        told.append(f"nothing is below {proof['dual']:.10g}")
    told.append(_gap(proof).replace("gap ", "relative gap ", 1) if proof["dual"] is not None else _gap(proof))
    if proof["kkt_violation"] is not None:
        told.append(f"largest KKT violation {proof['kkt_violation']:.1e}")
    return ", ".join([*told, f"{proof['iterations']:,} iterations"])


def _best(proof: Mapping[str, Any]) -> str:
    bounds, _ = _read(proof)
    return best_bound(bounds) if bounds else "bounds not told"


def _calibration(proof: Mapping[str, Any], loss: bool) -> str:
    _, told = _read(proof)
    if told is None:
        return "calibration not told"
    told = told if loss else replace(told, log_loss=None)
    return _shorten(f"calibration: {told}".replace("none: ", "none, "), 60)


def _format_origin(proof: Mapping[str, Any], signs: int) -> str:
    seed = "no seed" if proof["seed"] is None else f"seed {proof['seed']}"
    return f"deciban {proof['version']}, {seed}, data {str(proof['digest'])[:signs]}"


def _on_one_line(text: str) -> str:
    """Return a text on one line, without what a terminal obeys."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in " ".join(text.split()))


def _shorten(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1].rstrip()}…"

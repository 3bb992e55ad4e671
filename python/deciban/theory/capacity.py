"""Infinitely many hypotheses: how many ways they have to label n examples, and what that says of the error."""

from __future__ import annotations

from math import inf, log, log1p, sqrt
from typing import Any

import numpy as np

from .statement import Statement, asked, between, examples, exponential, least, of_error, of_probability

GROWTH = ("polynomial", "sauer")
# Beyond so many terms the sum is bounded by the entropy: MacWilliams & Sloane (1977), chapter 10.
_TERMS = 10**6
_WHO = "Vapnik & Chervonenkis 1971; Abu-Mostafa, Magdon-Ismail & Lin, Learning from Data (2012), theorem 2.5"


def growth(n: int, dimension: float, kind: str = "sauer") -> Statement:
    """How many labellings of n examples hypotheses of VC dimension d can bring about, at most.

        "sauer"       m_H(N) ≤ Σ_{i=0}^{d} C(N, i)
        "polynomial"  m_H(N) ≤ N^d + 1

    Found in logarithms, so that no n is too large: `given["log"]` is ln m_H, and the number itself may be ∞. There are
    2^N labellings at all; where the bound does not lie below, examples say nothing about others. Sauer, J. Comb.
    Theory A 13 (1972), theorem 1; Shelah, Pacific J. Math. 41 (1972).

    >>> float(growth(10, 3)), float(growth(10, 3, "polynomial")), growth(10**9, 10**4).given["log"].__round__()
    (176.0, 1001.0, 125124)
    >>> growth(3, 3).vacuous
    'there are no more labellings of 3 examples'
    """
    n, d = examples("n", n), _dimension(dimension)
    logarithm = log_growth(n, d, _kind(kind))
    value = exponential(logarithm)
    value = float(round(value)) if value < 2.0**40 else value
    vacuous = f"there are no more labellings of {n:,} examples" if logarithm >= n * log(2) * (1 - 1e-15) else ""
    given = {"n": n, "dimension": d, "growth": kind, "log": logarithm}
    return Statement(
        value,
        f"hypotheses of VC dimension {_shown(d)} label {n:,} examples in so many ways at most",
        "",
        "Sauer 1972; Shelah 1972",
        vacuous,
        given,
    )


def log_growth(n: int, d: float, kind: str) -> float:
    """ln of the growth function's bound."""
    if kind == "polynomial":
        return float(np.logaddexp(d * log(n), 0.0))
    if d >= n:
        return n * log(2)
    if d > _TERMS:
        return n * _entropy(d / n)
    i = np.arange(1.0, d + 1.0)
    terms = np.concatenate([[0.0], np.cumsum(np.log((float(n) - i + 1.0) / i))])  # ln C(n, i)
    top = terms.max()
    return float(top + np.log(np.exp(terms - top).sum()))


def _entropy(share: float) -> float:
    """H of a coin in nats: Σ_{i ≤ d} C(n, i) ≤ e^{n H(d/n)} for d ≤ n/2, and 2^n beyond."""
    return -share * log(share) - (1.0 - share) * log1p(-share) if share < 0.5 else log(2)


def vc(
    n: int | None = None,
    dimension: float | None = None,
    training_error: float = 0.0,
    delta: float | None = None,
    *,
    error: float | None = None,
    growth: str = "polynomial",
) -> Statement:
    """A bound on the error out of sample of whatever was learnt from hypotheses of VC dimension d.

        E_out ≤ E_in + √((8/N) ln(4 m_H(2N)/δ))        with probability ≥ 1 − δ

    m_H is bounded as `growth` says; `dimension` is a number or `inf`, and `deciban.theory.dimension(model)` knows it.
    Of n, error (what E_out shall not exceed) and delta (0.05), the one left out is solved for. It holds for all
    hypotheses at once, so also for the one with the smallest training error, if the examples are independent and of one
    distribution and the hypotheses were fixed before. It is loose: mostly vacuous below some hundred examples a
    dimension. SPEC T2; Learning from Data (2012), theorem 2.5.

    >>> float(vc(100, 1, delta=0.1)).__round__(3), float(vc(dimension=3, delta=0.1, error=0.1))
    (0.848, 29300.0)
    >>> vc(100, 10).vacuous
    'every error is at most 1'
    """
    if dimension is None:
        raise ValueError("dimension must be given: a whole number from 1, or inf; dimension(model) knows a model's")
    d, kind = _dimension(dimension), _kind(growth)
    base = between("training_error", training_error, 0.0, 1.0, ends=True)
    wanted, delta = asked("n error", n, error, delta)
    n = None if n is None else examples("n", n)
    if error is not None and not between("error", error, 0.0, inf) > base:
        raise ValueError(f"error must lie above the training error, {base:g}, got {error!r}")
    given = {"n": n, "error": error, "delta": delta, "dimension": d, "training_error": base, "growth": kind}
    conditions = (
        "the examples are independent, of one distribution, and the hypotheses, of VC dimension "
        f"{_shown(d)}, were fixed before they were seen"
    )
    value, meaning, vacuous = _solved(wanted, n, error, delta, d, base, kind)
    return Statement(value, meaning, conditions, _WHO, vacuous, {**given, wanted: value})


def _solved(
    wanted: str, n: int | None, error: float | None, delta: float, d: float, base: float, kind: str
) -> tuple[float, str, str]:
    """The number asked for, its meaning, and why it says nothing."""
    learnt = f"with an error of {base:g} on {n:,} examples" if n else f"with an error of {base:g} in sample"
    if wanted == "error":
        assert n is not None
        value = bound(n, d, base, delta, kind)
        return (
            value,
            f"with probability {1 - delta:g} what was learnt {learnt} errs no more often than this",
            of_error(value),
        )
    assert error is not None
    if wanted == "n":
        size = least(lambda n: bound(n, d, base, delta, kind) <= error) if d < inf else inf
        vacuous = "no number of examples is enough" if size == inf else of_error(error)
        meaning = f"so many examples keep the error of what was learnt {learnt} to {error:g}"
        return size, f"{meaning}, with probability {1 - delta:g}", vacuous
    assert n is not None
    value = exponential(log(4) + log_growth(2 * n, d, kind) - (error - base) ** 2 * n / 8)
    meaning = f"the probability that something learnt {learnt} errs in more than {error:g} is at most this"
    return value, meaning, of_probability(value)


def bound(n: int, d: float, base: float, delta: float, kind: str) -> float:
    """E_in + √((8/n) ln(4 m_H(2n)/δ))."""
    logarithm = log_growth(2 * n, d, kind)
    return base + sqrt(8.0 / n * (log(4) + logarithm - log(delta))) if logarithm < inf else inf


def _dimension(value: Any) -> float:
    if value == inf:
        return inf
    return examples("dimension", float_as_whole(value))


def float_as_whole(value: Any) -> Any:
    """3 of 3.0, as `float(dimension(model))` gives it."""
    return int(value) if isinstance(value, float | np.floating) and value % 1 == 0 else value


def _kind(kind: Any) -> str:
    if kind not in GROWTH:
        raise ValueError(f"growth must be one of {', '.join(map(repr, GROWTH))}, got {kind!r}")
    return str(kind)


def _shown(d: float) -> str:
    return "∞" if d == inf else f"{d:,}"

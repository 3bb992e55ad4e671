"""Errors on a test set: the bound that one can act on."""

from __future__ import annotations

from typing import Any

from scipy.special import betainc, betaincc

from deciban.certificates.rates import lower_limit, upper_limit

from .statement import Statement, asked, between, examples, least, of_error, of_probability

SIDES = ("upper", "lower", "two")
_WHO = "Clopper & Pearson, Biometrika 26 (1934); Langford, JMLR 6 (2005), test set bound"


def binomial(
    errors: int,
    n: int | None = None,
    delta: float | None = None,
    *,
    error: float | None = None,
    side: str = "upper",
) -> Statement:
    """The error of a classifier that erred on k of n examples which it had not learnt: the binomial tail inverted.

        upper  max {p: P(Bin(n, p) ≤ k) ≥ δ}      lower  min {p: P(Bin(n, p) ≥ k) ≥ δ}      two  both, at δ/2 each

    Of n, error and delta (0.05), the one left out is solved for: the bound; how many test examples with k errors bring
    it down to `error`; how probable so few errors (`lower`: so many) are where the true error is `error`. With
    side="two" the number is the upper end, and `given["interval"]` has both. It is exact: the true error is beyond with
    a probability of δ at most, whatever it is. SPEC T4; Clopper & Pearson, Biometrika 26 (1934).

    >>> float(binomial(3, 500)).__round__(4), float(binomial(0, error=0.01))
    (0.0154, 299.0)
    >>> float(binomial(3, 500, error=0.02)).__round__(6)
    0.009812
    """
    if side not in SIDES:
        raise ValueError(f"side must be one of {', '.join(map(repr, SIDES))}, got {side!r}")
    k = examples("errors", errors, 0)
    wanted, delta = asked("n error", n, error, delta)
    n = None if n is None else examples("n", n)
    if n is not None and k > n:
        raise ValueError(f"errors must be at most n: {k:,} errors on {n:,} examples")
    error = None if error is None else between("error", error, 0.0, 1.0)
    if wanted == "n" and side == "lower":
        raise ValueError(
            "side 'lower' has no sample size: more examples only let the lower limit fall; ask for 'upper'"
        )
    given: dict[str, Any] = {"n": n, "error": error, "delta": delta, "errors": k, "side": side}
    conditions = "the examples are independent, of the distribution to come, and nothing was learnt or chosen by them"
    value, meaning, vacuous = _solved(wanted, k, n, error, delta, side)
    given[wanted] = value
    if wanted == "error" and n is not None:
        given["interval"] = interval(k, n, delta, side)
    return Statement(value, meaning, conditions, _WHO, vacuous, given)


def interval(k: int, n: int, delta: float, side: str) -> list[float]:
    """What the true error lies in with probability ≥ 1 − δ."""
    tail = delta / 2 if side == "two" else delta
    return [0.0 if side == "upper" else lower_limit(k, n, tail), 1.0 if side == "lower" else upper_limit(k, n, tail)]


def _solved(wanted: str, k: int, n: int | None, error: float | None, delta: float, side: str) -> tuple[float, str, str]:
    """The number asked for, its meaning, and why it says nothing."""
    if wanted == "error":
        assert n is not None
        low, high = interval(k, n, delta, side)
        seen = f"{k:,} of {n:,} test examples"
        if side == "lower":
            vacuous = "no error is below 0" if low <= 0.0 else ""
            return low, f"with probability {1 - delta:g} a classifier wrong on {seen} errs at least so often", vacuous
        between_ends = f", and no less often than {low:.6g}" if side == "two" else ""
        meaning = (
            f"with probability {1 - delta:g} a classifier wrong on {seen} errs no more often than this{between_ends}"
        )
        return high, meaning, of_error(high)
    assert error is not None
    if wanted == "n":
        size = least(lambda n: interval(k, n, delta, side)[1] <= error, max(k, 1))
        meaning = f"so many test examples with {k:,} errors keep the error to {error:g}, with probability {1 - delta:g}"
        return size, meaning, ""
    assert n is not None
    value = tail(k, n, error, side)
    what = f"{k:,} errors or {'more' if side == 'lower' else 'fewer'} on {n:,} test examples"
    twice = ", counted twice for two sides," if side == "two" else ""
    return value, f"the probability{twice} of {what}, where the true error is {error:g}", of_probability(value)


def tail(k: int, n: int, p: float, side: str) -> float:
    """P(Bin(n, p) ≤ k); P(Bin(n, p) ≥ k) of the lower side; of two, twice the first."""
    if side == "lower":
        return float(betainc(k, n - k + 1, p)) if k > 0 else 1.0
    below: Any = betaincc(k + 1, n - k, p) if k < n else 1.0
    return float(below) * (2.0 if side == "two" else 1.0)

"""One hypothesis, or finitely many: Hoeffding; and errors on a test set: the bound that one can act on."""

from __future__ import annotations

from math import inf, log, log10, sqrt
from typing import Any

from scipy.special import betainc, betaincc

from deciban.certificates.intervals import lower_limit, upper_limit

from .statement import (
    Statement,
    check_between,
    examples,
    exponential,
    find_unknown,
    least,
    of_error,
    of_probability,
    whole,
)

_HOEFFDING = "Hoeffding, JASA 58 (1963), theorem 2, and the union bound"


def hoeffding(
    n: int | None = None,
    delta: float | None = None,
    hypotheses: float = 1,
    *,
    epsilon: float | None = None,
) -> Statement:
    """Bound the distance between the errors in sample and out of sample of M hypotheses.

        P[some |E_in − E_out| > ε] ≤ 2M e^{−2ε²N} = δ,     ε = √(ln(2M/δ) / 2N),     N ≥ ln(2M/δ) / 2ε²

    Of n, epsilon and delta, the one left out is solved for. The bound holds if the examples are independent and of one
    distribution, and the hypotheses were chosen before they were seen. Hoeffding, JASA 58 (1963), theorem 2.

    Parameters
    ----------
    n : int, optional
        Number N of examples.
    delta : float, default=0.05
        Probability δ that the bound fails.
    hypotheses : int or float, default=1
        Number M of hypotheses; with `inf` the bound is vacuous.
    epsilon : float, optional
        Largest distance ε of the errors, which are shares from 0 to 1.

    Returns
    -------
    Statement
        The distance ε, the number of examples, or δ, whichever was left out.

    Raises
    ------
    ValueError
        If a number is out of its range, or none or all of n, epsilon and delta are given.

    Examples
    --------
    >>> float(hoeffding(1000)).__round__(4), float(hoeffding(epsilon=0.05)), float(hoeffding(100, epsilon=0.2)) < 0.001
    (0.0429, 738.0, True)
    >>> print(hoeffding(10, hypotheses=10**15))
    1.38253: with probability 0.95 no error out of sample is farther than this from the error in sample, on 10 examples
      vacuous: every error is at most 1
      if the examples are independent, of one distribution, and the 1e+15 hypotheses were chosen before they were seen
      by Hoeffding, JASA 58 (1963), theorem 2, and the union bound
    """
    M = hypotheses if hypotheses == inf else whole("hypotheses", hypotheses)
    wanted, delta = find_unknown("n epsilon", n, epsilon, delta)
    n = None if n is None else examples("n", n)
    epsilon = None if epsilon is None else check_between("epsilon", epsilon, 0.0, inf)
    given: dict[str, Any] = {"n": n, "epsilon": epsilon, "delta": delta, "hypotheses": M}
    count = "hypothesis was" if M == 1 else f"{_number(M)} hypotheses were"
    conditions = f"the examples are independent, of one distribution, and the {count} chosen before they were seen"
    value, meaning, vacuous = _solve_hoeffding(wanted, n, epsilon, delta, log(2) + log(M) if M < inf else inf)  # noqa: SIM300
    return Statement(value, meaning, conditions, _HOEFFDING, vacuous, {**given, wanted: value})


def _solve_hoeffding(
    wanted: str, n: int | None, epsilon: float | None, delta: float, two_m: float
) -> tuple[float, str, str]:
    """Return the number asked for, its meaning, and why it says nothing; `two_m` is ln 2M."""
    if wanted == "epsilon":
        assert n is not None
        value = bound_distance(n, two_m - log(delta))
        meaning = "no error out of sample is farther than this from the error in sample, on"
        return value, f"with probability {1 - delta:g} {meaning} {n:,} examples", of_error(value)
    assert epsilon is not None
    if wanted == "n":
        size = least(lambda n: bound_distance(n, two_m - log(delta)) <= epsilon) if two_m < inf else inf
        meaning = f"so many examples keep every error out of sample within {epsilon:g} of the error in sample, with"
        vacuous = "no number of examples is enough" if size == inf else of_error(epsilon)
        return size, f"{meaning} probability {1 - delta:g}", vacuous
    assert n is not None
    value = exponential(two_m - 2 * epsilon**2 * n)
    meaning = f"the probability that some error out of sample is farther than {epsilon:g} from the error in sample, on"
    return value, f"{meaning} {n:,} examples, is at most this", of_probability(value)


def bound_distance(n: int, log_odds: float) -> float:
    """Return √(log_odds / 2n)."""
    return sqrt(log_odds / (2 * n)) if log_odds < inf else inf


def _number(count: float) -> str:
    """Return the count as a few signs.

    >>> _number(1000), _number(10**15), _number(10**400), _number(inf)
    ('1,000', '1e+15', '10^400', 'infinitely many')
    """
    if count == inf:
        return "infinitely many"
    return f"{count:,}" if count < 10**12 else f"{count:.3g}" if count < 10**300 else f"10^{log10(count):.4g}"


SIDES = ("upper", "lower", "two")
_BINOMIAL = "Clopper & Pearson, Biometrika 26 (1934); Langford, JMLR 6 (2005), test set bound"


def binomial(
    errors: int,
    n: int | None = None,
    delta: float | None = None,
    *,
    error: float | None = None,
    side: str = "upper",
) -> Statement:
    """Bound the error of a classifier that misclassified k of n held-out examples, by inverting the binomial tail.

        upper  max {p: P(Bin(n, p) ≤ k) ≥ δ}      lower  min {p: P(Bin(n, p) ≥ k) ≥ δ}      two  both, at δ/2 each

    Of n, error and delta, the one left out is solved for: the bound; how many test examples with k errors bring it down
    to `error`; how probable so few errors (`lower`: so many) are where the true error is `error`. It is exact: the true
    error lies beyond with a probability of at most δ, whatever it is. Clopper & Pearson, Biometrika 26 (1934).

    Parameters
    ----------
    errors : int
        Number k of misclassified examples.
    n : int, optional
        Number of held-out examples, at least `errors`.
    delta : float, default=0.05
        Probability δ that the bound fails.
    error : float, optional
        What the true error shall not exceed.
    side : {"upper", "lower", "two"}, default="upper"
        Upper bound, lower bound, or both.

    Returns
    -------
    Statement
        The error, the number of examples, or δ, whichever was left out. For `side="two"` the number is the upper end,
        and `given["interval"]` has both.

    Raises
    ------
    ValueError
        If a number is out of its range, `side` is none of the three, none or all of n, error and delta are given, or
        the sample size of a lower bound is asked for, which does not exist.

    Examples
    --------
    >>> float(binomial(3, 500)).__round__(4), float(binomial(0, error=0.01))
    (0.0154, 299.0)
    >>> float(binomial(3, 500, error=0.02)).__round__(6)
    0.009812
    """
    if side not in SIDES:
        raise ValueError(f"side must be one of {', '.join(map(repr, SIDES))}, got {side!r}")
    k = examples("errors", errors, 0)
    wanted, delta = find_unknown("n error", n, error, delta)
    n = None if n is None else examples("n", n)
    if n is not None and k > n:
        raise ValueError(f"errors must be at most n: {k:,} errors on {n:,} examples")
    error = None if error is None else check_between("error", error, 0.0, 1.0)
    if wanted == "n" and side == "lower":
        raise ValueError(
            "side 'lower' has no sample size: more examples only let the lower limit fall; ask for 'upper'"
        )
    given: dict[str, Any] = {"n": n, "error": error, "delta": delta, "errors": k, "side": side}
    conditions = "the examples are independent, of the distribution to come, and nothing was learnt or chosen by them"
    value, meaning, vacuous = _solve_binomial(wanted, k, n, error, delta, side)
    given[wanted] = value
    if wanted == "error" and n is not None:
        given["interval"] = interval(k, n, delta, side)
    return Statement(value, meaning, conditions, _BINOMIAL, vacuous, given)


def interval(k: int, n: int, delta: float, side: str) -> list[float]:
    """Return the interval of the true error with probability ≥ 1 − δ."""
    tail = delta / 2 if side == "two" else delta
    return [0.0 if side == "upper" else lower_limit(k, n, tail), 1.0 if side == "lower" else upper_limit(k, n, tail)]


def _solve_binomial(
    wanted: str, k: int, n: int | None, error: float | None, delta: float, side: str
) -> tuple[float, str, str]:
    """Return the number asked for, its meaning, and why it says nothing."""
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
    """Return P(Bin(n, p) ≤ k); P(Bin(n, p) ≥ k) of the lower side; of two, twice the first."""
    if side == "lower":
        return float(betainc(k, n - k + 1, p)) if k > 0 else 1.0
    below: Any = betaincc(k + 1, n - k, p) if k < n else 1.0
    return float(below) * (2.0 if side == "two" else 1.0)

"""One hypothesis, or finitely many: Hoeffding."""

from __future__ import annotations

from math import inf, log, log10, sqrt
from typing import Any

from .statement import Statement, asked, between, examples, exponential, least, of_error, of_probability, whole

_WHO = "Hoeffding, JASA 58 (1963), theorem 2, and the union bound"


def hoeffding(
    n: int | None = None,
    delta: float | None = None,
    hypotheses: float = 1,
    *,
    epsilon: float | None = None,
) -> Statement:
    """How far the errors in sample and out of sample of M hypotheses may lie apart.

        P[some |E_in − E_out| > ε] ≤ 2M e^{−2ε²N} = δ,     ε = √(ln(2M/δ) / 2N),     N ≥ ln(2M/δ) / 2ε²

    Of n, epsilon and delta (0.05), the one left out is solved for. Errors are shares, from 0 to 1. It holds if the
    examples are independent and of one distribution, and the hypotheses were chosen before they were seen; with
    infinitely many (`inf`) it says nothing. SPEC T1; Hoeffding, JASA 58 (1963), theorem 2.

    >>> float(hoeffding(1000)).__round__(4), float(hoeffding(epsilon=0.05)), float(hoeffding(100, epsilon=0.2)) < 0.001
    (0.0429, 738.0, True)
    >>> print(hoeffding(10, hypotheses=10**15))
    1.38253: with probability 0.95 no error out of sample is farther than this from the error in sample, on 10 examples
      vacuous: every error is at most 1
      if the examples are independent, of one distribution, and the 1e+15 hypotheses were chosen before they were seen
      by Hoeffding, JASA 58 (1963), theorem 2, and the union bound
    """
    M = hypotheses if hypotheses == inf else whole("hypotheses", hypotheses)
    wanted, delta = asked("n epsilon", n, epsilon, delta)
    n = None if n is None else examples("n", n)
    epsilon = None if epsilon is None else between("epsilon", epsilon, 0.0, inf)
    given: dict[str, Any] = {"n": n, "epsilon": epsilon, "delta": delta, "hypotheses": M}
    count = "hypothesis was" if M == 1 else f"{_number(M)} hypotheses were"
    conditions = f"the examples are independent, of one distribution, and the {count} chosen before they were seen"
    value, meaning, vacuous = _solved(wanted, n, epsilon, delta, log(2) + log(M) if M < inf else inf)  # noqa: SIM300
    return Statement(value, meaning, conditions, _WHO, vacuous, {**given, wanted: value})


def _solved(wanted: str, n: int | None, epsilon: float | None, delta: float, two_m: float) -> tuple[float, str, str]:
    """The number asked for, its meaning, and why it says nothing; `two_m` is ln 2M."""
    if wanted == "epsilon":
        assert n is not None
        value = apart(n, two_m - log(delta))
        meaning = "no error out of sample is farther than this from the error in sample, on"
        return value, f"with probability {1 - delta:g} {meaning} {n:,} examples", of_error(value)
    assert epsilon is not None
    if wanted == "n":
        size = least(lambda n: apart(n, two_m - log(delta)) <= epsilon) if two_m < inf else inf
        meaning = f"so many examples keep every error out of sample within {epsilon:g} of the error in sample, with"
        vacuous = "no number of examples is enough" if size == inf else of_error(epsilon)
        return size, f"{meaning} probability {1 - delta:g}", vacuous
    assert n is not None
    value = exponential(two_m - 2 * epsilon**2 * n)
    meaning = f"the probability that some error out of sample is farther than {epsilon:g} from the error in sample, on"
    return value, f"{meaning} {n:,} examples, is at most this", of_probability(value)


def apart(n: int, log_odds: float) -> float:
    """√(log_odds / 2n)."""
    return sqrt(log_odds / (2 * n)) if log_odds < inf else inf


def _number(count: float) -> str:
    """The count as a few signs.

    >>> _number(1000), _number(10**15), _number(10**400), _number(inf)
    ('1,000', '1e+15', '10^400', 'infinitely many')
    """
    if count == inf:
        return "infinitely many"
    return f"{count:,}" if count < 10**12 else f"{count:.3g}" if count < 10**300 else f"10^{log10(count):.4g}"

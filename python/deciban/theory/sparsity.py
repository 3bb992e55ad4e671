"""Classifiers that a few of the examples determine: support vector machines."""

from __future__ import annotations

from math import inf, log

import numpy as np

from .divergence import farthest, kl
from .statement import Statement, asked, between, examples, exponential, least, of_error, of_probability


def support_vectors(count: int, n: int | None = None, *, error: float | None = None) -> Statement:
    """The expected error of a machine with the hard margin and an intercept, from its number of support vectors.

        E[E_out] ≤ E[#SV] / (N − 1)

    The expectations are over sets of N examples; `count` of the set at hand stands for E[#SV], so that this is an
    estimate with no confidence of its own (`compression` has one). With `error` in place of n, the smallest n at which
    as many support vectors keep the bound to it. An example that is no support vector would be classified rightly by
    the machine of the others: this is the leave-one-out error. The soft margin with a price C for each error has it,
    too. SPEC T3; Vapnik, The Nature of Statistical Learning Theory (1995), theorem 5.2.

    >>> float(support_vectors(3, 101)), float(support_vectors(20, error=0.05))
    (0.03, 401.0)
    """
    k = examples("count", count, 0)
    if (n is None) == (error is None):
        raise ValueError("n or error must be given, and not both: the one left out is solved for")
    conditions = (
        "the examples are independent, of one distribution, leaving out one that is no support vector does not change "
        "the machine (the hard margin; a price for each error), and this number of support vectors is the expected one"
    )
    who = "Vapnik, The Nature of Statistical Learning Theory (1995), theorem 5.2"
    if n is not None:
        n = examples("n", n, 2)
        _at_most(k, n)
        value = k / (n - 1)
        given = {"n": n, "error": value, "count": k}
        meaning = f"the expected error of machines of {n:,} examples, {k:,} of them support vectors, is at most this"
        return Statement(value, meaning, conditions, who, of_error(value), given)
    error = between("error", error, 0.0, inf)
    size = least(lambda n: k / (n - 1) <= error, max(k, 2))
    meaning = f"so many examples, {k:,} of them support vectors, keep the expected error to {error:g}"
    return Statement(size, meaning, conditions, who, of_error(error), {"n": size, "error": error, "count": k})


def compression(
    count: int,
    n: int | None = None,
    delta: float | None = None,
    *,
    errors: int = 0,
    error: float | None = None,
) -> Statement:
    """The error of a classifier that k of its N examples determine, such as the support vectors of a machine.

        kl(e/(N − k) ‖ E_out) ≤ ln(N·C(N, k)/δ) / (N − k)        with probability ≥ 1 − δ

    `errors` e are among the other N − k examples: none for a support vector machine, of soft margin too, whose other
    examples lie outside the margin. Of n, error and delta (0.05), the one left out is solved for. It holds if learning
    from the k examples alone gives the same classifier, in whatever order, and if the examples are independent and of
    one distribution. The binomial tail is bounded by Chernoff's e^{−m·kl}, which is exact for e = 0. Littlestone &
    Warmuth 1986; Floyd & Warmuth, Machine Learning 21 (1995); Langford, JMLR 6 (2005), sample compression bound.

    >>> float(compression(3, 1000)).__round__(4), compression(400, 500).vacuous
    (0.0285, '')
    """
    k, e = examples("count", count, 0), examples("errors", errors, 0)
    wanted, delta = asked("n error", n, error, delta)
    if n is not None:
        n = examples("n", n)
        _at_most(k + e, n)
    if error is not None:
        error = between("error", error, 0.0, 1.0)
    given = {"n": n, "error": error, "delta": delta, "count": k, "errors": e}
    conditions = (
        f"the examples are independent, of one distribution, and the {k:,} alone, in whatever order, give the same "
        "classifier"
    )
    who = "Littlestone & Warmuth 1986; Floyd & Warmuth 1995; Langford, JMLR 6 (2005), sample compression bound"
    value, meaning, vacuous = _solved(wanted, k, n, e, error, delta)
    return Statement(value, meaning, conditions, who, vacuous, {**given, wanted: value})


def _solved(wanted: str, k: int, n: int | None, e: int, error: float | None, delta: float) -> tuple[float, str, str]:
    """The number asked for, its meaning, and why it says nothing."""
    of = f"{n:,} examples" if n else "them"
    seen = f"a classifier that {k:,} of {of} determine, with {e:,} errors on the others,"
    if wanted == "error":
        assert n is not None
        value = _compressed(k, n, e, delta)
        return value, f"with probability {1 - delta:g} {seen} errs no more often than this", of_error(value)
    assert error is not None
    if wanted == "n":
        size = least(lambda n: _compressed(k, n, e, delta) <= error, k + e + 1)
        return size, f"so many examples keep the error of {seen} to {error:g}, with probability {1 - delta:g}", ""
    assert n is not None
    above = n > k and e / (n - k) < error
    value = exponential(_choices(k, n) - ((n - k) * float(kl(e / (n - k), error)) if above else 0.0))
    return value, f"the probability that {seen} errs in more than {error:g} is at most this", of_probability(value)


def _compressed(k: int, n: int, e: int, delta: float) -> float:
    m = n - k
    return float(farthest(e / m, (_choices(k, n) - log(delta)) / m)) if m > 0 else 1.0


def _choices(k: int, n: int) -> float:
    """ln(n·C(n, k)): which examples, and how many."""
    few = min(k, n - k)
    i = np.arange(1.0, few + 1.0)
    return log(n) + float(np.log((float(n) - i + 1.0) / i).sum())


def _at_most(count: int, n: int) -> None:
    if count > n:
        raise ValueError(f"there must be no more support vectors and errors than examples: {count:,} of {n:,}")

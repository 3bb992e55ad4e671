"""How much wider the interval of a verdict is than independent examples and words would make it."""

from __future__ import annotations

import math

import numpy as np

from ..distributions.counts import Counts, Floats
from ..inner_product import dot

# Agreement is at least this: what tells nothing makes an interval ten times as wide.
_LEAST_AGREEMENT = 0.01
# An interval of 95 % ends where this much is below.
_END, _NORMAL_END = 0.975, 1.959963984540054
# Newton's, of which one degree of freedom takes the most.
_STEPS = 12
# Words that so small a share of them tells from those of other classes are alike.
_ROUNDING = 1e-9


def widening(seen: Counts, binary: bool) -> Floats:
    """Return, per class (C,), how many times as wide an interval is as independent counts alone would make it.

        u_c = t(ν_c) / (z · √agreement),        P(T ≤ t) = P(Z ≤ z) = 0.975

    t is of Student's distribution with ν_c degrees of freedom: few examples do not know their own spread. Where a share
    `agreement` of what words tell is signal and the rest is chance, the posterior mean of the signal is that share of
    the score, and its variance that share of the variance: their ratio is smaller by the root.

    >>> alike = Counts(np.array([4.0, 4.0]), np.array([[4.0, 4.0, 0.0, 0.0], [1.0, 1.0, 1.0, 1.0]]))
    >>> widening(alike, True).round(1).tolist()
    [12.8, 3.2]
    """
    wide: Floats = student_end(freedom(seen, binary)) / (_NORMAL_END * np.sqrt(agreement(seen, binary)))
    return wide


def student_end(freedom: Floats) -> Floats:
    """Return t (C,) with P(T ≤ t) = 0.975 for Student's distribution with ν ≥ 1 degrees of freedom.

        P(0 ≤ T ≤ t) = ∫_0^t f(x) dx = 0.475,        f(x) = f(0) (1 + x²/ν)^(−(ν+1)/2)

    by Newton's steps from the normal distribution's end, which is below t; the integral is concave, so that no step
    goes beyond t. It is Gauss and Legendre's sum of 64 terms. SciPy has the function, but takes longer to import than a
    first fit.

    >>> student_end(np.array([1.0, 4.5, 1e9])).round(6).tolist()
    [12.706205, 2.658912, 1.959964]
    """
    nodes, weights = np.polynomial.legendre.leggauss(64)
    nu, which = np.unique(freedom, return_inverse=True)
    height, power = np.array([_density_at_0(each) for each in nu.tolist()]), -(nu + 1.0) / 2.0
    t = np.full(len(nu), _NORMAL_END)
    for _ in range(_STEPS):
        x = 0.5 * t[:, None] * (nodes + 1.0)
        area = 0.5 * t * (np.exp(power[:, None] * np.log1p(x * x / nu[:, None])) * weights).sum(axis=1)
        t = t + np.maximum((_END - 0.5) / height - area, 0.0) * np.exp(-power * np.log1p(t * t / nu))
    ends: Floats = t[which.reshape(-1)]
    return ends


def _density_at_0(nu: float) -> float:
    """Return f(0) = Γ((ν+1)/2) / (√(πν) Γ(ν/2)); from ν = 100 on by Stirling's series, as differences lose digits."""
    a = nu / 2.0
    if nu < 100.0:
        return math.exp(math.lgamma(a + 0.5) - math.lgamma(a)) / math.sqrt(math.pi * nu)
    b = 1.0 / a
    series = 1.0 - b / 8.0 + b**2 / 128.0 + 5.0 * b**3 / 1024.0 - 21.0 * b**4 / 32768.0 - 399.0 * b**5 / 262144.0
    return (series + 869.0 * b**6 / 4194304.0) / math.sqrt(2.0 * math.pi)


def freedom(seen: Counts, binary: bool) -> Floats:
    """Return how freely the examples of each class (C,) vary: 1, the least, where all are copies of one; else n_c − 1.

        ν_c = (n_c − 1) (1 − ρ_c)²,        ρ_c = (w_c − b_c) / (ℓ_c − b_c)

    Two examples of class c, of ℓ_c words each, share w_c words; with one of another class, were it as long, b_c. ρ_c is
    the share of words that only those of the class have in common, 1 for copies; 1 − ρ_c the chance that a word of an
    example is its own. Where a word counts as often as it stands, copies cannot be told from repeated words: ρ_c = 0.

    >>> freedom(Counts(np.array([4.0, 4.0]), np.array([[4.0, 4.0, 0.0, 0.0], [1.0, 1.0, 1.0, 1.0]])), True).tolist()
    [1.0, 3.0]
    """
    n, s = seen.n, seen.s
    varied = np.ones_like(n)
    if binary:
        words, rest, together = s.sum(axis=1), n.sum() - n, s.sum(axis=0)
        pairs = np.array([dot(s_c, _but_one(s_c)) for s_c in s])
        across = np.array([dot(s_c, together - s_c) for s_c in s])
        length, length_of_others = _ratio(words, n), _ratio(words.sum() - words, rest)
        within = _ratio(pairs, n * (n - 1.0))
        between = _ratio(across, n * rest) * _ratio(length, length_of_others)
        apart = length - between
        apart[apart <= _ROUNDING * length] = 0.0  # rounding alone would say whether they are copies
        varied -= np.clip(_ratio(within - between, apart), 0.0, 1.0)
    free: Floats = np.maximum((n - 1.0) * varied**2, 1.0)
    return free


def agreement(seen: Counts, binary: bool) -> float:
    """Return how far examples agree about the class of a word, from 0.01 (not at all, or nothing tells) to 1.

    Of m_j examples with word j, s_jc are of class c, which has a share p_c of all N examples. The correlation of the
    classes of two examples that share a word is

        ρ_j = (Σ_c (s_jc − m_j p_c)² / (m_j (1 − Σ_c p_c²)) − e_j) / (m_j − 1),       e_j = (N − m_j) / (N − 1)

    where e_j is what chance makes of the first term: 0 for words that know nothing of the class, 1 where each word
    is of one class. The mean over all words with m_j ≥ 2 is made smaller by (N − C) / N, as few examples tell little of
    it. Where words do not know the class, differences of their counts are chance, however many words there are. That is
    an intraclass correlation: Fleiss, Statistical Methods for Rates and Proportions, 1981, section 13.1.

    >>> told = Counts(np.array([4.0, 4.0]), np.array([[3.0, 0.0, 4.0], [0.0, 2.0, 4.0]]))
    >>> round(agreement(told, True), 2), agreement(Counts(np.ones(2), np.ones((2, 3))), True)
    (0.57, 0.01)
    """
    n, s = seen.n, seen.s
    N, together = float(n.sum()), s.sum(axis=0)
    C, often = int((n > 0.0).sum()), np.flatnonzero(together >= 2.0)
    if C < 2 or N <= C or not len(often):
        return _LEAST_AGREEMENT
    p, m, apart = n / N, together[often], np.zeros(len(often))
    for p_c, s_c in zip(p, s, strict=True):  # not at once: a table of all would leave the cache
        apart += np.square(s_c[often] - p_c * m)
    chance = (N - m) / (N - 1.0) if binary else np.ones_like(m)
    apart /= m * max(1.0 - float(np.square(p).sum()), float(np.finfo(float).eps))
    found = float(((apart - chance) / (m - 1.0)).mean()) * (N - C) / N
    return min(max(found, _LEAST_AGREEMENT), 1.0)


def _but_one(counts: Floats) -> Floats:
    """Return with how many others each is met."""
    left = counts - 1.0
    return np.maximum(left, 0.0, out=left)


def _ratio(over: Floats, under: Floats) -> Floats:
    """Return divide where there is anything to divide by; 0 elsewhere."""
    shape = np.broadcast(over, under).shape
    quotient: Floats = np.divide(over, under, out=np.zeros(shape), where=np.asarray(under) > 0.0)
    return quotient

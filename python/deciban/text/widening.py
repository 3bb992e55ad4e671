"""How much wider the interval of a verdict is than independent examples and words would make it."""

from __future__ import annotations

import numpy as np

from ..distributions.counts import Counts, Floats

# Agreement is at least this: what tells nothing makes an interval ten times as wide.
_LEAST_AGREEMENT = 0.01
# An interval of 95 % ends where this much is below.
_END = 0.975
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
    from scipy.special import ndtri, stdtrit

    wide: Floats = stdtrit(freedom(seen, binary), _END) / (ndtri(_END) * np.sqrt(agreement(seen, binary)))
    return wide


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
        words, rest, others = s.sum(axis=1), n.sum() - n, s.sum(axis=0) - s
        length = _ratio(words, n)
        within = _ratio((s * np.maximum(s - 1.0, 0.0)).sum(axis=1), n * (n - 1.0))
        between = _ratio((s * others).sum(axis=1), n * rest) * _ratio(length, _ratio(others.sum(axis=1), rest))
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
    C, often = int((n > 0.0).sum()), together >= 2.0
    if C < 2 or N <= C or not often.any():
        return _LEAST_AGREEMENT
    p, s, m = n / N, s[:, often], together[often]
    chance = (N - m) / (N - 1.0) if binary else np.ones_like(m)
    apart = np.square(s - p[:, None] * m).sum(axis=0) / (
        m * max(1.0 - float(np.square(p).sum()), float(np.finfo(float).eps))
    )
    found = float(((apart - chance) / (m - 1.0)).mean()) * (N - C) / N
    return min(max(found, _LEAST_AGREEMENT), 1.0)


def _ratio(over: Floats, under: Floats) -> Floats:
    """Return divide where there is anything to divide by; 0 elsewhere."""
    shape = np.broadcast(over, under).shape
    quotient: Floats = np.divide(over, under, out=np.zeros(shape), where=np.asarray(under) > 0.0)
    return quotient

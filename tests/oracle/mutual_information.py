"""Mutual information by the book: lists, loops and `math.log`, nothing shared with the package. All in nats."""

import math


def entropy(values, weights):
    """H = −Σ_v p(v) log p(v)."""
    N = sum(weights)
    total = 0.0
    for value in set(values):
        p = sum(w for v, w in zip(values, weights, strict=True) if v == value) / N
        if p > 0:
            total -= p * math.log(p)
    return total


def information(values, labels, weights):
    """I = Σ_x Σ_c p(x, c) log [p(x, c) / (p(x) p(c))]."""
    N = sum(weights)
    examples = list(zip(values, labels, weights, strict=True))
    total = 0.0
    for x in sorted(set(values)):
        for c in sorted(set(labels)):
            p_xc = sum(w for v, label, w in examples if v == x and label == c) / N
            p_x = sum(w for v, _, w in examples if v == x) / N
            p_c = sum(w for _, label, w in examples if label == c) / N
            if p_xc > 0:
                total += p_xc * math.log(p_xc / (p_x * p_c))
    return total


def of_columns(rows, labels, weights):
    """I of each column of `rows`."""
    return [information(list(column), labels, weights) for column in zip(*rows, strict=True)]


def binary(pi, theta):
    """Σ_c { θ_c π_c log(θ_c / θ) + (1 − θ_c) π_c log[(1 − θ_c) / (1 − θ)] }, θ = Σ_c π_c θ_c."""
    overall = sum(p * t for p, t in zip(pi, theta, strict=True))
    total = 0.0
    for p, t in zip(pi, theta, strict=True):
        if p > 0 and t > 0:
            total += t * p * math.log(t / overall)
        if p > 0 and t < 1:
            total += (1 - t) * p * math.log((1 - t) / (1 - overall))
    return total


def binary_columns(n, s):
    """`binary` of every column of s (C lists of d), θ_jc = s_jc / n_c, π_c = n_c / N."""
    pi = [n_c / sum(n) for n_c in n]
    return [binary(pi, [s_c[j] / n_c for s_c, n_c in zip(s, n, strict=True)]) for j in range(len(s[0]))]


def word_columns(n, s):
    """The next word of a document is word j: `binary` with θ_jc = s_jc / Σ_j s_jc and documents of n_c."""
    drawn = [(n_c, s_c) for n_c, s_c in zip(n, s, strict=True) if sum(s_c) > 0]
    pi = [n_c / sum(n_c for n_c, _ in drawn) for n_c, _ in drawn]
    return [binary(pi, [s_c[j] / sum(s_c) for _, s_c in drawn]) for j in range(len(s[0]))]


def best(scores, k):
    """The k largest; of equal ones the first; in their order."""
    return sorted(sorted(range(len(scores)), key=lambda j: (-scores[j], j))[:k])

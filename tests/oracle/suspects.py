"""Confident learning and near-duplicates word for word, in loops."""

from __future__ import annotations

from itertools import combinations

from deciban._core import Reader


def joint(y, p, weight):
    """Thresholds, counts, joint and, per example, the class that the model is sure of, as the paper defines them."""
    classes = range(len(p[0]))
    rows = list(zip(y, p, weight, strict=True))
    n = [sum(w for label, _, w in rows if label == c) for c in classes]
    thresholds = [sum(w * q[c] for label, q, w in rows if label == c) / n[c] for c in classes]
    counts = [[0.0 for _ in classes] for _ in classes]
    sure = []
    for label, q, w in rows:
        reached = [c for c in classes if q[c] >= thresholds[c] - 1e-9]
        best = max(reached, key=lambda c: q[c]) if reached else -1
        sure.append(best)
        if best >= 0:
            counts[label][best] += w
    total = sum(n)
    joint = []
    for i in classes:
        row = counts[i] if sum(counts[i]) else [float(i == j) for j in classes]
        joint.append([each / sum(row) * n[i] / total for each in row])
    return thresholds, counts, joint, sure


def resemblance(first, second, kind="text"):
    """The share of all words and pairs of words of two texts that both have."""
    reader = Reader(kind, (1, 2), 0)
    a, b = set(reader.tokens(first)), set(reader.tokens(second))
    return len(a & b) / len(a | b) if a | b else 0.0


def alike(texts, least):
    """Pairs of texts that resemble each other so much."""
    return [(i, j) for i, j in combinations(range(len(texts)), 2) if resemblance(texts[i], texts[j]) >= least]

"""Votes of machines of two classes each, and the probabilities that agree with them, as nodes."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from .graph import Graph, Value

# As `kernel_machines.one_vs_one` bounds shares and probabilities.
_LEAST, _TINY = 1e-7, 1e-15


def votes(g: Graph, f: Value, C: int) -> Value:
    """Return (N, C) the votes of the pairs, and less than half a vote that tells equal ones apart: see
    `kernel_machines.one_vs_one.decisions`."""
    first, second = _places(C)
    won = g.truth(g("GreaterOrEqual", f, 0.0))
    count = g("Add", g("MatMul", won, first), g("MatMul", g("Sub", 1.0, won), second))
    total = g("MatMul", f, first - second)
    grain = g("Div", total, g("Mul", g("Add", g("Abs", total), 1.0), 3.0))
    return g("Add", count, grain)


def couple(g: Graph, odds: Value, winner: Value, C: int) -> Value:
    """Return (N, C) log probabilities from the log-odds of each pair, no class above the winner of the votes.

    The optimum of Wu, Lin & Weng (J. Mach. Learn. Res. 5, 2004), second method, satisfies Q p = −b·1 with Σ p = 1: p is
    in proportion to (Q + 1·1ᵀ)⁻¹·1. That matrix is positive definite, so that elimination needs no pivots.
    """
    first, second = _pair_matrices(C)
    shares = g("Add", g("MatMul", g("Sigmoid", odds), first), g("MatMul", g("Sigmoid", g("Neg", odds)), second))
    r = g("Mul", g("Clip", g("Reshape", shares, [-1, C, C]), _LEAST, 1.0 - _LEAST), 1.0 - np.eye(C))
    other = g("Transpose", r, perm=[0, 2, 1])
    diagonal = g("Mul", g("Unsqueeze", g.sum(g("Mul", r, r), 1), [2]), np.eye(C))
    Q = g("Add", g("Sub", diagonal, g("Mul", other, r)), 1.0)
    p = g("Max", _solve(g, Q, C), _TINY)
    p = g("Div", p, g.sum(p, 1, keep=True))
    return g("Log", _agree(g, p, winner))


def _solve(g: Graph, Q: Value, C: int) -> Value:
    """Return (N, C) Q⁻¹·1, in proportion to a distribution: Gauss and Jordan's elimination."""
    table = g("Concat", Q, g("Add", g("Mul", g("Gather", Q, [0], axis=2), 0.0), 1.0), axis=2)
    for k in range(C):
        row = g("Gather", table, [k], axis=1)
        row = g("Div", row, g("Gather", row, [k], axis=2))
        others = g("Mul", g("Gather", table, [k], axis=2), 1.0 - np.eye(C)[:, [k]])
        kept = g("Mul", table, 1.0 - np.eye(C)[:, [k]])
        table = g("Add", g("Sub", kept, g("MatMul", others, row)), g("Mul", row, np.eye(C)[:, [k]]))
    p = g("Squeeze", g("Gather", table, [C], axis=2), [2])
    return g("Div", p, g.sum(p, 1, keep=True))


def _agree(g: Graph, p: Value, winner: Value) -> Value:
    """Return probabilities with the winner's among the largest: it and those above it share what they have."""
    own = g("GatherElements", p, g("Unsqueeze", winner, [1]), axis=1)
    above = g("GreaterOrEqual", p, own)
    there = g.truth(above)
    mean = g("Div", g.sum(g("Mul", p, there), 1, keep=True), g.sum(there, 1, keep=True))
    return g("Where", above, mean, p)


def _places(C: int) -> tuple[np.ndarray, np.ndarray]:
    """Return (P, C) of which pair a class is the first, and of which the second."""
    first, second = (np.zeros((C * (C - 1) // 2, C)) for _ in range(2))
    for k, (i, j) in enumerate(combinations(range(C), 2)):
        first[k, i] = second[k, j] = 1.0
    return first, second


def _pair_matrices(C: int) -> tuple[np.ndarray, np.ndarray]:
    """Return (P, C²) where the share of the first class of a pair stands in a matrix, and that of the second."""
    first, second = (np.zeros((C * (C - 1) // 2, C * C)) for _ in range(2))
    for k, (i, j) in enumerate(combinations(range(C), 2)):
        first[k, i * C + j] = second[k, j * C + i] = 1.0
    return first, second

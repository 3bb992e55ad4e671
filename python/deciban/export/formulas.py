"""Functions that ONNX has no operator for, each as precise as the one that judges in Python."""

from __future__ import annotations

import numpy as np

from deciban.claims import Claims

from .graph import Graph, Value


def log1p(g: Graph, u: Value) -> Value:
    """Return log(1 + u) for u ≥ 0, without the loss of digits where u is small.

    log(w)·u/(w − 1) with w = 1 + u as it is rounded; u itself where w is 1 (Goldberg, Computing Surveys 23, 1991,
    theorem 4).
    """
    w = g("Add", u, 1.0)
    away = g("Sub", w, 1.0)
    near = g("Equal", away, 0.0)
    safe = g("Where", near, 1.0, away)
    long = g("Or", g("IsInf", u), near)  # of infinity the quotient is none
    quotient = g("Div", g("Mul", g("Log", w), u), safe)
    return g("Where", long, g("Where", near, u, g("Log", w)), quotient)


def softplus(g: Graph, z: Value) -> Value:
    """Return log(1 + e^z)."""
    small = log1p(g, g("Exp", g("Neg", g("Abs", z))))
    return g("Add", g("Max", z, 0.0), small)


def log_sigmoid(g: Graph, z: Value) -> Value:
    """Return log 1/(1 + e^(−z))."""
    return g("Neg", softplus(g, g("Neg", z)))


def of_two(g: Graph, odds: Value) -> Value:
    """Return (N, 2) the scores (0, odds) of log-odds (N, 1)."""
    return g.beside(g("Mul", odds, 0.0), odds)


def claim(g: Graph, nats: Value, claims: Claims) -> Value:
    """Return (N, C) what scores (N, C) may claim: see `Claims.log_p`."""
    if not claims.bounded:
        return nats
    there = g.truth(g("Greater", nats, -np.inf))
    even = g("Div", there, g.sum(there, 1, keep=True))
    n = float(claims.examples)
    p = g("Div", g("Add", g("Mul", g("Softmax", nats, axis=1), n), even), n + 1.0)
    return g("Log", p)


def interpolate(g: Graph, f: Value, at: np.ndarray, heights: np.ndarray) -> Value:
    """Return heights (k,) between places `at` (k,), which ascend: linear, and constant beyond them.

    It is the sum of k − 1 ramps, each from 0 to its rise.
    """
    flat = g("Add", g("Mul", f, 0.0), float(heights[0]))
    if len(at) < 2:
        return flat
    along = g("Div", g("Sub", g("Unsqueeze", f, [-1]), at[:-1]), np.diff(at))
    ramps = g("Clip", along, 0.0, 1.0)
    rise = g("Squeeze", g("MatMul", ramps, np.diff(heights)[:, None]), [-1])
    return g("Add", rise, float(heights[0]))


def log_rising(g: Graph, a: np.ndarray, x: Value, draws: int = 16) -> Value:
    """Return log Γ(a + x) − log Γ(a) for a ≥ 0 and x ≥ 0, in the form that broadcasting gives them.

    What is shifted up by `draws` has all digits by Stirling's series, and what the shift takes is a product.
    """
    up = g("Add", x, a)
    shift: Value | None = None
    for i in range(draws):
        part = g("Log", g("Div", a + i, g("Add", up, float(i))))
        shift = part if shift is None else g("Add", shift, part)
    assert shift is not None
    z = a + draws
    high = g("Add", up, float(draws))
    ratio = log1p(g, g("Div", x, z))
    told = g("Add", shift, g("Mul", g("Sub", high, 0.5), ratio))
    told = g("Add", told, g("Mul", x, np.log(z) - 1.0))
    told = g("Add", told, g("Sub", _stirling(g, high), _stirling_of(z)))
    return g("Where", g("Equal", x, 0.0), 0.0, told)


_SERIES = (1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188)


def _stirling_of(z: np.ndarray) -> np.ndarray:
    v, total = 1.0 / (z * z), np.zeros_like(z)
    for factor in reversed(_SERIES):
        total = factor + v * total
    return np.asarray(total / z)


def _stirling(g: Graph, z: Value) -> Value:
    """Return log Γ(z) less (z − ½) log z − z + ½ log 2π, for z ≥ 16."""
    v = g("Div", 1.0, g("Mul", z, z))
    total = g("Mul", v, _SERIES[-1])
    for factor in reversed(_SERIES[1:-1]):
        total = g("Mul", v, g("Add", total, factor))
    return g("Div", g("Add", total, _SERIES[0]), z)

"""Calibration as nodes: curves of log-odds, and what calibrators make of scores."""

from __future__ import annotations

from functools import singledispatch

import numpy as np

from deciban.calibration.beta import Bend
from deciban.calibration.calibrator import Calibrator, Curve
from deciban.calibration.isotonic import Monotone
from deciban.calibration.platt import Line

from .formulas import interpolate, log_sigmoid, of_two, softplus
from .graph import Graph, Value

# As `calibration.calibrator` bounds them.
_SURE = 1e100


@singledispatch
def write_curve(curve: Curve, g: Graph, z: Value) -> Value:
    """Return the log-odds that a curve makes of log-odds z, of any shape."""
    raise NotImplementedError(type(curve).__name__)


@write_curve.register
def _(curve: Line, g: Graph, z: Value) -> Value:
    return g("Add", g("Mul", z, float(curve.slope)), float(curve.offset))


@write_curve.register
def _(curve: Bend, g: Graph, z: Value) -> Value:
    above = g("Mul", softplus(g, z), float(curve.b))
    below = g("Mul", softplus(g, g("Neg", z)), float(curve.a))
    return g("Add", g("Sub", above, below), float(curve.c))


@write_curve.register
def _(curve: Monotone, g: Graph, z: Value) -> Value:
    return interpolate(g, z, curve.at, curve.nats)


def calibrate(calibrator: Calibrator, g: Graph, s: Value, width: int) -> Value:
    """Return (N, C) nats whose softmax is the posterior, of scores s (N, width) of a classifier."""
    A, C = float(calibrator.scale), calibrator.classes
    if C == 2:
        f = s if width == 1 else g("Sub", g.column(s, 1), g.column(s, 0))
        z = _scaled(g, f, A)
        return of_two(g, write_curve(calibrator.curves[0], g, z) if calibrator.curves else z)
    if not calibrator.curves:
        return _scaled(g, s, A)
    z = _scaled(g, s, A)
    z = z if calibrator.margins else _against_the_rest(g, z, C)
    each = [write_curve(curve, g, g.column(z, c)) for c, curve in enumerate(calibrator.curves)]
    return log_sigmoid(g, g.beside(*each))


def _scaled(g: Graph, s: Value, A: float) -> Value:
    return g("Clip", g("Mul", s, A), -_SURE, _SURE)


def _against_the_rest(g: Graph, s: Value, C: int) -> Value:
    """Return (N, C) the log-odds of each class against all others."""
    log_p = g("LogSoftmax", s, axis=1)
    others = np.where(np.eye(C, dtype=bool), -np.inf, 0.0)
    rest = g("ReduceLogSumExp", g("Add", g("Unsqueeze", log_p, [1]), others), [2], keepdims=0)
    return g("Sub", log_p, rest)

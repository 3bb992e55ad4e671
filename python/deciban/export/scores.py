"""Scores as nodes: from rows (N, d) of float64 to (N, C) nats, as the score of the same name computes them."""

from __future__ import annotations

from functools import singledispatch
from itertools import combinations
from typing import Any

import numpy as np

from deciban.kernels import Linear
from deciban.kernels.evaluation import linear_weights
from deciban.lazy import cached_property
from deciban.scores import (
    AffineScore,
    CategoricalScore,
    ColumnScore,
    IndependentScore,
    KernelScore,
    NetworkScore,
    PairwiseScore,
    PredictiveScore,
    ScaledScore,
    Score,
)
from deciban.scores.independent import FARTHEST
from deciban.scores.quadratic import QuadraticScore

from .formulas import log1p, log_rising, log_sigmoid, of_two
from .graph import Graph, Value
from .kernels import as_dense, tile


class Rows:
    """Rows (N, d); where features may be missing, NaN, also which are, and the rows with 0 in their place."""

    def __init__(self, g: Graph, x: Value, may_miss: bool = False) -> None:
        self.g, self.x, self.may_miss = g, x, may_miss

    @cached_property
    def gone(self) -> Value:
        """(N, d) whether a feature is missing."""
        return self.g("IsNaN", self.x)

    @cached_property
    def missing(self) -> Value:
        """(N, d) 1.0 where a feature is missing, else 0.0."""
        return self.g.truth(self.gone)

    @cached_property
    def filled(self) -> Value:
        """(N, d) the rows with 0 for what is missing."""
        return self.g("Where", self.gone, 0.0, self.x) if self.may_miss else self.x

    def only(self, columns: Any) -> Rows:
        """Return the rows of some columns."""
        return Rows(self.g, self.g("Gather", self.x, np.asarray(columns, dtype=np.int64), axis=1), self.may_miss)

    def drop_missing(self, terms: Value, axis: int) -> Value:
        """Return terms (N, …) of each feature, 0 where it is missing; `axis` is that of the classes in them."""
        if not self.may_miss:
            return terms
        return self.g("Where", self.g("Unsqueeze", self.gone, [axis]), 0.0, terms)


@singledispatch
def write_score(score: Score, g: Graph, rows: Rows) -> Value:
    """Return (N, C) the scores of rows, in nats."""
    raise NotImplementedError(type(score).__name__)


@write_score.register
def _(score: AffineScore, g: Graph, rows: Rows) -> Value:
    finite, x = np.isfinite(score.W).all(), rows.filled
    W = np.where(np.isfinite(score.W), score.W, 0.0)
    absent = None if score.absent is None else np.where(np.isfinite(score.absent), score.absent, 0.0)
    found = g.affine(x, W, AffineScore(W, score.prior, absent).bias)
    lacks = rows.may_miss and absent is not None
    if lacks:
        found = g("Sub", found, g("MatMul", rows.missing, absent))
    if finite:
        return found
    # Where a probability is 0, what is impossible is counted; it is affine in x, too.
    present = np.isneginf(score.W).astype(np.float64) - np.isposinf(score.W)
    gaps = np.zeros_like(W) if score.absent is None else np.isneginf(score.absent).astype(np.float64)
    count = g.affine(x, present, gaps.sum(axis=0))
    if lacks:
        count = g("Sub", count, g("MatMul", rows.missing, gaps))
    return g("Where", g("Greater", count, 0.0), -np.inf, found)


@write_score.register
def _(score: CategoricalScore, g: Graph, rows: Rows) -> Value:
    table = np.vstack([score.table, np.zeros(len(score.prior))])  # its last row is for what is missing
    last = (np.diff(score.offsets) - 1).astype(np.float64)
    codes = g("Min", g("Max", rows.filled, 0.0), last)
    places = g("Add", g.cast(codes, np.int64), score.offsets[:-1].astype(np.int64))
    if rows.may_miss:
        places = g("Where", rows.gone, np.int64(len(score.table)), places)
    return g("Add", g.sum(g("Gather", table, places, axis=0), 1), score.prior)


@write_score.register
def _(score: IndependentScore, g: Graph, rows: Rows) -> Value:
    x = g("Unsqueeze", rows.filled, [1])
    z = g("Clip", g("Mul", g("Sub", x, score.location), score.scale), -FARTHEST, FARTHEST)
    square = g("Mul", z, z)
    if score.freedom is None:
        terms = g("Sub", score.constant, g("Mul", square, 0.5))
    else:
        spread = log1p(g, g("Div", square, score.freedom))
        terms = g("Sub", score.constant, g("Mul", spread, 0.5 * (score.freedom + 1.0)))
    return g("Add", g.sum(rows.drop_missing(terms, 1), 2), score.prior)


@write_score.register
def _(score: PredictiveScore, g: Graph, rows: Rows) -> Value:
    x = g("Unsqueeze", rows.filled, [1])
    terms = log_rising(g, score.a, x)
    if score.W is not None:
        terms = g("Add", terms, g("Mul", x, score.W))
    if score.absent is not None:
        terms = g("Add", terms, score.absent)
    found = g.sum(rows.drop_missing(terms, 1), 2)
    if score.total is not None:
        found = g("Sub", found, log_rising(g, score.total, g.sum(rows.filled, 1, keep=True)))
    return g("Add", g("Mul", found, float(score.sign)), score.prior)


@write_score.register
def _(score: ColumnScore, g: Graph, rows: Rows) -> Value:
    found: Value | None = None
    for columns, part in score.parts:
        more = write_score(part, g, rows.only(columns))
        found = more if found is None else g("Add", found, more)
    return g("Add", found, score.prior)


@write_score.register
def _(score: QuadraticScore, g: Graph, rows: Rows) -> Value:
    away = g("Sub", g("Unsqueeze", rows.x, [0]), score.mean[:, None, :])  # (C, N, d)
    away = g("Max", g("Min", away, score.farthest), -score.farthest)
    z = g("MatMul", away, score.factors)
    square = g("Transpose", g("ReduceSumSquare", z, [2], keepdims=0), perm=[1, 0])
    square = g("Div", square, np.square(score.width))
    if score.freedom is None:
        return g("Sub", score.prior + score.constant, g("Mul", square, 0.5))
    spread = log1p(g, g("Div", square, score.freedom))
    return g("Sub", score.prior + score.constant, g("Mul", spread, 0.5 * (score.freedom + score.factors.shape[2])))


@write_score.register
def _(score: ScaledScore, g: Graph, rows: Rows) -> Value:
    return g("Add", g("Mul", write_score(score.score, g, rows), float(score.slope)), np.asarray(score.offset))


@write_score.register
def _(score: KernelScore, g: Graph, rows: Rows) -> Value:
    return _machines(score.kernel, score.vectors, score.A, score.intercept, g, rows.x)


def write_pairs(score: PairwiseScore, g: Graph, x: Value) -> Value:
    """Return (N, C(C−1)/2) the scores of the machines of two classes each."""
    C, ends = len(score.n_support), np.cumsum([0, *score.n_support])
    A = np.zeros((int(ends[-1]), len(score.intercept)))
    for k, (i, j) in enumerate(combinations(range(C), 2)):
        A[ends[i] : ends[i + 1], k] = score.dual[j - 1, ends[i] : ends[i + 1]]
        A[ends[j] : ends[j + 1], k] = score.dual[i, ends[j] : ends[j + 1]]
    return _machines(score.kernel, score.vectors, A, score.intercept, g, x)


def _machines(kernel: Any, vectors: Any, A: Any, intercept: Any, g: Graph, x: Value) -> Value:
    """Return (N, K) intercept + Σ_i A_ik K(x, v_i)."""
    A, b, Z = np.asarray(A, dtype=np.float64), np.asarray(intercept, dtype=np.float64), as_dense(vectors)
    if not len(A):
        return g("Add", g("Mul", g.column(x, 0), 0.0), b)
    if isinstance(kernel, Linear):  # whose weights are fewer than its vectors
        return g.affine(x, np.ascontiguousarray(linear_weights(Z, A).T), b)
    return g.affine(tile(kernel, g, x, Z), A, b)


@write_score.register
def _(score: NetworkScore, g: Graph, rows: Rows) -> Value:
    s = write_signals(score.network, g, rows.x)
    if score.label is not None or score.network.sizes[-1] == 1:
        return of_two(g, g.column(s, score.label or 0))
    return s if score.network.output.name == "softmax" else log_sigmoid(g, s)


def write_signals(network: Any, g: Graph, x: Value) -> Value:
    """Return (N, K) float64 the signals of the last layer; each layer computes in its own precision."""
    h, last = x, len(network.weights) - 1
    for layer, (W, b) in enumerate(zip(network.weights, network.biases, strict=True)):
        W, b = (np.asarray(each) for each in (as_host(W), as_host(b)))
        if not layer or W.dtype != as_host(network.weights[layer - 1]).dtype:
            h = g.cast(h, W.dtype)
        s = g("Add", g("MatMul", h, W), b)
        h = s if layer == last else _activate(network.activation.name, g, s)
    return g.cast(h, np.float64)


def as_host(array: Any) -> Any:
    """Return an array of weights as NumPy's."""
    from deciban.data.devices import on_host

    return on_host(array, None)


_OPERATORS = {"logistic": "Sigmoid", "tanh": "Tanh", "relu": "Relu"}


def _activate(name: str, g: Graph, s: Value) -> Value:
    return s if name == "identity" else g(_OPERATORS[name], s)

"""Estimators of rows of numbers as nodes: from X (N, d) of float64 to what they answer."""

from __future__ import annotations

from functools import singledispatch
from typing import Any

import numpy as np

from deciban.calibrated.classifier import CalibratedClassifier
from deciban.distributions import Bernoulli, Mixed
from deciban.errors import DataError
from deciban.kernel_machines.one_class import OneClassSVM
from deciban.kernel_machines.regressor import SVMRegressor
from deciban.kernel_machines.svm import SVM
from deciban.kernels.items import of_texts
from deciban.mlp.classifier import MLPClassifier
from deciban.mlp.regressor import MLPRegressor
from deciban.models.generative import Generative
from deciban.models.label_sets import LearnsLabelSets
from deciban.models.least_squares import LinearRegression
from deciban.models.linear import LinearClassifier
from deciban.models.linear_svr import LinearSVR
from deciban.models.nbsvm import NBSVM
from deciban.models.perceptron import Perceptron
from deciban.models.weights import dense
from deciban.scores import PairwiseScore

from . import pairs
from .answers import Answers, name_places
from .calibrators import calibrate, write_curve
from .formulas import claim, log_sigmoid, of_two
from .graph import Graph, Value
from .scores import Rows, write_pairs, write_score, write_signals


@singledispatch
def write_answers(model: Any, g: Graph, x: Value) -> Answers:
    """Return what a fitted estimator answers of rows x (N, d); DataError for what has no form in ONNX."""
    raise DataError(
        f"{type(model).__name__}, of {type(model).__module__}, cannot be written as ONNX. Expected a fitted "
        "classifier, regression or outlier detector of Deciban. Write the model that is in it, and convert what comes "
        "before with the converter of its library."
    )


def _of_margin(g: Graph, model: Any, s: Value, positive: str = "Greater") -> Value:
    """Return (N,) the labels of one score (N, 1) of two classes."""
    return name_places(g, model.classes_, g.cast(g("Squeeze", g(positive, s, 0.0), [1]), np.int64))


@write_answers.register
def _(model: LinearClassifier, g: Graph, x: Value) -> Answers:
    if isinstance(model, NBSVM) and model.binary:
        x = g.truth(g("Greater", x, 0.0))
    W, b = dense(model._get_weights()), np.atleast_1d(np.asarray(model.intercept_, dtype=np.float64))
    s, K, C = g.affine(x, np.ascontiguousarray(W.T), b), len(W), len(model.classes_)
    if isinstance(model, LearnsLabelSets) and model._label_sets:
        return Answers(s, K, g.cast(g("Greater", s, 0.0), np.int64))
    if K == 1 and C == 2:
        label = _of_margin(g, model, s, "GreaterOrEqual" if isinstance(model, Perceptron) else "Greater")
    else:
        label = name_places(g, model.classes_, g.largest(s))
    if not hasattr(model, "predict_proba"):
        return Answers(s, K, label)
    nats = g("Mul", s, float(model._scale()))
    return Answers(s, K, label, of_two(g, nats) if K == 1 else nats)


@write_answers.register
def _(model: Generative, g: Graph, x: Value) -> Answers:
    family = model._family()
    rows = Rows(g, _present(g, x, family, model.n_features_in_), bool(getattr(family, "missing", False)))
    s = write_score(model.scorer_, g, rows)
    label = name_places(g, model.classes_, g.largest(s))
    return Answers(s, len(model.classes_), label, claim(g, s, model._claims()))


def _present(g: Graph, x: Value, family: Any, d: int) -> Value:
    """Return the statistic of rows: 1 where a feature of a Bernoulli distribution with a threshold is present."""
    parts = family.parts if isinstance(family, Mixed) else ((range(d), family),)
    asked, above = np.zeros(d, dtype=bool), np.zeros(d)
    for columns, part in parts:
        if isinstance(part, Bernoulli) and part.binarize is not None:
            asked[list(columns)], above[list(columns)] = True, float(part.binarize)
    if not asked.any():
        return x
    taken = g("And", asked, g("Not", g("IsNaN", x)))
    return g("Where", taken, g.truth(g("Greater", x, above)), x)


@write_answers.register
def _(model: LinearRegression, g: Graph, x: Value) -> Answers:
    found = model._derive_fit()
    return Answers(g.affine(x, np.ascontiguousarray(found.w.T), found.b), len(found.w))


@write_answers.register
def _(model: LinearSVR, g: Graph, x: Value) -> Answers:
    w = np.asarray(model.coef_, dtype=np.float64)[:, None]
    return Answers(g.affine(x, w, np.array([float(model.intercept_)])), 1)


def _require_rows(model: Any) -> None:
    """Raise DataError for a machine of texts."""
    if of_texts(model.kernel_):
        raise DataError(
            f"kernel {model.kernel_.name!r} compares texts and cannot be written as ONNX. Expected a kernel of rows of "
            "numbers. Fit TextClassifier('kernel-svm'), which is written from the counts of words on."
        )


@write_answers.register
def _(model: SVMRegressor, g: Graph, x: Value) -> Answers:
    _require_rows(model)
    return Answers(write_score(model.scorer_, g, Rows(g, x)), 1)


@write_answers.register
def _(model: OneClassSVM, g: Graph, x: Value) -> Answers:
    _require_rows(model)
    s = write_score(model.scorer_, g, Rows(g, x))
    known = g.cast(g("Squeeze", g("GreaterOrEqual", s, 0.0), [1]), np.int64)
    label = g("Gather", np.array([-1, 1]), known, axis=0)
    if model.marks_ is None:
        return Answers(s, 1, label)
    passed = g("ReduceSum", g.cast(g("GreaterOrEqual", s, np.asarray(model.marks_)), np.int64), [1], keepdims=1)
    inside = g("Gather", np.array([0.001, *(k / 10.0 for k in range(1, 10)), 0.999]), passed, axis=0)
    return Answers(s, 1, label, probabilities=g.beside(g("Sub", 1.0, inside), inside))


@write_answers.register
def _(model: SVM, g: Graph, x: Value) -> Answers:
    _require_rows(model)
    held, C, raw = model._held, len(model.classes_), model._raw()
    f = write_pairs(raw, g, x) if isinstance(raw, PairwiseScore) else write_score(raw, g, Rows(g, x))
    s = pairs.votes(g, f, C) if held.style == "ovo" else f
    label = _of_margin(g, model, s) if held.style == "two" else name_places(g, model.classes_, g.largest(s))
    width = 1 if held.style == "two" else C
    known = model.calibrated_ if model._probabilistic() else None
    if known is None:
        return Answers(s, width, label)
    if known.shift is not None:
        return _of_libsvm(model, g, f, s, width)
    return Answers(s, width, label, _log_odds(g, model, f, s))


def _log_odds(g: Graph, model: SVM, f: Value, s: Value) -> Value:
    """Return (N, C) nats whose softmax is the posterior."""
    known, style, C = model.calibrated_, model._held.style, len(model.classes_)
    assert known is not None
    if not known.maps:
        nats = g("Mul", f, np.asarray(known.scale, dtype=np.float64))
    elif style == "ovr":
        nats = log_sigmoid(g, write_curve(known.maps[0], g, f))
    else:
        nats = g.beside(*(write_curve(each, g, g.column(f, k)) for k, each in enumerate(known.maps)))
    if style == "two":
        return of_two(g, nats)
    return pairs.couple(g, nats, g.largest(s), C) if style == "ovo" else nats


def _of_libsvm(model: SVM, g: Graph, f: Value, s: Value, width: int) -> Answers:
    """Return the answers of two classes of a model of LIBSVM with probabilities, which decide about the label."""
    known = model.calibrated_
    assert known is not None
    if model._held.style != "two":
        raise DataError(
            "probabilities of three classes or more of a model of LIBSVM cannot be written as ONNX: LIBSVM iterates "
            "until it stops. Expected two classes, or a model without probabilities. Fit SVM on the data instead."
        )
    most = float(np.log(1e7 - 1.0))
    nats = g("Clip", g("Add", g("Mul", f, np.asarray(known.scale)), np.asarray(known.shift)), -most, most)
    first = g("Sub", 0.0, of_two(g, nats))  # LIBSVM's first class is the positive one
    label = name_places(g, model.classes_, g.largest(first))
    return Answers(s, width, label, first)


@write_answers.register
def _(model: MLPClassifier, g: Graph, x: Value) -> Answers:
    if model.multilabel_:
        s = write_signals(model.network_, g, x)
        label = g.cast(g("Greater", s, 0.0), np.int64)
        return Answers(s, len(model.classes_), label, probabilities=g("Sigmoid", s))
    nats = write_score(model.scorer_, g, Rows(g, x))
    return Answers(nats, len(model.classes_), name_places(g, model.classes_, g.largest(nats)), nats)


@write_answers.register
def _(model: MLPRegressor, g: Graph, x: Value) -> Answers:
    return Answers(write_signals(model.network_, g, x), model.network_.sizes[-1])


@write_answers.register
def _(model: CalibratedClassifier, g: Graph, x: Value) -> Answers:
    inner = write_answers(model.estimator_, g, x)
    s, width, C = inner.scores, inner.width, len(model.classes_)
    if model._response != "decision_function":
        assert inner.nats is not None
        s, width = g("LogSoftmax", inner.nats, axis=1), C
    if np.isfinite(model._floor):
        s = g("Max", s, float(model._floor))
    nats = calibrate(model.calibrator_, g, s, width)
    p = g("Softmax", nats, axis=1)  # of two that rounding leaves equal the first wins
    label = name_places(g, model.classes_, g.largest(p))
    if C == 2:
        return Answers(g("Sub", g.column(nats, 1), g.column(nats, 0)), 1, label, nats)
    return Answers(g("LogSoftmax", nats, axis=1), C, label, nats)

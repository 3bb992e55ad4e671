"""Statistics and proofs that are left until they are asked for are those that would have been made at once."""

import pickle
from functools import partial

import numpy as np
import pytest
from numpy.testing import assert_allclose

from deciban import LeastSquaresClassifier, LinearRegression
from deciban.distributions.scatter import PooledScatter
from deciban.models import kept_rows
from deciban.models.kept_rows import KeptRows

MODELS = {
    "least-squares": (LinearRegression, "statistics_"),
    "no-intercept": (partial(LinearRegression, fit_intercept=False), "statistics_"),
    "ridge": (partial(LinearRegression, penalty="l2", alpha=3.0), "statistics_"),
    "classifier": (LeastSquaresClassifier, "counts_"),
    "classifier-free": (partial(LeastSquaresClassifier, 0.0, calibration=None), "counts_"),
    "classifier-weighed": (partial(LeastSquaresClassifier, 2.0, class_weight={0: 2.0, 1: 1.0, 2: 0.5}), "counts_"),
}


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("kind", [np.float64, np.float32])
@pytest.mark.parametrize("scale", [1e-8, 1.0, 1e9])
@pytest.mark.parametrize(("rows", "columns"), [(40, 6), (9, 14)])
def test_the_statistic_that_is_made_later_is_that_of_the_fit(name, kind, scale, rows, columns, monkeypatch):
    new, statistic = MODELS[name]
    random = np.random.default_rng(rows)
    X = (scale * random.normal(size=(rows, columns)) + random.normal(size=columns)).astype(kind)
    y, w = (
        np.arange(rows) % 3 + (X @ np.ones(columns) if statistic == "statistics_" else 0),
        random.integers(1, 4, rows),
    )
    later = new().fit(X, y, w)
    facts = later.facts_
    assert isinstance(vars(later)[statistic], KeptRows)
    with monkeypatch.context() as patch:
        patch.setattr(kept_rows, "_MOST", 0)
        at_once = new().fit(X, y, w)
    assert isinstance(vars(at_once)[statistic], PooledScatter)
    largest = np.abs(at_once.coef_).max()
    assert_allclose(
        later.coef_, at_once.coef_, rtol=1e-6, atol=1e-6 * largest if kind == np.float32 else 1e-8 * largest
    )
    assert_allclose(later.predict(X), at_once.predict(X), rtol=1e-6, atol=1e-9)
    assert getattr(later, "rank_", None) == getattr(at_once, "rank_", None)
    assert facts.left_out == at_once.facts_.left_out
    learnt, told = X.copy(), y.copy()
    X[:], y[:] = 0, 0  # they are the caller's
    proof, expected = later.certificate_, at_once.certificate_
    assert proof.digest == expected.digest
    rounding = np.finfo(float).eps * np.abs(told).max()  # of a residual
    assert proof.primal == pytest.approx(expected.primal, rel=1e-6, abs=8.0 * w.sum() * rounding)
    assert (proof.n, proof.status, proof.iterations) == (expected.n, expected.status, expected.iterations)
    saved = pickle.loads(pickle.dumps(later))
    assert isinstance(vars(saved)[statistic], PooledScatter)
    assert getattr(saved, statistic) == getattr(later, statistic) == getattr(at_once, statistic)
    if name != "classifier-weighed":
        again = later.partial_fit(learnt, told, sample_weight=w).forget(learnt, told, sample_weight=w)
        assert getattr(again, statistic) == getattr(saved, statistic)


@pytest.mark.parametrize("value", [1e160, -1e160])
@pytest.mark.parametrize("name", MODELS)
def test_numbers_whose_squares_are_refused_are_so_at_once(name, value):
    with pytest.raises(ValueError, match="row 1, feature 0"):
        MODELS[name][0]().fit([[0.0], [value], [1.0]], [0, 1, 2])

"""Laws of weights that may not be below 0: the optimum is scikit-learn's, and the proof holds in any units."""

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import nnls
from scipy.sparse import csr_array
from sklearn.linear_model import ElasticNet, Lasso, Ridge
from sklearn.linear_model import LinearRegression as LeastSquares

from deciban import LinearRegression
from tiers import examples

# Ours, and scikit-learn's of the same objective on N rows (theirs is ours over 2N, of ridge over 2).
PAIRS = {
    "none": (lambda N: {}, lambda: LeastSquares(positive=True)),
    "l1": (lambda N: {"penalty": "l1", "alpha": 0.4 * N}, lambda: Lasso(0.2, positive=True, tol=1e-14, max_iter=10**6)),
    "elasticnet": (
        lambda N: {"penalty": "elasticnet", "alpha": 0.4 * N, "l1_ratio": 0.3},
        lambda: ElasticNet(0.2, l1_ratio=0.3, positive=True, tol=1e-14, max_iter=10**6),
    ),
    "l2": (lambda N: {"penalty": "l2", "alpha": 6.0}, lambda: Ridge(3.0, positive=True, tol=1e-15, max_iter=10**6)),
}


def draw(seed, N=60, d=6):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(N, d)) + rng.normal(size=d)
    return X, X @ rng.normal(size=d) + rng.normal(size=N) + 3.0


@pytest.mark.parametrize("name", PAIRS)
@given(st.integers(0, 1000), st.booleans(), st.booleans())
@examples(5)
def test_the_optimum_is_that_of_scikit_learn(name, seed, intercept, sparse):
    X, y = draw(seed)
    of, theirs = PAIRS[name]
    model = LinearRegression(positive=True, tol=1e-12, fit_intercept=intercept, **of(len(y)))
    model.fit(csr_array(X) if sparse else X, y)
    wanted = theirs().set_params(fit_intercept=intercept).fit(X, y)
    assert model.coef_.min() >= 0.0
    np.testing.assert_allclose(model.coef_, wanted.coef_, atol=2e-5)
    np.testing.assert_allclose(model.intercept_, wanted.intercept_, atol=1e-4)


@pytest.mark.parametrize("penalty", [None, "l1", "l2", "elasticnet"])
@pytest.mark.parametrize("loss", ["squared", "huber"])
@given(st.integers(0, 1000), st.integers(-8, 8), st.sampled_from([0.0, 1.0, 1e4]), st.sampled_from(["f4", "f8", "i8"]))
@examples(15)
def test_the_proof_holds_in_any_units(loss, penalty, seed, k, offset, kind):
    X, y = draw(seed)
    X = ((100.0 * X).round() + offset) if kind == "i8" else 10.0**k * (X + offset)
    X = X.astype(kind)
    model = LinearRegression(loss=loss, penalty=penalty, positive=True).fit(X, y)
    proof = model.certificate_
    assert proof.status == "converged"
    # A penalty of 1 bounds slopes Σ α_i x_i, which are sums of N numbers as large as X: their rounding moves the dual.
    rounding = np.finfo(float).eps * float(np.abs(X).max()) * len(X) if penalty else 0.0
    assert proof.relative_gap <= 1e-6 + rounding
    assert model.coef_.min() >= 0.0
    free = LinearRegression(loss=loss, penalty=penalty, tol=1e-9).fit(X.astype(float), y).certificate_
    assert proof.primal >= free.dual * (1.0 - 1e-9)  # fewer weights are allowed


@given(st.integers(0, 1000))
@examples(5)
def test_without_an_intercept_it_is_the_programme_of_lawson_and_hanson(seed):
    X, y = draw(seed, N=20, d=9)
    model = LinearRegression(positive=True, fit_intercept=False, tol=1e-12).fit(X, y)
    np.testing.assert_allclose(model.coef_, nnls(X, y)[0], atol=1e-5)


def test_where_no_weight_may_help_all_are_nothing():
    X = np.abs(draw(0)[0])
    model = LinearRegression(positive=True).fit(X, -X.sum(axis=1))
    assert not model.coef_.any()
    assert model.certificate_.relative_gap <= 1e-6


def test_weights_mean_repetition_and_targets_stand_alone():
    X, y = draw(3)
    weight = np.arange(len(y)) % 4
    weighted = LinearRegression(positive=True, tol=1e-12).fit(X, y, sample_weight=weight)
    repeated = LinearRegression(positive=True, tol=1e-12).fit(np.repeat(X, weight, axis=0), np.repeat(y, weight))
    np.testing.assert_allclose(weighted.coef_, repeated.coef_, atol=1e-6)
    both = LinearRegression(positive=True).fit(X, np.column_stack([y, -y]))
    np.testing.assert_allclose(both.coef_[1], LinearRegression(positive=True).fit(X, -y).coef_, atol=1e-12)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"loss": "absolute"}, "solver 'coordinate' needs a smooth loss of one score, which 'absolute' is not"),
        (
            {"solver": "closed-form"},
            "solver 'closed-form' knows no bounds of weights: weights ≥ 0 need the solver 'coordinate' and a smooth "
            "loss",
        ),
    ],
)
def test_what_knows_no_bounds_refuses(parameters, message):
    X, y = draw(1)
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        LinearRegression(positive=True, **parameters).fit(X, y)
    assert not hasattr(LinearRegression(positive=True), "partial_fit")


@pytest.mark.parametrize("seed", range(12))
def test_weights_that_have_hardly_grown_prove_nothing(seed):
    X, y = draw(seed)
    for scale in (1e-3, 1.0, 1e3):
        proof = LinearRegression(loss="huber", positive=True, tol=1e-9).fit(scale * X, y).certificate_
        assert proof.relative_gap <= 1e-9
        assert proof.kkt_violation <= 1e-6

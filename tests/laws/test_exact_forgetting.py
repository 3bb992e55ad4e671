"""Laws of exact statistics: what is learnt and forgotten was never learnt, bit for bit, in any order and any form."""

import io
import pickle

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy import sparse

from deciban.errors import DataError
from deciban.models.discriminant import GaussianDiscriminant
from deciban.models.least_squares import LinearRegression
from deciban.models.least_squares_classifier import LeastSquaresClassifier
from deciban.models.naive_bayes import NaiveBayes

MODELS = {
    "naive Bayes": lambda: NaiveBayes("gaussian"),
    "typed naive Bayes": lambda: NaiveBayes({0: "gaussian", 1: "gaussian", 2: None}),
    **{
        f"{covariance} {shrinkage}": lambda c=covariance, s=shrinkage: GaussianDiscriminant(
            covariance=c, shrinkage=s, estimate="ml" if s else "bayes"
        )
        for covariance in ("shared", "per_class", "diagonal")
        for shrinkage in (None, "auto")
    },
    "least squares": lambda: LinearRegression(alpha=1.0, penalty="l2"),
    "least squares of labels": lambda: LeastSquaresClassifier(calibration=None),
}


def normal(rng, N):
    return rng.standard_normal((N, 3))


DATA = {
    "normal": normal,
    "X·10^-12": lambda rng, N: normal(rng, N) * 1e-12,
    "X·10^12": lambda rng, N: normal(rng, N) * 1e12,
    "X + 10^8": lambda rng, N: normal(rng, N) + 1e8,
    "float32": lambda rng, N: normal(rng, N).astype(np.float32),
    "whole": lambda rng, N: rng.integers(-99, 99, (N, 3)),
    "decimals": lambda rng, N: np.round(normal(rng, N), 2),
    "in Fortran's order": lambda rng, N: np.asfortranarray(normal(rng, N)),
    "of mixed size": lambda rng, N: normal(rng, N) * 10.0 ** rng.integers(-30, 30, (N, 3)),
}


def statistic(model):
    """All bits that a model has learnt."""
    held = model.statistics_ if isinstance(model, LinearRegression) else model.counts_
    return [(array.shape, array.tobytes()) for array in held.arrays()]


def target(model, y):
    return y.astype(float) if isinstance(model, LinearRegression) else y


@pytest.fixture(params=MODELS.values(), ids=MODELS.keys())
def new(request):
    return request.param


@pytest.mark.parametrize("weighted", [False, True], ids=["", "weighted"])
@pytest.mark.parametrize("data", DATA.values(), ids=DATA.keys())
def test_learnt_and_forgotten_was_never_learnt(new, data, weighted):
    rng = np.random.default_rng(5)
    X, y = data(rng, 60), np.arange(60) % 2
    w = rng.uniform(0.1, 3.0, 60) if weighted else np.ones(60)
    order = rng.permutation(np.arange(40, 60))

    def learn(model, rows):
        return model.partial_fit(X[rows], target(model, y)[rows], sample_weight=w[rows])

    never = learn(new(), slice(0, 40))
    once = learn(new(), slice(0, 60))
    pieces = learn(learn(learn(new(), order), slice(20, 40)), slice(0, 20))
    assert statistic(once) == statistic(pieces)
    for rows in np.split(order, [3, 11]):
        once.forget(X[rows], target(once, y)[rows], w[rows])
    assert statistic(once) == statistic(never)
    assert statistic((never + learn(new(), order)).forget(X[order], target(never, y)[order], w[order])) == statistic(
        never
    )


@pytest.mark.parametrize("big", [(1e8, 1e8), (1e70, 1.0), (1e-300, 1e70), (0.1, 1 / 3)])
def test_one_row_leaves_no_trace(new, big):
    rng = np.random.default_rng(6)
    X, y = rng.standard_normal((30, 3)), np.arange(30) % 2
    model = new().partial_fit(X, target(new(), y))
    before, answers = statistic(model), model.predict(X)
    row = np.array([[*big, 1.0]])
    model.partial_fit(row, target(model, y[:1])).forget(row, target(model, y[:1]))
    assert statistic(model) == before
    assert_array_equal(model.predict(X), answers)


def test_powers_beyond_a_float64_are_refused_and_change_nothing(new):
    X, y = np.random.default_rng(6).standard_normal((30, 3)), np.arange(30) % 2
    model = new().fit(X, target(new(), y))
    before = statistic(model)
    with pytest.raises(DataError, match="larger unit"):
        model.partial_fit([[1e160, 0.0, 0.0]], target(model, y[:1]))
    assert statistic(model) == before


def test_the_form_of_rows_changes_no_bit(new):
    rng = np.random.default_rng(7)
    X = rng.integers(0, 3, (50, 3)) * rng.standard_normal((50, 3))
    y = np.arange(50) % 2
    found = [
        statistic(new().fit(form(X), target(new(), y)))
        for form in (np.ascontiguousarray, np.asfortranarray, lambda X: np.repeat(X, 2, axis=1)[:, ::2])
    ]
    assert found[0] == found[1] == found[2]


@pytest.mark.parametrize("covariance", ["shared", "per_class", "diagonal"])
def test_sparse_rows_are_dense_rows(covariance):
    rng = np.random.default_rng(8)
    X = np.where(rng.random((300, 20)) < 0.1, rng.standard_normal((300, 20)), 0.0)
    y, w = np.arange(300) % 3, rng.uniform(0.1, 2.0, 300)
    for weight in (None, w):
        dense = GaussianDiscriminant(covariance=covariance, estimate="bayes").fit(X, y, weight)
        other = GaussianDiscriminant(covariance=covariance, estimate="bayes").fit(sparse.csr_array(X), y, weight)
        assert statistic(dense) == statistic(other)


def test_many_rows_in_any_order_give_the_same_bits():
    rng = np.random.default_rng(9)
    X, y = rng.standard_normal((5000, 21)) * 10.0 ** rng.integers(-3, 3, 21), np.arange(5000) % 2
    order = rng.permutation(5000)
    for options in ({}, {"covariance": "per_class"}):
        one, two = (GaussianDiscriminant(**options).fit(X[rows], y[rows]) for rows in (slice(None), order))
        assert statistic(one) == statistic(two)
        assert_array_equal(one.predict_proba(X), two.predict_proba(X))


def test_a_model_forgotten_to_the_end_saves_the_same_bytes(tmp_path):
    rng = np.random.default_rng(10)
    X, y = rng.standard_normal((80, 3)) + 1e6, np.arange(80) % 2
    never = NaiveBayes("gaussian").fit(X[:50], y[:50])
    once = NaiveBayes("gaussian").fit(X, y).forget(X[50:], y[50:])
    saved = []
    for name, model in {"never": never, "once": once}.items():
        model.save(tmp_path / name)
        saved.append((tmp_path / name).read_bytes())
    assert saved[0] == saved[1]
    assert pickle.load(io.BytesIO(pickle.dumps(once))).counts_ == never.counts_


def test_rows_that_cannot_have_been_learnt_are_refused(new):
    rng = np.random.default_rng(11)
    X, y = rng.standard_normal((30, 3)), np.arange(30) % 2
    model = new().fit(X, target(new(), y))
    before = statistic(model)
    for row in ([100.0, 0.0, 0.0], [0.0, -1e8, 0.0]):
        with pytest.raises(DataError, match=r"cannot forget|never learnt|below zero"):
            model.forget([row], target(model, y[:1]))
        assert statistic(model) == before
    everything = np.concatenate([X, X[:1]])
    with pytest.raises(DataError, match="cannot forget"):
        model.forget(everything, target(model, np.concatenate([y, y[:1]])))
    assert statistic(model) == before


def test_columns_of_whole_numbers_with_a_distribution_each():
    rng = np.random.default_rng(12)
    X = np.column_stack([rng.poisson(3, 60), rng.integers(-5, 5, 60), rng.integers(0, 4, 60)])
    y, new = np.arange(60) % 2, lambda: NaiveBayes({0: "poisson", 1: "gaussian", 2: "categorical"})
    one, two = new().fit(X[:30], y[:30]), new().fit(X[30:], y[30:])
    left = (one + two).forget(X[30:], y[30:])
    assert statistic(left) == statistic(one)
    assert left.columns_ == one.columns_

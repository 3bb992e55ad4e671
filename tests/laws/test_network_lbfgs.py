"""L-BFGS: the bottom of all examples at once, where weights are repetition."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.linear_model import LogisticRegression

from deciban import MLPClassifier, MLPRegressor, load
from tiers import deep

ACTIVATIONS = ("relu", "tanh", "logistic", "identity")


def two(n: int = 200, seed: int = 0):
    """X (n, 4) and two classes that no plane divides."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(n, 4))
    return X, np.where(np.sin(2.0 * X[:, 0]) + X[:, 1] ** 2 + 0.3 * random.normal(size=n) > 0.7, "b", "a")


@pytest.mark.parametrize("activation", ACTIVATIONS)
@pytest.mark.parametrize("scale", [1e-3, 1.0, *deep(1e3)])
def test_the_gradient_is_as_small_as_tol_asks(activation, scale):
    X, y = two()
    model = MLPClassifier(8, activation, solver="lbfgs", weight_decay=0.01, tol=1e-4, max_iter=5000, dtype="float64")
    model.fit(scale * X, y)
    proof = model.certificate_
    assert proof.dual is None
    if proof.status == "settled":
        size = sum(W.size for W in [*model.coefs_, *model.intercepts_])
        assert proof.kkt_violation <= 1e-4 * np.sqrt(size)
    else:
        assert proof.advice
        assert proof.status in ("stalled", "exhausted")
        assert activation == "relu" or scale > 1.0  # at a kink, or where units are saturated to the last digit
    losses = [epoch.loss + epoch.penalty for epoch in model.history_]
    assert losses == sorted(losses, reverse=True)
    assert proof.primal == pytest.approx(losses[-1], rel=1e-9)


def test_without_hidden_layers_it_is_logistic_regression():
    X, y = two()
    penalty = 0.05
    model = MLPClassifier(
        (), output="logistic", solver="lbfgs", weight_decay=penalty, tol=1e-9, max_iter=1000, dtype="float64"
    )
    rival = LogisticRegression(C=1.0 / (penalty * len(y)), tol=1e-12, max_iter=10_000).fit(X, y)
    np.testing.assert_allclose(model.fit(X, y).coefs_[0][:, 0], rival.coef_[0], rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("model", [MLPClassifier, MLPRegressor])
@pytest.mark.parametrize("settings", [{"solver": "lbfgs"}, {"solver": "descent", "batch_size": None, "max_iter": 30}])
def test_weights_are_repetition(model, settings):
    X, y = two(80)
    y = y if model is MLPClassifier else X[:, 0] ** 2
    weight = np.random.default_rng(3).integers(0, 4, len(y))
    parameters = {
        "hidden_layer_sizes": 4,
        "activation": "tanh",
        "weight_decay": 0.05,
        "tol": 1e-8,
        "dtype": "float64",
        **settings,
    }
    weighed = model(**parameters).fit(X, y, weight)
    repeated = model(**parameters).fit(np.repeat(X, weight, axis=0), np.repeat(y, weight))
    for one, other in zip(weighed.coefs_, repeated.coefs_, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-3, atol=1e-4)
    assert weighed.certificate_.primal == pytest.approx(repeated.certificate_.primal, rel=1e-8)


def test_sparse_rows_are_dense_ones():
    X, y = two()
    X[np.abs(X) < 0.8] = 0.0
    parameters = {"hidden_layer_sizes": 5, "solver": "lbfgs", "weight_decay": 0.1, "activation": "tanh", "max_iter": 30}
    dense, csr = (MLPClassifier(**parameters).fit(kind, y) for kind in (X, sparse.csr_array(X)))
    np.testing.assert_allclose(dense.predict_proba(X), csr.predict_proba(X), atol=1e-3)


def test_it_stops_where_it_is_told():
    X, y = two()
    assert MLPClassifier(8, solver="lbfgs", callback=lambda *told: True).fit(X, y).certificate_.status == "stopped"
    few = MLPClassifier(8, solver="lbfgs", max_iter=3).fit(X, y)
    assert (few.certificate_.status, few.n_iter_) == ("exhausted", 3)
    watched = MLPClassifier(32, solver="lbfgs", max_iter=1000).fit(X, y, validation=two(100, 1))
    assert watched.certificate_.status == "stopped early"
    best = min(watched.history_, key=lambda epoch: epoch.validation_loss)
    assert best.epoch <= watched.n_iter_ - watched.n_iter_no_change


def test_a_file_keeps_a_model_of_one_number_of_units(tmp_path):
    X, y = two()
    model = MLPClassifier(6, "identity", solver="lbfgs", max_iter=20).fit(X, y)
    model.save(tmp_path / "model.deciban")
    np.testing.assert_array_equal(load(tmp_path / "model.deciban").predict_proba(X), model.predict_proba(X))


@pytest.mark.parametrize("parameter", [{"dropout": 0.5}, {"clip_norm": 1.0}, {"weight_averaging": 0.9}])
def test_what_is_of_batches_is_refused(parameter):
    with pytest.raises(ValueError, match="dropout, clip_norm and weight_averaging are of steps by batches"):
        MLPClassifier(solver="lbfgs", **parameter).fit(*two())


def test_it_learns_in_no_batches():
    with pytest.raises(ValueError, match="takes all examples at once: choose 'adam' or 'descent'"):
        MLPClassifier(solver="lbfgs").partial_fit(*two())

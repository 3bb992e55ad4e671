"""What scikit-learn's users read off a network: its curves, its sizes, and probabilities that are exact when small."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.special import expit
from sklearn.exceptions import NotFittedError

from deciban import MLPClassifier, MLPRegressor, load
from laws.nets import clouds

X, Y = clouds(1, n=60)
NAMES = ("n_layers_", "n_outputs_", "out_activation_", "loss_curve_", "best_loss_")


@pytest.mark.parametrize("solver", ["adam", "descent", "lbfgs"])
def test_curves_are_those_of_the_epochs(solver):
    fitted = MLPClassifier((5, 3), solver=solver, max_iter=6, random_state=0).fit(X, Y)
    assert fitted.loss_curve_ == [epoch.loss for epoch in fitted.history_]
    assert fitted.best_loss_ == min(fitted.loss_curve_)
    assert fitted.validation_scores_ is fitted.best_validation_score_ is None
    assert (fitted.n_layers_, fitted.n_outputs_, fitted.out_activation_) == (4, 3, "softmax")


@pytest.mark.parametrize("estimator", [MLPClassifier, MLPRegressor])
def test_validation_data_have_a_curve_of_their_own(estimator):
    fitted = estimator(4, early_stopping=True, max_iter=5, random_state=0).fit(X, np.unique(Y, return_inverse=True)[1])
    assert fitted.best_loss_ is None
    if estimator is MLPClassifier:
        assert fitted.validation_scores_ == [1.0 - epoch.validation_error for epoch in fitted.history_]
        assert fitted.best_validation_score_ == max(fitted.validation_scores_)


def test_a_loaded_network_has_sizes_and_no_curve(tmp_path):
    fitted = MLPClassifier(4, max_iter=3, random_state=0).fit(X, Y)
    fitted.save(tmp_path / "network.deciban")
    loaded = load(tmp_path / "network.deciban")
    assert (loaded.n_layers_, loaded.n_outputs_) == (fitted.n_layers_, fitted.n_outputs_)
    assert (loaded.loss_curve_, loaded.best_loss_, loaded.validation_scores_) == ([], None, None)


@pytest.mark.parametrize("name", NAMES)
def test_before_a_fit_there_is_nothing_to_read(name):
    with pytest.raises(NotFittedError):
        getattr(MLPClassifier(), name)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_small_probabilities_of_many_labels_are_exact(dtype):
    labels = (np.unique(Y, return_inverse=True)[1][:, None] == [0, 1]).astype(int)
    fitted = MLPClassifier(4, max_iter=50, learning_rate=0.1, random_state=0, dtype=dtype).fit(X, labels)
    far = X * np.logspace(0.0, 3.0, len(X))[:, None]
    p = fitted.predict_proba(far)
    assert p.min() < 1e-12
    assert_allclose(np.log(p[p > 1e-300]), fitted.predict_log_proba(far)[p > 1e-300], rtol=1e-9, atol=1e-13)
    assert_allclose(p, expit(fitted._signals(far)), rtol=1e-13, atol=1e-300)
    assert ((p > 0.5) == fitted.predict(far)).all()

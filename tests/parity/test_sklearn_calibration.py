"""Platt's line and the isotonic curve beside scikit-learn's, on the same scores of a model that stays."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_breast_cancer
from sklearn.frozen import FrozenEstimator
from sklearn.isotonic import IsotonicRegression
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.preprocessing import StandardScaler

from deciban import CalibratedClassifier
from deciban.calibration.targets import of_two

MODELS = {"ridge": RidgeClassifier(), "logistic": LogisticRegression(C=0.01)}


@pytest.fixture(scope="module")
def tumours():
    X, y = load_breast_cancer(return_X_y=True)
    X = StandardScaler().fit_transform(X)[:, :3]
    return X[:200], y[:200], X[200:], y[200:]


@pytest.mark.parametrize("name", MODELS)
def test_platt(tumours, name):
    """Both correct the targets, and minimise the same."""
    train, y, X, truth = tumours
    model = FrozenEstimator(MODELS[name].fit(train, y))
    ours = CalibratedClassifier(model, "platt").fit(X, truth)
    theirs = CalibratedClassifierCV(model, method="sigmoid", ensemble=False, cv=2).fit(X, truth)
    assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-4)


def test_isotonic(tumours):
    """scikit-learn fits 0 and 1, and we the corrected targets."""
    train, y, X, truth = tumours
    model = FrozenEstimator(RidgeClassifier().fit(train, y))
    ours = CalibratedClassifier(model, "isotonic").fit(X, truth)
    f = model.decision_function(X)
    theirs = IsotonicRegression(y_min=0.0, y_max=1.0).fit(f, of_two(truth == 1, np.ones(len(f))))
    assert_allclose(ours.predict_proba(X)[:, 1], theirs.predict(f), atol=1e-9)


def test_a_classifier_with_log_probabilities_only(tumours):
    train, y, X, truth = tumours
    known = GaussianNB().fit(train, y)
    ours = CalibratedClassifier(FrozenEstimator(known), "platt").fit(X, truth)
    log_p = known.predict_log_proba(X)
    by_hand = ours.calibrator_.line(log_p[:, 1] - log_p[:, 0])
    assert_allclose(ours.decision_function(X), by_hand, atol=1e-9)

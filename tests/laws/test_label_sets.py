"""Several labels at once by least squares: each as if it were alone, and as scikit-learn's RidgeClassifier."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.linear_model import RidgeClassifier
from sklearn.multioutput import MultiOutputClassifier
from sklearn.utils.estimator_checks import check_classifier_multioutput, check_estimator

from deciban import LeastSquaresClassifier
from errors.refusals import refused


def sets(L=3, N=60, d=4, seed=0):
    """X (N, d), Y (N, L) of 0 and 1."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(N, d)) + 3.0
    scores = (X - 3.0) @ random.normal(size=(d, L)) + random.normal(size=(N, L))
    return X, (scores > 0.0).astype(int)


@pytest.mark.parametrize("L", [1, 2, 3, 7])
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("alpha", [1e-3, 1.0, 1e3])
def test_labels_are_those_of_ridge_classifier(L, form, alpha):
    X, Y = sets(L + 1)
    Y = Y[:, :L] if L > 1 else Y[:, :2]
    ours = LeastSquaresClassifier(2.0 * alpha).fit(form(X), Y)
    theirs = RidgeClassifier(alpha).fit(X, Y)
    assert_allclose(ours.decision_function(form(X)), theirs.decision_function(X), atol=1e-6)
    assert_array_equal(ours.predict(form(X)), theirs.predict(X))
    assert_array_equal(ours.classes_, theirs.classes_)
    assert_allclose(ours.coef_, theirs.coef_, atol=1e-6)
    assert ours.score(X, Y) == theirs.score(X, Y)
    assert ours.certificate_.relative_gap == pytest.approx(0.0, abs=1e-6)


@pytest.mark.parametrize(
    "given", [np.asarray, sparse.csr_matrix, sparse.csr_array, np.ndarray.tolist, np.bool_, np.float32]
)
def test_matrices_of_any_form(given):
    X, Y = sets()
    model = LeastSquaresClassifier().fit(X, given(Y))
    assert_array_equal(model.predict(X), LeastSquaresClassifier().fit(X, Y).predict(X))
    assert set(np.unique(model.predict(X))) <= {0, 1}


def test_each_label_is_as_if_alone_and_weights_are_repetition():
    X, Y = sets()
    times = np.random.default_rng(1).integers(0, 4, len(X))
    one = LeastSquaresClassifier(calibration=None).fit(X, Y, times)
    repeated = LeastSquaresClassifier(calibration=None).fit(np.repeat(X, times, axis=0), np.repeat(Y, times, axis=0))
    assert_allclose(one.decision_function(X), repeated.decision_function(X), atol=1e-9)
    alone = MultiOutputClassifier(LeastSquaresClassifier(calibration=None)).fit(X, Y, sample_weight=times)
    for k, each in enumerate(alone.estimators_):
        assert_allclose(one.decision_function(X)[:, k], each.decision_function(X), atol=1e-7)
    assert_array_equal(one.predict(X), alone.predict(X))
    balanced = LeastSquaresClassifier(class_weight="balanced").fit(X, Y)
    theirs = RidgeClassifier(0.5, class_weight="balanced").fit(X, Y)
    assert_allclose(balanced.decision_function(X), theirs.decision_function(X), atol=1e-6)


def test_single_precision_and_a_second_fit_of_one_label():
    X, Y = sets()
    model = LeastSquaresClassifier().fit(X.astype(np.float32), Y)
    assert model.decision_function(X.astype(np.float32)).dtype == np.float32
    again = model.fit(X, Y[:, 0])
    plain = LeastSquaresClassifier().fit(X, Y[:, 0])
    assert_array_equal(again.predict_proba(X), plain.predict_proba(X))
    assert vars(again).keys() - {"_seconds"} == vars(plain).keys() - {"_seconds"}


def test_what_there_is_not_of_sets_of_labels():
    X, Y = sets()
    model = LeastSquaresClassifier().fit(X, Y)
    with refused("y (N, L) must hold 0 and 1 for labels that are not there and there, got [1 2]", model=model):
        model.fit(X, Y + 1)
    assert not hasattr(model, "predict_proba")
    told = "there are no probabilities of sets of labels: fit each label of the matrix alone"
    with refused(told, AttributeError):
        model.predict_proba(X)
    with refused("explanations are of one label against another: fit each label of a matrix alone", AttributeError):
        model.explain(X)
    for act in (lambda: model.partial_fit(X, Y[:, 0]), lambda: model.forget(X, Y[:, 0]), lambda: model + model):
        with refused("learning in pieces is of y (N,); what was learnt is a matrix of labels: fit anew", model=model):
            act()


@pytest.mark.deep
def test_scikit_learn_finds_nothing_to_complain_about():
    results = check_estimator(LeastSquaresClassifier(), on_skip=None, on_fail=None)
    failed = [each["check_name"] for each in results if each["status"] == "failed"]
    assert failed == []
    check_classifier_multioutput("LeastSquaresClassifier", LeastSquaresClassifier())

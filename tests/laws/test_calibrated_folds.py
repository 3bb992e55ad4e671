"""Which examples a calibrator learns from: splitters of scikit-learn and pairs in any form, with the scores by hand."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn import model_selection as splitters
from sklearn.base import clone
from sklearn.feature_extraction import DictVectorizer
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from deciban import CalibratedClassifier, GaussianDiscriminant, LinearSVM, NaiveBayes, TextClassifier
from deciban.calibration import CATALOGUE
from deciban.conventions import DECIBANS_PER_NAT
from deciban.data.folds import folds_of_any

N = 48
Y = np.array(["a", "b"])[np.arange(N) % 2]
X = np.random.default_rng(5).normal(size=(N, 3)) + 1.2 * (Y == "b")[:, None]
GROUP = np.arange(N) // 8
WITHOUT_GROUPS = {
    "KFold": splitters.KFold(4),
    "KFold shuffled": splitters.KFold(3, shuffle=True, random_state=1),
    "StratifiedKFold": splitters.StratifiedKFold(3),
    "RepeatedStratifiedKFold": splitters.RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=0),
    "ShuffleSplit": splitters.ShuffleSplit(3, random_state=0),
    "StratifiedShuffleSplit": splitters.StratifiedShuffleSplit(3, random_state=0),
    "PredefinedSplit": splitters.PredefinedSplit(np.arange(N) % 3 - 1),
    "TimeSeriesSplit": splitters.TimeSeriesSplit(3),
    "LeaveOneOut": splitters.LeaveOneOut(),
}
WITH_GROUPS = {
    "GroupKFold": splitters.GroupKFold(3),
    "StratifiedGroupKFold": splitters.StratifiedGroupKFold(3),
    "LeaveOneGroupOut": splitters.LeaveOneGroupOut(),
    "GroupShuffleSplit": splitters.GroupShuffleSplit(3, random_state=0),
}
SPLITTERS = {**WITHOUT_GROUPS, **WITH_GROUPS}


def by_hand(method, model, X, y, weight, cv, groups=None):
    """The calibrator of scores that the splits hold out."""
    _, places = np.unique(y, return_inverse=True)
    s, truth, w = [], [], []
    for inside, outside in cv.split(X, y, groups):
        s.append(clone(model).fit(X[inside], y[inside], sample_weight=weight[inside]).decision_function(X[outside]))
        truth.append(places[outside])
        w.append(weight[outside])
    return CATALOGUE[method].fit(np.concatenate(s), np.concatenate(truth), np.concatenate(w))


def named(name):
    return {"groups": GROUP} if name in WITH_GROUPS else {}


@pytest.mark.parametrize("name", SPLITTERS)
def test_a_splitter_of_scikit_learn_holds_out(name):
    weight = np.random.default_rng(2).integers(1, 4, N).astype(float)
    cv, model = SPLITTERS[name], LinearSVM(calibration=None)
    found = CalibratedClassifier(model, "platt", cv=cv).fit(X, Y, weight, **named(name))
    expected = by_hand("platt", model, X, Y, weight, cv, **named(name))
    assert_allclose(found.predict_log_proba(X), expected(found.estimator_.decision_function(X)), atol=1e-9)
    assert type(cv).__name__ in str(found.certificate_.calibration)


@pytest.mark.parametrize("name", SPLITTERS)
def test_rows_of_no_weight_are_not_there_for_a_splitter(name):
    weight = (np.arange(N) % 7 > 0).astype(float)
    kept, cv = weight > 0, SPLITTERS[name]
    if name == "PredefinedSplit":
        return  # names places of its own
    one = CalibratedClassifier(GaussianDiscriminant(), "beta", cv=cv).fit(X, Y, weight, **named(name))
    groups = {"groups": GROUP[kept]} if named(name) else {}
    other = CalibratedClassifier(GaussianDiscriminant(), "beta", cv=cv).fit(X[kept], Y[kept], **groups)
    assert_array_equal(one.predict_proba(X), other.predict_proba(X))


def test_pairs_may_be_in_any_form():
    cv = splitters.KFold(3)
    pairs = list(cv.split(X))
    expected = CalibratedClassifier(GaussianDiscriminant(), "platt", cv=cv).fit(X, Y).predict_proba(X)
    forms = [
        pairs,
        cv.split(X),
        [list(pair) for pair in pairs],
        [[rows.tolist() for rows in pair] for pair in pairs],
        tuple(pairs),
        [tuple(np.isin(np.arange(N), rows) for rows in pair) for pair in pairs],
        [tuple(rows - N for rows in pair) for pair in pairs],
    ]
    for form in forms:
        assert_array_equal(
            CalibratedClassifier(GaussianDiscriminant(), "platt", cv=form).fit(X, Y).predict_proba(X), expected
        )


def test_none_is_five_folds():
    one, other = (CalibratedClassifier(GaussianDiscriminant(), cv=cv).fit(X, Y) for cv in (None, 5))
    assert_array_equal(one.predict_proba(X), other.predict_proba(X))
    assert one.certificate_.calibration == other.certificate_.calibration


def test_who_is_held_out_twice_is_never_judged_by_a_calibrator_that_learnt_it():
    """Labels are drawn by lot: what knows them by heart would seem best."""
    random = np.random.default_rng(0)
    X, y = random.normal(size=(60, 1)), random.integers(0, 2, 60)
    cv = splitters.RepeatedKFold(n_splits=3, n_repeats=4, random_state=0)
    found = CalibratedClassifier(GaussianNB(), "auto", cv=cv).fit(X, y)
    assert found.tried_[0].log_loss > np.log(2.0) - 0.02
    assert found.held_out_ == 4 * 60


def test_texts_and_groups():
    texts = [f"cheap pills {i}" if i % 2 else f"lunch at noon {i}" for i in range(24)]
    labels = ["spam" if i % 2 else "ham" for i in range(24)]
    model = CalibratedClassifier(TextClassifier("naive-bayes"), "platt", cv=splitters.GroupKFold(3))
    found = model.fit(texts, labels, groups=np.arange(24) // 4)
    why = found.explain(["cheap lunch"])[0]
    p = found.predict_log_proba(["cheap lunch"])[0]
    assert why.decibans == pytest.approx(DECIBANS_PER_NAT * abs(p[1] - p[0]))


def test_examples_may_be_mappings_and_equal_ones_share_a_fold():
    rows = [{"state": "NY", "age": 3.0}, {"age": 3.0, "state": "NY"}, {"state": "TX", "age": 1.0}, {"state": "VT"}] * 6
    labels = [1, 1, 0, 0] * 6
    fitted = CalibratedClassifier(make_pipeline(DictVectorizer(), NaiveBayes("multinomial")), "platt", cv=3).fit(
        rows, labels
    )
    assert fitted.predict(rows).tolist() == labels
    assert not hasattr(fitted, "n_features_in_")
    fold = folds_of_any(rows, 3, 0)
    assert len(set(fold[0::4]) | set(fold[1::4])) == 1


@pytest.mark.parametrize("shape", [(15, 2, 2), (15, 3, 2, 2)])
def test_examples_may_be_arrays_of_more_dimensions(shape):
    X = np.arange(np.prod(shape), dtype=float).reshape(shape) % 7.0
    labels = np.arange(15) % 2
    flat = make_pipeline(FunctionTransformer(lambda A: A.reshape(len(A), -1)), NaiveBayes("gaussian"))
    fitted = CalibratedClassifier(flat, "platt", cv=3).fit(X, labels)
    whole = CalibratedClassifier(NaiveBayes("gaussian"), "platt", cv=3).fit(X.reshape(15, -1), labels)
    assert_array_equal(fitted.predict_proba(X), whole.predict_proba(X.reshape(15, -1)))

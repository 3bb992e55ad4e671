"""Weights and groups reach who is to have them: through pipelines, searches and scikit-learn's metadata routing."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn import config_context
from sklearn.base import clone, is_classifier
from sklearn.calibration import CalibratedClassifierCV
from sklearn.exceptions import UnsetMetadataPassedError
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression as TheirLogisticRegression
from sklearn.model_selection import GridSearchCV, GroupKFold, LeaveOneGroupOut, cross_validate
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler
from sklearn.utils.metadata_routing import get_routing_for_object
from sklearn.utils.validation import has_fit_parameter

from deciban import (
    CalibratedClassifier,
    GaussianDiscriminant,
    LinearSVM,
    LogisticRegression,
    NaiveBayes,
    find_label_errors,
)
from laws.estimators import answers, over

N = 60
GROUP = np.repeat(np.arange(6), 10)


@pytest.fixture
def routing():
    with config_context(enable_metadata_routing=True):
        yield


def rows(seed=0):
    random = np.random.default_rng(seed)
    y = np.arange(N) % 2
    return random.normal(size=(N, 3)) + 1.2 * y[:, None], np.array(["a", "b"])[y], random.integers(0, 4, N)


def weighed(model):
    """The model, and one inside it, asks for weights."""
    for each in (model, getattr(model, "model", None)):
        if hasattr(each, "set_fit_request"):
            each.set_fit_request(sample_weight=True)
    return model


def piped(last):
    """The model behind a step that changes nothing."""
    return Pipeline([("same", FunctionTransformer()), ("last", last)])


@pytest.mark.parametrize("last", [GaussianDiscriminant(), LinearSVM(), TheirLogisticRegression()], ids=repr)
@pytest.mark.parametrize("cv", [3, "held-out", GroupKFold(3)], ids=str)
def test_weights_reach_the_last_step_of_a_pipeline(last, cv):
    X, y, w = rows()
    groups = {"groups": GROUP} if isinstance(cv, GroupKFold) else {}
    alone = CalibratedClassifier(
        last.set_params(calibration=None) if "calibration" in last.get_params() else last, "platt", cv=cv
    )
    alone.fit(X, y, w, **groups)
    inside = clone(last)
    for model in (piped(inside), piped(piped(inside)), GridSearchCV(piped(inside), {}, cv=2)):
        found = CalibratedClassifier(model, "platt", cv=cv).fit(X, y, sample_weight=w, **groups)
        assert_array_equal(found.predict_proba(X), alone.predict_proba(X))
    again = CalibratedClassifier(piped(inside), "platt", cv=cv).fit(X, y, **groups)
    assert (again.predict_proba(X) != alone.predict_proba(X)).any()


def test_weights_in_a_pipeline_are_repetition():
    X, y, w = rows()
    model = CalibratedClassifier(piped(NaiveBayes("gaussian")), "isotonic", cv=3)
    one, other = clone(model).fit(X, y, w), clone(model).fit(np.repeat(X, w, axis=0), np.repeat(y, w))
    assert one.held_out_ == other.held_out_ == w.sum()
    np.testing.assert_allclose(one.predict_proba(X), other.predict_proba(X), rtol=1e-9)


def test_parameters_of_a_step_go_to_that_step_and_are_cut_with_the_rows():
    X, y, w = rows()
    model = CalibratedClassifier(make_pipeline(StandardScaler(), NaiveBayes("gaussian")), "platt", cv=3)
    found = model.fit(X, y, standardscaler__sample_weight=w + 1, naivebayes__sample_weight=w + 1)
    assert_array_equal(found.estimator_[0].mean_, StandardScaler().fit(X, sample_weight=w + 1).mean_)
    assert found.held_out_ == N
    assert found.estimator_[1].certificate_.n == (w + 1).sum()


def test_a_frozen_pipeline_leaves_the_weights_to_the_calibrator():
    X, y, w = rows()
    known = piped(GaussianDiscriminant()).fit(X, y)
    one = CalibratedClassifier(FrozenEstimator(known), "platt").fit(X, y, w)
    other = CalibratedClassifier(piped(FrozenEstimator(GaussianDiscriminant().fit(X, y))), "platt").fit(X, y, w)
    assert_array_equal(one.predict_proba(X), other.predict_proba(X))


@over()
def test_every_fit_with_weights_may_request_them(case, routing):
    if not has_fit_parameter(case.estimator, "sample_weight"):
        assert not hasattr(case.estimator, "set_fit_request") or "sample_weight" not in str(
            get_routing_for_object(case.estimator).fit.requests
        )
        return
    X, y = case.learn()
    w = np.random.default_rng(3).integers(1, 4, len(X)).astype(float)
    with config_context(enable_metadata_routing=False):
        alone = case.new().fit(X, y, sample_weight=w)
    model = Pipeline([("model", weighed(case.new()))]).fit(X, y, sample_weight=w)
    for name, value in answers(alone, X).items():
        assert_array_equal(answers(model[-1], X)[name], value, err_msg=name)
    assert "X" not in str(get_routing_for_object(case.estimator))
    assert "texts" not in str(get_routing_for_object(case.estimator))


@over()
def test_every_classifier_gets_weights_through_the_meta_estimator(case, routing):
    if not is_classifier(case.estimator) or not has_fit_parameter(case.estimator, "sample_weight"):
        return
    X, y = case.learn()
    w = np.random.default_rng(3).integers(0, 4, len(X)).astype(float)
    with config_context(enable_metadata_routing=False):
        alone = CalibratedClassifier(case.new(), "temperature", cv=2).fit(X, y, w)
    routed = CalibratedClassifier(weighed(case.new()), "temperature", cv=2)
    found = Pipeline([("model", weighed(routed))]).fit(X, y, sample_weight=w)
    assert_array_equal(found.predict_proba(X), alone.predict_proba(X))


def test_who_does_not_ask_gets_nothing_and_who_is_not_asked_says_so(routing):
    X, y, w = rows()
    with pytest.raises(UnsetMetadataPassedError, match="sample_weight"):
        CalibratedClassifier(LogisticRegression(), cv=3).fit(X, y, sample_weight=w)
    without = CalibratedClassifier(LogisticRegression().set_fit_request(sample_weight=False), "platt", cv=3)
    without.fit(X, y, sample_weight=w + 1)
    assert_array_equal(without.estimator_.coef_, LogisticRegression().fit(X, y).coef_)
    assert without.held_out_ == (w + 1).sum()
    with pytest.raises(TypeError, match="unknown"):
        CalibratedClassifier(LogisticRegression(), cv=3).fit(X, y, unknown=w)


def test_another_name_is_taken_for_the_weights(routing):
    X, y, w = rows()
    model = CalibratedClassifier(NaiveBayes("gaussian").set_fit_request(sample_weight="times"), "platt", cv=3)
    assert model.fit(X, y, times=w + 1).estimator_.certificate_.n == (w + 1).sum()
    assert model.held_out_ == N


def test_the_default_model_asks_for_weights(routing):
    X, y, w = rows()
    with config_context(enable_metadata_routing=False):
        alone = CalibratedClassifier(method="platt", cv=3).fit(X, y, w)
    assert_array_equal(CalibratedClassifier(method="platt", cv=3).fit(X, y, w).predict_proba(X), alone.predict_proba(X))


def test_routing_goes_through_searches_and_pipelines_down_to_the_splitter(routing):
    X, y, w = rows()
    w = w + 1.0
    inner = make_pipeline(StandardScaler().set_fit_request(sample_weight=True), weighed(GaussianDiscriminant()))
    model = CalibratedClassifier(inner, "platt", cv=LeaveOneGroupOut()).set_fit_request(sample_weight=True)
    found = model.fit(X, y, sample_weight=w, groups=GROUP)
    assert_array_equal(found.estimator_[0].mean_, StandardScaler().fit(X, sample_weight=w).mean_)
    assert found.held_out_ == w.sum()
    search = GridSearchCV(model.set_score_request(sample_weight=True), {"method": ["platt", "beta"]}, cv=GroupKFold(3))
    search.fit(X, y, sample_weight=w, groups=GROUP)
    assert_array_equal(search.best_estimator_.estimator_[0].mean_, found.estimator_[0].mean_)
    scores = cross_validate(model, X, y, cv=GroupKFold(3), params={"sample_weight": w, "groups": GROUP})
    assert np.isfinite(scores["test_score"]).all()


def test_who_requests_what_is_told_as_scikit_learn_tells_it(routing):
    ours = CalibratedClassifier(weighed(GaussianDiscriminant()), cv=GroupKFold(3)).get_metadata_routing()
    theirs = CalibratedClassifierCV(weighed(GaussianDiscriminant()), cv=GroupKFold(3)).get_metadata_routing()
    consumed = ("sample_weight", "groups", "other")
    assert ours.consumes("fit", consumed) == theirs.consumes("fit", consumed) == {"sample_weight", "groups"}


def test_labels_are_doubted_through_pipelines_with_weights():
    X, y, w = rows()
    one = find_label_errors(GaussianDiscriminant(), X, y, w + 1)
    other = find_label_errors(piped(GaussianDiscriminant()), X, y, w + 1)
    assert [each.place for each in one] == [each.place for each in other]
    assert [each.decibans for each in one] == [each.decibans for each in other]
    with config_context(enable_metadata_routing=True):
        routed = find_label_errors(piped(weighed(GaussianDiscriminant())), X, y, w + 1)
    assert [each.decibans for each in routed] == [each.decibans for each in one]

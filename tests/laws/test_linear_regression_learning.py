"""Laws of least squares that learns in pieces: learning is +, unlearning −, for numbers and for labels."""

import numpy as np
import pytest
from hypothesis import assume, given
from lines import FORMS, SUMS, few, lines, model, over, seeds, weights
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.utils.estimator_checks import check_estimator

from deciban.models.least_squares import LinearRegression
from deciban.models.least_squares_classifier import LeastSquaresClassifier

LABELS = np.array(["ant", "bee", "cat"])
CLASSIFIERS = {
    "plain": {},
    "unpenalised": {"alpha": 0.0, "calibration": None},
    "weighted": {"class_weight": {"ant": 2.0, "cat": 0.5}},
    "through the origin": {"fit_intercept": False},
}


def alike(one, other, X, share=1e-10):
    assert_allclose(one.coef_, other.coef_, rtol=share, atol=share)
    assert_allclose(one.intercept_, other.intercept_, rtol=share, atol=share)
    assert one.certificate_.primal == pytest.approx(
        other.certificate_.primal, rel=1e-9 if share < 1e-9 else 1e-7, abs=1e-9
    )
    judge = "decision_function" if hasattr(one, "classes_") else "predict"
    assert_allclose(getattr(one, judge)(X), getattr(other, judge)(X), rtol=1e-9, atol=1e-9)


def pieces(N):
    return [slice(0, N // 3), slice(N // 3, N // 2), slice(N // 2, N)]


@over(SUMS)
@pytest.mark.parametrize("K", [1, 2])
@pytest.mark.parametrize("intercept", [True, False])
@few
@given(seed=seeds)
def test_learnt_in_pieces_is_learnt_at_once(options, K, intercept, seed):
    X, Y = lines(seed, K=K, offset=20.0)
    w = weights(seed, len(X))
    new = lambda: model(options, fit_intercept=intercept)  # noqa: E731
    whole = new().fit(X, Y, w)
    parts = [new().fit(X[p], Y[p], w[p]) for p in pieces(len(X))]
    alike(sum(parts), whole, X)
    alike(parts[2] + parts[0] + parts[1], whole, X)
    growing = new()
    for form, p in zip(FORMS.values(), pieces(len(X)), strict=False):
        growing.partial_fit(form(X[p]), Y[p], w[p])
    alike(growing, whole, X)
    one = new()
    for i in range(len(X)):
        one.partial_fit(X[[i]], Y[[i]], w[[i]])
    alike(one, whole, X)
    assert one.certificate_.relative_gap < 1e-9
    assert one.rank_ == 5


@over(SUMS)
@few
@given(seed=seeds)
def test_forgotten_was_never_learnt(options, seed):
    X, y = lines(seed, offset=20.0)
    w, kept = weights(seed, len(y)), slice(40)
    never = model(options).fit(X[kept], y[kept], w[kept])
    alike(model(options).fit(X, y, w).forget(X[40:], y[40:], w[40:]), never, X, 1e-9)
    learnt = model(options).fit(X[kept], y[kept], w[kept])
    alike(learnt.partial_fit(10.0 * X, y).forget(10.0 * X, y), never, X, 1e-9)


def test_digits_survive_far_from_zero():
    X, y = lines(1)
    near, far = LinearRegression().partial_fit(X, y), LinearRegression()
    for p in pieces(len(y)):
        far.partial_fit(X[p] + 2.0**20, y[p] + 2.0**20)
    assert_allclose(far.coef_, near.coef_, rtol=1e-8)


def test_blocks_of_correlated_rows_add_up():
    X, y = lines(2)
    V = np.full((60, 60), 0.5) + 0.5 * np.eye(60)
    V[:30, 30:] = V[30:, :30] = 0.0
    whole = LinearRegression().fit(X, y, covariance=V)
    halves = [LinearRegression().fit(X[h], y[h], covariance=V[h, h]) for h in (slice(30), slice(30, 60))]
    alike(sum(halves), whole, X)


def labelled(seed, N=120):
    X, Y = lines(seed, N, K=3, noise=1.0)
    return X, Y.argmax(axis=1)


@over(CLASSIFIERS)
@few
@given(seed=seeds)
def test_a_classifier_learns_in_pieces_and_forgets(options, seed):
    X, y = labelled(seed)
    w = weights(seed, len(y))
    new = lambda: LeastSquaresClassifier(**options)  # noqa: E731
    whole = new().fit(X, LABELS[y], w)
    order = np.argsort(y, kind="stable")  # classes come one after the other
    growing, total = new(), None
    for form, p in zip(FORMS.values(), np.array_split(order, 4), strict=True):
        growing.partial_fit(form(X[p]), LABELS[y[p]], sample_weight=w[p])
        part = new().partial_fit(X[p], LABELS[y[p]], sample_weight=w[p])
        total = part if total is None else total + part
    alike(growing, whole, X)
    alike(total, whole, X)
    assert_array_equal(growing.predict(X), whole.predict(X))
    cats = y == 2
    assume(cats.any())
    without = new().set_params(**({"class_weight": {"ant": 2.0}} if "class_weight" in options else {}))
    without.fit(X[~cats], LABELS[y[~cats]], w[~cats])
    alike(growing.forget(X[cats], LABELS[y[cats]], w[cats]), without, X, 1e-9)
    assert growing.classes_.tolist() == ["ant", "bee"]
    declared = new().partial_fit(X[cats], LABELS[y[cats]], classes=LABELS)
    assert declared.classes_.tolist() == LABELS.tolist()
    assert set(declared.predict(X)) <= set(LABELS)


@over(CLASSIFIERS)
@few
@given(seed=seeds)
def test_a_classifier_is_a_regression_on_signs(options, seed):
    X, y = labelled(seed)
    w = np.array([2.0, 1.0, 0.5])[y] if "class_weight" in options else np.ones(len(y))
    fitted = LeastSquaresClassifier(**options).fit(X, LABELS[y])
    alpha, intercept = options.get("alpha", 1.0), options.get("fit_intercept", True)
    twin = LinearRegression(penalty="l2", alpha=alpha, fit_intercept=intercept).fit(X, 2.0 * np.eye(3)[y] - 1.0, w)
    assert_allclose(fitted.coef_, twin.coef_, rtol=1e-9, atol=1e-10)
    assert_allclose(fitted.decision_function(X), twin.predict(X), rtol=1e-9, atol=1e-9)
    assert fitted.certificate_.relative_gap < 1e-9
    two = y < 2
    options = {**options, "class_weight": {"ant": 2.0}} if "class_weight" in options else options
    pair = LeastSquaresClassifier(**options).fit(X[two], LABELS[y[two]])
    twin = LinearRegression(penalty="l2", alpha=alpha, fit_intercept=intercept).fit(X[two], 2.0 * y[two] - 1.0, w[two])
    assert_allclose(pair.decision_function(X), twin.predict(X), rtol=1e-9, atol=1e-9)


def test_calibration_holds_rows_out_whatever_the_container_and_the_order():
    X, y = labelled(3, N=400)
    random = np.random.default_rng(3)
    order, w = random.permutation(400), weights(3, 400)
    again = np.repeat(np.arange(400), w.astype(int))
    one = LeastSquaresClassifier().fit(X, y, w)
    for other in (
        LeastSquaresClassifier().fit(X[order], y[order], w[order]),
        LeastSquaresClassifier().fit(X[again], y[again]),
        LeastSquaresClassifier().fit(FORMS["CSR"](X), y, w),
    ):
        assert other.temperature_ == pytest.approx(one.temperature_, rel=1e-9)
    p = one.predict_proba(X)
    assert_array_equal(one.classes_[p.argmax(axis=1)], one.predict(X))
    own = -np.log(p[np.arange(400), y]).mean()
    one.temperature_ *= 3.0
    assert own < -np.log(one.predict_proba(X)[np.arange(400), y]).mean()


@pytest.mark.deep
def test_scikit_learn_accepts_the_classifier():
    results = check_estimator(LeastSquaresClassifier(), on_skip=None, on_fail="raise")
    # of several labels there are no probabilities, as in scikit-learn's RidgeClassifier
    without = {"check_array_api_input", "check_classifiers_multilabel_output_format_predict_proba"}
    assert {result["check_name"] for result in results if result["status"] == "skipped"} <= without
    assert len(results) >= 64

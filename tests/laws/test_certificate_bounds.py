"""Laws of bounds that take the examples, of examples held out, and of models that were chosen."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone

import deciban
from deciban import (
    CalibratedClassifier,
    GaussianDiscriminant,
    LeastSquaresClassifier,
    LinearRegression,
    LinearSVM,
    NaiveBayes,
    TextClassifier,
    theory,
)
from deciban.certificates.bound import NAMES, Bound, best_bound
from deciban.certificates.certificate import Certificate
from deciban.certificates.guarantees import EACH, bound_held_out
from laws.certificates import EVERY, REGRESSIONS, SEPARATED, TEXTS, data, fitted, rows


def value(model, name):
    return model.certificate_.bound(name).value


def asked(name, model, X, y, **options):
    """A bound, with the examples."""
    return dict(zip(NAMES, model.bounds(X, y, **options), strict=True))[name]


# --- what takes the examples -------------------------------------------------------------------------------


ASKED = [name for name in EVERY if hasattr(EVERY[name], "bounds") and not name.startswith("stream")]


@pytest.mark.parametrize("name", ASKED)
def test_with_the_examples_bounds_are_those_of_the_certificate_and_more(name):
    model, (X, y) = fitted(name), data(name)
    before = model.certificate_.to_json()
    found = dict(zip(NAMES, model.bounds(X, y), strict=True))
    assert [each.name for each in found.values()] == list(NAMES)
    assert model.certificate_.to_json() == before
    for bound, known in zip(found.values(), model.certificate_.bounds, strict=True):
        assert bound.value == known.value or known.value is None or name in SEPARATED
        assert bound.applies == known.applies
        if bound.applies and bound.name != "held-out":
            assert bound.value is not None
    if name not in REGRESSIONS and found["vc"].applies:
        assert found["vc"].value == pytest.approx(found["vc"].excess + 1.0 - model.score(X, y))


@pytest.mark.parametrize("name", ["logistic-l2", "svm-hinge", "machine-linear", "machine-of-a-number"])
def test_the_margin_bound_is_that_of_the_theory(name):
    model, (X, y) = fitted(name), data(name)
    found = asked("pac-bayes margin", model, X, y)
    assert found.value == pytest.approx(float(theory.pac_bayes(theory.normalised_margins(model, X, y), EACH)))


LEFT_OUT = {
    "multinomial": (NaiveBayes("multinomial"), 2),
    "gaussian": (NaiveBayes("gaussian"), 3),
    "poisson": (NaiveBayes("poisson", estimate="map", alpha=2.0), 2),
    "discriminant": (GaussianDiscriminant(), 3),
    "per class": (GaussianDiscriminant(covariance="per_class", estimate="bayes"), 2),
    "least squares": (LeastSquaresClassifier(3.0, calibration=None), 2),
    "least squares of three": (LeastSquaresClassifier(0.5, calibration=None), 3),
    "through the origin": (LeastSquaresClassifier(0.0, fit_intercept=False, calibration=None), 2),
}


@pytest.mark.parametrize("name", LEFT_OUT)
@pytest.mark.parametrize("seed", [0, 1])
def test_leaving_one_out_is_learning_all_others(name, seed):
    model, C = LEFT_OUT[name]
    X, y = rows(C, seed)
    X, y = X[:21], y[:21]
    wrong = 0
    for i in range(len(y)):
        rest = np.arange(len(y)) != i
        wrong += clone(model).fit(X[rest], y[rest]).predict(X[[i]])[0] != y[i]
    found = asked("leave-one-out", clone(model).fit(X, y), X, y)
    assert found.value == pytest.approx(wrong / len(y))
    assert found.delta is None


RIDGES = {"plain": {}, "ridge": {"penalty": "l2", "alpha": 4.0}, "origin": {"fit_intercept": False}}


@pytest.mark.parametrize("options", RIDGES.values(), ids=RIDGES.keys())
@pytest.mark.parametrize("K", [1, 2])
def test_residuals_without_an_example_are_those_of_the_others(options, K):
    X, _ = rows()
    y = np.column_stack([X[:, 0] ** 2, X[:, 1]])[:, :K]
    y = y[:, 0] if K == 1 else y
    model, squares = LinearRegression(**options), []
    for i in range(len(y)):
        rest = np.arange(len(y)) != i
        squares.append(np.square(y[i] - clone(model).fit(X[rest], y[rest]).predict(X[[i]])[0]).sum())
    found = asked("leave-one-out", model.fit(X, y), X, y)
    assert found.value == pytest.approx(np.mean(squares), rel=1e-9)


def test_texts_are_unlearnt_one_by_one():
    texts, labels = data("texts-whole")
    model = clone(fitted("texts-whole")).set_params(model="naive-bayes", calibration=None).fit(texts, labels)
    wrong = 0
    for i in range(len(texts)):
        part = texts[:i] + texts[i + 1 :], labels[:i] + labels[i + 1 :]
        rest = clone(model).fit(*part)
        wrong += rest.predict([texts[i]])[0] != labels[i]
    found = asked("leave-one-out", model, texts, labels)
    assert found.value == pytest.approx(wrong / len(texts))


def test_of_many_examples_each_is_left_out_where_one_asks():
    X, y = rows()
    X, y = np.tile(X, (51, 1)), np.tile(y, 51)
    model = NaiveBayes("poisson").fit(X, y)
    found = asked("leave-one-out", model, X, y)
    assert (found.applies, found.value) == (True, None)
    assert found.condition == "of more than 2,000 examples it is found with leave_one_out=True"
    few = NaiveBayes("poisson").fit(*rows())
    assert asked("leave-one-out", few, *rows(), leave_one_out=False).value is None


def test_why_least_squares_leaves_none_out():
    X, y = rows()
    weighed = LeastSquaresClassifier(class_weight={0: 2.0}, calibration=None).fit(X, y).certificate_
    assert weighed.bound("leave-one-out").condition == "class weights make an example count for more than one"
    lasso = LinearRegression(penalty="l1").fit(X, y).certificate_
    assert lasso.bound("leave-one-out").condition == "it is exact for least squares without a penalty, or with 'l2'"
    apart = np.abs(np.subtract.outer(np.arange(len(y)), np.arange(len(y))))
    tied = LinearRegression().fit(X, y, covariance=np.exp(-apart)).certificate_
    assert tied.bound("leave-one-out").condition == "a covariance ties the errors of examples together"


# --- held out, and chosen ----------------------------------------------------------------------------------


def test_errors_on_examples_held_out_have_the_exact_bound():
    X, y = rows(seed=1)
    model = fitted("logistic-l2")
    found = asked("held-out", model, *rows(), held_out=(X, y))
    wrong = int((model.predict(X) != y).sum())
    assert found.value == float(theory.binomial(wrong, len(y), EACH))
    assert f"{wrong:,} errors on {len(y):,} held out" in found.condition


@given(n=st.integers(1, 10**6), share=st.floats(0.0, 1.0), tried=st.integers(1, 9))
def test_a_choice_among_more_costs_more(n, share, tried):
    errors = int(share * n)
    one, more = bound_held_out(errors, n), bound_held_out(errors, n, tried + 1)
    assert errors / n <= one.value <= more.value <= 1.0
    assert more.value == float(theory.binomial(errors, n, EACH / (tried + 1)))
    assert bound_held_out(errors, n + 1, tried).value <= bound_held_out(errors, n, tried).value


def test_the_best_bound_is_told():
    sure, mean = Bound("vc", True, 0.4, delta=0.1), Bound("support vectors", True, 0.1)
    assert best_bound((sure, mean, Bound("compression", True, 0.3, delta=0.1))) == "error ≤ 0.3 (compression, 95 %)"
    assert (
        best_bound((Bound("vc", True, 1.2, delta=0.1, vacuous="so"), mean)) == "expected error ≤ 0.1 (support vectors)"
    )
    assert best_bound((Bound("vc", True, excess=0.2, delta=0.1),)) == "error ≤ training error + 0.2 (vc, 95 %)"
    assert best_bound((Bound("vc", True, 1.2, delta=0.1, vacuous="so"),)) == "no bound below 1"
    assert best_bound((Bound("held-out", True),)) == "no bound without more examples"
    assert best_bound((Bound("vc", False),)) == "no bound applies"


@pytest.fixture(scope="module")
def chosen():
    """A classifier of texts that was chosen among all, and what it learnt."""
    random = np.random.default_rng(3)
    texts = [" ".join(f"w{k}" for k in random.integers(0, 60, 3)) for _ in range(250)]
    labels = ["even" if text[1] in "02468" else "odd" for text in texts]
    return TextClassifier(time_limit=None).fit(texts, labels), texts, labels


def test_a_model_that_was_chosen_tells_its_errors_on_what_was_held_out(chosen, tmp_path):
    model, texts, _ = chosen
    found = model.certificate_.bound("held-out")
    tried = next(each for each in model.tried_ if each.model == model.model_.name)
    assert found.value == bound_held_out(tried.error * tried.n, tried.n, 4).value
    assert (tried.n + tried.learnt, len(model.tried_)) == (len(texts), 4)
    assert f"held out, the best of 4 tried; of the model that learnt {tried.learnt:,.10g} others" in found.condition
    model.save(tmp_path / "m.deciban")
    assert deciban.load(tmp_path / "m.deciban").certificate_.to_json() == model.certificate_.to_json()
    assert "(held-out, 95 %)" in str(model.certificate_)


def test_what_the_choice_told_stays_when_texts_are_learnt_and_forgotten(chosen):
    _, texts, labels = chosen
    model = TextClassifier(time_limit=0.0).fit(texts, labels)
    assert model.model_.name == "naive-bayes"
    before = model.certificate_.to_json()
    assert "held out;" in model.certificate_.bound("held-out").condition
    model.partial_fit(["w1 w2"], ["odd"]).forget(["w1 w2"], ["odd"])
    assert model.certificate_.to_json() == before


# --- wrong arguments ---------------------------------------------------------------------------------------


def test_what_is_refused():
    X, y = rows()
    model = fitted("logistic-l2")
    for wrong, said in (
        ((X[:3], y[:3]), "the examples that were learnt are expected, of weight 40, each once; got 3 and 3 labels"),
        ((X, y[:3]), "the examples that were learnt are expected, of weight 40, each once; got 40 and 3 labels"),
        ((X, y + 5), r"labels \[0, 1\] are expected, got 5"),
    ):
        with pytest.raises(ValueError, match=said):
            model.bounds(*wrong)
    with pytest.raises(ValueError, match=r"held_out must be \(X, y\), got int"):
        model.bounds(X, y, held_out=3)
    with pytest.raises(ValueError, match="one label per example, at least one; got 40 and 0"):
        model.bounds(X, y, held_out=(X, []))
    with pytest.raises(ValueError, match="held_out is for classifiers"):
        fitted("ridge").bounds(*data("ridge"), held_out=data("ridge"))
    assert TEXTS


def test_bounds_that_do_not_apply_for_one_reason_are_told_together():
    told = fitted("bayes-poisson").certificate_.lines()
    assert "             support vectors, compression: do not apply: every example has a say in what was learnt" in told
    headings = [line[:13].strip() for line in told]
    assert headings.count("bounds") == headings.count("calibration") == 1
    proof = fitted("svm-margins").certificate_
    assert proof.lines()[-3].strip().endswith("hold together with probability 95 %")
    assert proof.lines()[-2] == "calibration  none: only margins"


@pytest.mark.parametrize("method", ["temperature", "platt", "beta", "isotonic", "auto"])
def test_a_calibrator_behind_a_model_is_told_and_its_bounds_hold_as_far_as_it_leaves_them(method):
    X, y = rows()
    model = CalibratedClassifier(LinearSVM(calibration=None), method, cv=3, random_state=0).fit(X, y)
    proof, alone = model.certificate_, model.estimator_.certificate_
    assert proof.calibration.how == f"{model.method_} on 3 folds"
    assert proof.calibration.log_loss == (model.tried_[0].log_loss if method == "auto" else None)
    assert Certificate.from_json(proof.to_json(), 4).to_json() == proof.to_json()
    stays = model.method_ == "temperature"
    for name in ("support vectors", "compression"):
        assert proof.bound(name).applies == stays
    assert proof.bound("vc").excess == alone.bound("vc").excess
    assert proof.training_error == (alone.training_error if stays else None)

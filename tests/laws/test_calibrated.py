"""Laws of classifiers with a calibrator behind them: decisions agree, evidence sums, nobody judges what he learnt."""

import pickle

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import RandomForestClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import RidgeClassifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import check_estimator

from deciban import (
    NBSVM,
    SVM,
    CalibratedClassifier,
    GaussianDiscriminant,
    LeastSquaresClassifier,
    LinearSVM,
    LogisticRegression,
    NaiveBayes,
    Perceptron,
    TextClassifier,
)
from deciban.calibration import CATALOGUE
from laws.declared import clouds, seeds
from tiers import examples

OURS = {
    "naive Bayes": NaiveBayes("gaussian"),
    "discriminant": GaussianDiscriminant(),
    "logistic": LogisticRegression(),
    "linear SVM": LinearSVM(0.1),
    "NBSVM": NBSVM(loss="hinge"),
    "perceptron": Perceptron(max_iter=50),
    "least squares": LeastSquaresClassifier(),
    "SVM": SVM(),
    "SVM against the rest": SVM(multi_class="ovr"),
    "frozen": None,
}
THEIRS = {
    "ridge": RidgeClassifier(),
    "forest": RandomForestClassifier(5, max_depth=3, random_state=0),
}
METHODS = [*CATALOGUE, "auto"]
over = pytest.mark.parametrize("method", METHODS)
classes = pytest.mark.parametrize("C", [2, 3])


def calibrated(name, X, y, method="auto", **more):
    """The calibrated model of this name, fitted; "frozen" is one that was fitted before."""
    frozen = FrozenEstimator(LinearSVM(0.1).fit(X, y)) if name == "frozen" else None
    return CalibratedClassifier(frozen or {**OURS, **THEIRS}[name], method, **{"cv": 3, **more}).fit(X, y)


def agree(model, X):
    """Whatever is asked, the decision is the same."""
    p, log_p, s = model.predict_proba(X), model.predict_log_proba(X), model.decision_function(X)
    assert np.isfinite(log_p).all()
    assert_allclose(p.sum(axis=1), 1.0, rtol=1e-12)
    assert_array_equal(model.predict(X), model.classes_[p.argmax(axis=1)])
    if len(model.classes_) == 2:
        assert_array_equal(model.predict(X), model.classes_[(p[:, 1] > 0.5).astype(int)])
        assert_array_equal(model.predict(X), model.classes_[(s > 0.0).astype(int)])
    else:
        assert_array_equal(s, log_p)


@over
@classes
@pytest.mark.parametrize("name", ["naive Bayes", "ridge", "forest"])
def test_the_decision_is_the_largest_probability(name, C, method):
    X, y = clouds(1, N=60, C=C)
    agree(calibrated(name, X, np.array(["a", "b", "c"])[y], method), np.vstack([X, 100.0 * X[:5], 0.0 * X[:1]]))


@given(seed=seeds)
@examples(10)
def test_the_decision_is_the_largest_probability_at_even_odds(seed):
    """Where log-odds are as small as rounding."""
    X = np.array([[-2.0], [-1.0], [1.0], [2.0]] * 4)
    model = CalibratedClassifier(LinearSVM(), "temperature", cv=2).fit(X, (X[:, 0] > 0).astype(int))
    b = float(model.estimator_.intercept_[0] / -model.estimator_.coef_[0, 0])
    agree(model, b + np.random.default_rng(seed).normal(size=(200, 1)) * 10.0 ** -np.arange(20).repeat(10)[:, None])


@classes
@pytest.mark.parametrize(
    ("name", "method"),
    [*((name, method) for name in OURS for method in ("platt", "isotonic")), *(("naive Bayes", m) for m in METHODS)],
)
def test_evidence_sums_to_the_calibrated_log_odds(name, C, method):
    X, y = clouds(2, N=50, C=C)
    model = calibrated(name, X, y, method)
    p, curved = model.predict_log_proba(X), 0
    for i, why in enumerate(model.explain(X[:25])):
        total = why.prior_decibans + sum(term.decibans for term in why.terms)
        assert total == pytest.approx(why.decibans, rel=1e-7, abs=1e-7)
        assert why.label == model.predict(X[[i]])[0]
        assert why.probability == pytest.approx(np.exp(p[i]).max())
        assert why.decibans == pytest.approx((p[i, why.label] - p[i, why.against]) * 10 / np.log(10), abs=1e-9)
        assert why.terms == sorted(why.terms, key=lambda term: -abs(term.decibans))
        curved += any(term.feature == "(calibration)" for term in why.terms)
    if model.calibrator_.line is None:
        assert curved  # says so
    elif name != "SVM" or C == 2:  # machines of pairs say one thing, what they are coupled to another
        assert not curved
    one, other = (model.explain(X[:1], pair=pair)[0] for pair in ((0, 1), (1, 0)))
    assert one.decibans == pytest.approx(-other.decibans)


@pytest.mark.parametrize("method", ["platt", "isotonic", "auto"])
@classes
def test_weights_are_repetition_and_the_order_does_not_matter(C, method):
    X, y = clouds(3, N=40, C=C)
    times = np.arange(40) % 3
    times[:C] = 1
    one = CalibratedClassifier(NaiveBayes("gaussian"), method, cv=3).fit(X, y, times)
    again = np.random.default_rng(0).permutation(np.repeat(np.arange(40), times))
    other = CalibratedClassifier(NaiveBayes("gaussian"), method, cv=3).fit(X[again], y[again])
    assert one.held_out_ == other.held_out_ == times.sum()
    assert_allclose(other.predict_proba(X), one.predict_proba(X), atol=1e-6)


@pytest.mark.parametrize("cv", [5, "held-out"])
@pytest.mark.parametrize("model", [DecisionTreeClassifier(random_state=0), KNeighborsClassifier(1)])
def test_who_learns_by_heart_is_not_believed(model, cv):
    """Labels are drawn by lot, and every example comes twice: a copy must not vouch for it."""
    random = np.random.default_rng(4)
    X, y = np.repeat(random.normal(size=(600, 4)), 2, axis=0), np.repeat(random.integers(0, 2, 600), 2)
    assert (clone(model).fit(X, y).predict(X) == y).all()
    p = CalibratedClassifier(model, "platt", cv=cv).fit(X, y).predict_proba(X)
    assert (np.abs(p - 0.5) < 0.2).all()


def test_the_best_on_what_nobody_learnt_is_chosen():
    X, y = clouds(5, N=200)
    model = CalibratedClassifier(NaiveBayes("gaussian")).fit(X, y)
    assert sorted(each.method for each in model.tried_) == sorted(CATALOGUE)
    assert [each.log_loss for each in model.tried_] == sorted(each.log_loss for each in model.tried_)
    assert model.method_ == model.tried_[0].method == model.calibrator_.name
    assert CalibratedClassifier(NaiveBayes("gaussian"), "beta").fit(X, y).tried_ == []


@classes
def test_a_model_that_is_fitted_stays_and_its_scores_are_calibrated(C):
    X, y = clouds(6, N=80, C=C)
    known = LogisticRegression().fit(X[:40], y[:40])
    before = pickle.dumps(known.coef_)
    model = CalibratedClassifier(FrozenEstimator(known), "platt").fit(X[40:], y[40:])
    assert pickle.dumps(known.coef_) == before
    s = known.decision_function(X) if C == 2 else known.predict_log_proba(X)
    by_hand = CATALOGUE["platt"].fit(s[40:], y[40:])(s)
    assert_allclose(model.predict_log_proba(X), by_hand, atol=1e-9)


def test_folds_may_be_given_and_rows_of_no_weight_stay_where_they_stood():
    X, y = clouds(7, N=60)
    pairs = [(np.arange(0, 60, 2), np.arange(1, 60, 2)), (np.arange(1, 60, 2), np.arange(0, 60, 2))]
    one = CalibratedClassifier(NaiveBayes("gaussian"), "beta", cv=pairs).fit(X, y)
    assert one.held_out_ == 60.0
    kept = np.arange(60) % 5 > 0
    to = np.cumsum(kept) - 1
    fewer = [tuple(to[rows[kept[rows]]] for rows in pair) for pair in pairs]
    other = CalibratedClassifier(NaiveBayes("gaussian"), "beta", cv=fewer).fit(X[kept], y[kept])
    same = CalibratedClassifier(NaiveBayes("gaussian"), "beta", cv=pairs).fit(X, y, kept.astype(float))
    assert_allclose(same.predict_proba(X), other.predict_proba(X), atol=1e-9)


def mixed():
    """Texts in two languages and scripts, all different, some of which say little; and what they are."""
    spam = ["싼 알약 cheap pills {}", "대출 cheap loan {}", "알약 {}", "now {}"]
    ham = ["점심 lunch at noon {}", "see you 내일 {}", "noon 점심 {}", "now lunch {}"]
    texts = [each.format(i) for i in range(6) for each in (*spam, *ham)]
    return texts, (["spam"] * 4 + ["ham"] * 4) * 6


def test_texts_of_all_kinds():
    texts, y = mixed()
    forms = [list, tuple, lambda found: np.array(found, dtype=object), lambda found: [t.encode() for t in found]]
    for model in ("naive-bayes", "svm", "auto"):
        for form in forms:
            sure = CalibratedClassifier(TextClassifier(model), "platt", cv=3).fit(form(texts), y)
            assert sure.held_out_ == 48.0
            agree(sure, form(texts))
    why = sure.explain(["싼 점심"])[0]
    assert why.prior_decibans + sum(term.decibans for term in why.terms) == pytest.approx(why.decibans)
    assert [why.text[a:b] for term in why.terms for a, b in term.places]
    assert why.to_json()["label"] == sure.predict(["싼 점심"])[0]


def test_what_a_text_leaves_open_moves_with_the_evidence():
    texts, y = mixed()
    model = TextClassifier("naive-bayes")
    sure = CalibratedClassifier(model, "temperature", cv=3).fit(texts, y)
    before, after = sure.estimator_.explain(["cheap lunch"])[0], sure.explain(["cheap lunch"])[0]
    scale = sure.calibrator_.scale
    assert_allclose(after.verdict.interval, np.array(before.verdict.interval) * scale)
    assert after.verdict.unsure == (after.decibans < 10.0 or after.verdict.interval[0] <= 0.0)
    curved = CalibratedClassifier(model, "isotonic", cv=3).fit(texts, y).explain(["cheap lunch"])[0]
    assert curved.verdict.interval is None
    assert curved.prior_decibans + sum(term.decibans for term in curved.terms) == pytest.approx(curved.decibans)
    assert "(calibration)" in [term.term for term in curved.terms]


def test_frames_and_sparse_rows():
    random = np.random.default_rng(9)
    y = np.arange(60) % 2
    frame = pl.DataFrame(
        {"age": random.normal(size=60) + y, "job": np.where(random.random(60) < 0.3 + 0.4 * y, "a", "b")}
    )
    agree(model := CalibratedClassifier(NaiveBayes("auto"), cv=3).fit(frame, y), frame)
    assert model.explain(frame[:1])[0].terms
    X = clouds(9, N=60)[0]
    dense, thin = (
        CalibratedClassifier(LinearSVM(), "platt", cv=3).fit(form(X), y) for form in (np.asarray, sparse.csr_array)
    )
    assert_allclose(thin.predict_proba(sparse.coo_array(X)), dense.predict_proba(X), atol=1e-9)


def test_where_nothing_can_be_held_out_scores_are_taken_as_nats():
    for cv in (2, "held-out"):
        model = CalibratedClassifier(LinearSVM(), "platt", cv=cv).fit([[0.0], [2.0]], ["low", "high"])
        assert model.held_out_ == 0.0
        agree(model, [[0.5], [1.5]])
        assert_allclose(model.decision_function([[0.5]]), model.estimator_.decision_function([[0.5]]), atol=1e-12)


@pytest.mark.parametrize("method", ["sigmoid", "isotonic"])
def test_it_stands_where_scikit_learns_stands(method):
    X, y = clouds(11, N=400)
    ours = CalibratedClassifier(LinearSVM(0.1), {"sigmoid": "platt"}.get(method, method)).fit(X[:200], y[:200])
    theirs = CalibratedClassifierCV(LinearSVM(0.1, calibration=None), method=method, ensemble=False)
    theirs.fit(X[:200], y[:200])
    assert np.abs(ours.predict_proba(X[200:]) - theirs.predict_proba(X[200:])).mean() < 0.08


def test_it_is_the_same_again_and_after_a_pickle():
    X, y = clouds(12, N=60)
    one, two = (CalibratedClassifier(SVM(), "isotonic", random_state=7).fit(X, y) for _ in range(2))
    assert_array_equal(one.predict_proba(X), two.predict_proba(X))
    assert_array_equal(pickle.loads(pickle.dumps(one)).predict_proba(X), one.predict_proba(X))
    assert clone(one).get_params().keys() == one.get_params().keys()


@pytest.mark.deep
@pytest.mark.parametrize(
    "model",
    [
        CalibratedClassifier(NaiveBayes("gaussian"), "platt", cv=3),
        CalibratedClassifier(NaiveBayes("gaussian"), "beta", cv="held-out"),
    ],
    ids=["folds", "held out"],
)
def test_scikit_learn_finds_nothing_to_complain_about(model):
    results = check_estimator(model, on_skip=None, on_fail="raise")
    skipped = {result["check_name"] for result in results if result["status"] == "skipped"}
    assert skipped <= {"check_array_api_input"}  # asks for an environment variable set at start-up
    assert len(results) >= 60

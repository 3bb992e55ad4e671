"""Suspects: planted errors come first, copies do not vouch, and neither order nor names matter."""

import json
import random

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.ensemble import RandomForestClassifier

import deciban
from deciban import SVM, LinearSVM, LogisticRegression, MLPClassifier, NaiveBayes, TextClassifier
from deciban.evaluation.suspects import confident_joint
from oracle import suspects as oracle

MODELS = {
    "naive-bayes": NaiveBayes("gaussian"),
    "logistic": LogisticRegression(),
    "svm": LinearSVM(),
    "kernel": SVM(C=1.0),
    "network": MLPClassifier(hidden_layer_sizes=(4,), random_state=0),
    "forest": RandomForestClassifier(10, random_state=0),
}
every_model = pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)


def clouds(n=40, C=2, seed=0):
    """Points about corners far from each other."""
    rng = np.random.default_rng(seed)
    y = np.arange(n * C) % C
    return rng.normal(size=(n * C, 2)) + 12.0 * np.array([[0, 0], [1, 0], [0, 1]])[y], np.array(["a", "b", "c"])[y]


def letters(n=60, seed=0):
    """Texts of two kinds, which share some words."""
    draw = random.Random(seed)
    own = {"spam": [f"offer{i}" for i in range(40)], "ham": [f"lunch{i}" for i in range(40)]}
    both = [f"word{i}" for i in range(40)]
    labels = ["ham" if i % 2 else "spam" for i in range(n)]
    return [" ".join(draw.sample(own[label], 8) + draw.sample(both, 6)) for label in labels], labels


def places(found):
    return [each.place for each in found]


# --- the confident joint -----------------------------------------------------------------------------------


@given(st.integers(0, 2**32), st.integers(2, 4))
def test_the_joint_is_that_of_the_definition(seed, C):
    rng = np.random.default_rng(seed)
    y = np.concatenate([np.arange(C), rng.integers(C, size=30)])
    p, weight = rng.dirichlet(np.full(C, 0.7), size=len(y)), rng.integers(1, 4, size=len(y)).astype(float)
    found = confident_joint(y, p, weight)
    thresholds, counts, joint, sure = oracle.joint(y.tolist(), p.tolist(), weight.tolist())
    assert found.thresholds == pytest.approx(np.array(thresholds))
    assert found.counts.tolist() == counts
    assert found.joint == pytest.approx(np.array(joint))
    assert found.sure.tolist() == sure
    assert found.joint.sum() == pytest.approx(1.0)
    assert found.share == pytest.approx(1.0 - np.trace(np.array(joint)))
    times = weight.astype(int)
    assert confident_joint(y.repeat(times), p.repeat(times, axis=0), np.ones(times.sum())).joint == pytest.approx(
        found.joint
    )


# --- what is found -----------------------------------------------------------------------------------------


@pytest.mark.each_once
@every_model
@pytest.mark.parametrize("C", [2, 3])
def test_nothing_is_suspect_among_clean_labels_and_what_is_planted_comes_first(model, C):
    X, y = clouds(C=C)
    assert len(deciban.find_label_errors(model, X, y)) == 0
    wrong = y.copy()
    wrong[7], wrong[20] = y[8], y[21]
    found = deciban.find_label_errors(model, X, wrong)
    assert sorted(found.order[:2].tolist()) == [7, 20]
    assert [place for place in found.order.tolist() if place in places(found)] == places(found)
    assert 1 <= len(found) <= 4
    for each in found[:2]:
        assert (each.label, each.suggested) == (wrong[each.place], y[each.place])
        assert each.kind in ("confident", "likelier")
        assert each.decibans > 0.0
    assert 1.0 < found.wrong < 4.0
    assert not hasattr(model, "classes_")


@pytest.mark.parametrize("model", ["naive-bayes", "logistic", "nbsvm"])
def test_texts(model):
    texts, labels = letters()
    clf = TextClassifier(model, n_jobs=1)
    assert len(clf.find_label_errors(texts, labels)) == 0
    labels[10] = "ham"
    found = clf.find_label_errors(texts, labels)
    assert found.order[0] == 10
    assert places(found)[:1] in ([], [10])
    labels[20], labels[31], labels[43] = "ham", "spam", "spam"
    assert {*clf.find_label_errors(texts, labels).order[:4].tolist()} == {10, 20, 31, 43}


def test_near_duplicates_with_different_labels_come_first():
    texts, labels = letters()
    texts += [texts[5] + " word0", texts[5], texts[8] + " word1"]
    labels += ["spam", "ham", "ham"]
    labels[21] = "spam"
    found = TextClassifier("naive-bayes", n_jobs=1).find_label_errors(texts, labels)
    assert [each.kind for each in found[:3]] == ["duplicate", "duplicate", "confident"], found.to_json()
    assert sorted(places(found[:2])) == [60, 62]
    assert places(found[2:3]) == [21]
    first = next(each for each in found if each.place == 60)
    assert (first.label, first.suggested, first.copies) == ("spam", "ham", (5, 61))
    assert first.reason == "near-duplicates labelled 'ham': 2, 'spam': 1"
    tie = next(each for each in found if each.place == 62)
    assert tie.reason == "near-duplicates labelled 'spam': 1, 'ham': 1; a model that learnt neither prefers 'spam'"


def test_equal_rows_with_different_labels_come_first():
    X, y = clouds()
    X, y = np.vstack([X, X[:1], X[1:2]]), np.append(y, ["b", "b"])
    y[30] = "b"
    found = NaiveBayes("gaussian").find_label_errors(X, y)
    assert [(each.place, each.kind) for each in found] == [(80, "duplicate"), (30, "confident")]
    assert found[0].copies == (0,)


def test_copies_do_not_vouch_for_a_wrong_label():
    texts, labels = letters()
    for i in range(4):
        texts.append(texts[0] + f" again{i}")
        labels.append("ham")
    labels[0] = "ham"
    found = TextClassifier("naive-bayes", n_jobs=1).find_label_errors(texts, labels)
    assert {*found.order[:5].tolist()} == {0, 60, 61, 62, 63}


# --- what makes no difference ------------------------------------------------------------------------------


def noisy(seed=1):
    rng = np.random.default_rng(seed)
    X, y = clouds(30, 3, seed)
    X = 0.25 * X + rng.normal(size=X.shape)
    at = rng.choice(len(y), 6, replace=False)
    y[at] = np.array(["b", "c", "a"])[np.searchsorted(["a", "b", "c"], y[at])]
    return np.vstack([X, X[:2]]), np.append(y, [y[0], "c" if y[1] == "a" else "a"])


@pytest.mark.parametrize("model", [MODELS["naive-bayes"], MODELS["logistic"]], ids=["naive-bayes", "logistic"])
def test_neither_the_order_of_the_rows_nor_the_names_of_the_labels_matter(model):
    X, y = noisy()
    found = deciban.find_label_errors(model, X, y)
    assert len(found) > 3
    order = np.random.default_rng(0).permutation(len(y))
    moved = deciban.find_label_errors(model, X[order], y[order])
    assert {*order[places(moved)].tolist()} == {*places(found)}
    assert [each.decibans for each in moved] == pytest.approx([each.decibans for each in found], abs=0.02)
    assert moved.wrong == pytest.approx(found.wrong)
    names = {"a": 9, "b": 5, "c": 7}
    renamed = deciban.find_label_errors(model, X, np.array([names[each] for each in y]))
    assert places(renamed) == places(found)
    assert [each.suggested for each in renamed] == [names[each.suggested] for each in found]
    assert [each.decibans for each in renamed] == pytest.approx([each.decibans for each in found], abs=0.02)


def test_the_same_seed_gives_the_same_answer():
    X, y = noisy()
    first, second = (LogisticRegression().find_label_errors(X, y, seed=3) for _ in range(2))
    assert first.to_json() == second.to_json()
    assert first.to_json() != LogisticRegression().find_label_errors(X, y, seed=4).to_json()


def test_weight_means_repetition_and_none_that_it_is_not_there():
    X, y = noisy()
    times = np.ones(len(y), int)
    times[[3, 30, 31, 60, 77, 90]], times[[5, 20, 40]] = 2, 0
    found = NaiveBayes("gaussian").find_label_errors(X, y, times)
    rows = np.arange(len(y)).repeat(times)
    repeated = NaiveBayes("gaussian").find_label_errors(X[rows], y[rows])
    assert {*places(found)} == {*rows[places(repeated)].tolist()}
    assert (found.n, found.wrong) == (times.sum(), pytest.approx(repeated.wrong))
    assert {*found.order.tolist()} == {*np.flatnonzero(times).tolist()}
    evidence = {int(rows[each.place]): each.decibans for each in repeated}
    assert {each.place: each.decibans for each in found} == pytest.approx(evidence)


def test_rows_in_other_forms():
    X, y = noisy()
    found = LogisticRegression().find_label_errors(X, y).to_json()["suspects"]
    for form in (X.tolist(), pl.DataFrame(X, schema=["u", "v"]), sparse.csr_array(X)):
        other = LogisticRegression().find_label_errors(form, y.tolist()).to_json()["suspects"]
        assert [each["place"] for each in other] == [each["place"] for each in found]
    people = pl.DataFrame({"age": [20.0 + i for i in range(30)], "job": ["clerk", "judge", "clerk"] * 10})
    labels = ["old" if i > 14 else "young" for i in range(30)]
    labels[2] = "old"
    assert places(NaiveBayes("auto").find_label_errors(people, labels))[0] == 2


def test_auto_chooses_once_and_is_then_the_model_chosen():
    texts, labels = letters(240)
    labels[10] = "ham"
    auto = TextClassifier(time_limit=None, random_state=0, n_jobs=1)
    name = TextClassifier(time_limit=None, random_state=0, n_jobs=1).fit(texts, labels).model_.name
    named = TextClassifier(name, random_state=0, n_jobs=1).find_label_errors(texts, labels)
    assert auto.find_label_errors(texts, labels).to_json() == named.to_json()


def test_what_is_told():
    X, y = clouds()
    y[0] = "b"
    found = NaiveBayes("gaussian").find_label_errors(X, y)
    assert str(found) == "1 suspect, 0 for near-duplicates under another label; about 1 of 80 labels wrong"
    told = json.loads(json.dumps(found.to_json()))
    assert told["classes"] == ["a", "b"]
    assert np.array(told["joint"]).shape == (2, 2)
    (only,) = told["suspects"]
    assert only.keys() == {"place", "label", "suggested", "decibans", "probability", "kind", "reason", "copies"}
    assert only["reason"].startswith("a model that did not learn it gives 'a' odds")
    assert found[-1] is found[0]


@pytest.mark.deep
@pytest.mark.parametrize("planted", [0, 60, 300])
def test_what_the_features_leave_open_is_no_wrong_label(planted):
    """Many labels are against the features and right; the expected number of false alarms is near."""
    draw = np.random.default_rng(1)
    X = draw.normal(size=(3000, 4))
    y = (draw.random(3000) < 1.0 / (1.0 + np.exp(-4.0 * X[:, 0] + 2.0 * X[:, 1]))).astype(int)
    wrong = draw.choice(3000, planted, replace=False)
    y[wrong] = 1 - y[wrong]
    found = deciban.find_label_errors(LogisticRegression(), X, y)
    alarms = len({*places(found)} - {*wrong.tolist()})
    assert abs(found.wrong - planted) <= 30 + 0.25 * planted
    assert abs(alarms - found.false_alarms) <= 5.0 + 0.5 * found.false_alarms

"""Laws of learning by counting, for naive Bayes models of every likelihood."""

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from labelled import BY_NAME, EVERY, ONE_KIND, forms, over, over_estimates
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.utils.estimator_checks import check_estimator

from deciban.certificates.certificate import relative_gap
from deciban.distributions import CATALOGUE, Categorical, Gaussian, by_name
from deciban.models.naive_bayes import NaiveBayes
from tiers import examples

LIKELIHOODS = [family.name for family in CATALOGUE]
over_likelihoods = pytest.mark.parametrize("likelihood", LIKELIHOODS)
drawn = given(draws=st.data())
WORDS = np.array(["eggs", "ham", "spam"])  # labels 0, 1, 2 of the drawn data, in sorted order


def same(one, other):
    """Two models that know and judge the same, to the last bit."""
    assert_array_equal(one.classes_, other.classes_)
    assert one.counts_ == other.counts_
    assert one.columns_ == other.columns_
    assert one.likelihoods_ == other.likelihoods_
    zero = np.zeros((1, one.n_features_in_))
    assert_array_equal(one.predict_joint_log_proba(zero), other.predict_joint_log_proba(zero))
    return one.certificate_.to_json() == other.certificate_.to_json()


@over(EVERY)
@drawn
def test_learnt_in_parts_is_learnt_at_once(case, draws):
    data = draws.draw(case.data())
    cut = draws.draw(st.integers(1, len(data.y) - 1))
    labels, blank = WORDS[data.y], NaiveBayes(case.family)
    whole = clone(blank).fit(data.X, labels, data.weight)
    parts = [data.part(slice(cut)), data.part(slice(cut, None))]
    models = [clone(blank).fit(p.X, WORDS[p.y], p.weight) for p in parts]
    assert same(models[0] + models[1], whole)
    assert same(sum(reversed(models)), whole)
    for p in parts[1:]:  # brings labels the first part may not have
        models[0].partial_fit(p.X, WORDS[p.y], sample_weight=p.weight)
    assert same(models[0], whole)
    for i in draws.draw(st.permutations(range(len(labels)))):
        blank.partial_fit(data.X[[i]], labels[[i]], sample_weight=data.weight[[i]])
    assert same(blank, whole)


@over(EVERY)
@drawn
def test_forgotten_was_never_learnt(case, draws):
    data = draws.draw(case.data())
    cut = draws.draw(st.integers(1, len(data.y) - 1))
    first, second = data.part(slice(cut)), data.part(slice(cut, None))
    never = NaiveBayes(case.family).fit(first.X, WORDS[first.y], first.weight)
    model = clone(never).fit(data.X, WORDS[data.y], data.weight)
    assert same(model.forget(second.X, WORDS[second.y], second.weight), never)
    corrected = clone(never).fit(data.X, WORDS[data.y])  # one wrong label, taken back and set right
    corrected.forget(data.X[[0]], WORDS[data.y[[0]]]).partial_fit(data.X[[0]], ["toast"])
    assert same(corrected, clone(never).fit(data.X, ["toast", *WORDS[data.y[1:]]]))


@over(EVERY)
@drawn
def test_weight_means_repetition_and_none_means_absence(case, draws):
    data = draws.draw(case.data())
    labels, blank = WORDS[data.y], NaiveBayes(case.family)
    weighted = clone(blank).fit(data.X, labels, data.weight)
    again = np.repeat(np.arange(len(labels)), data.weight.astype(int))
    assert same(weighted, clone(blank).fit(data.X[again], labels[again]))
    other = np.where(np.isnan(data.X), 1, 1 - np.minimum(data.X, 1))  # other values, and a label more
    X, y = np.vstack([data.X, other]), np.concatenate([labels, np.full(len(labels), "toast")])
    weight = np.concatenate([data.weight, np.zeros(len(labels))])
    assert same(weighted, clone(blank).fit(X, y, weight))


@over(EVERY)
@examples(5)
@drawn
def test_the_format_of_the_rows_does_not_matter(case, draws):
    data = draws.draw(case.data())
    model = NaiveBayes(case.family).fit(data.X, data.y)
    joint = model.predict_joint_log_proba(data.X)
    for form in [*forms(data.X), data.X.tolist()]:
        assert same(clone(model).fit(form, data.y), model)
        assert_allclose(model.predict_joint_log_proba(form), joint, rtol=1e-10, atol=1e-10)


@over_likelihoods
@drawn
def test_present_is_what_is_above_zero_or_true(likelihood, draws):
    data = draws.draw(BY_NAME["multinomial"].data())
    assert same(NaiveBayes(likelihood).fit(data.X > 0, data.y), NaiveBayes(likelihood).fit(1 * (data.X > 0), data.y))
    assert same(NaiveBayes("bernoulli").fit(data.X, data.y), NaiveBayes("bernoulli").fit(data.X > 0, data.y))


@over_likelihoods
def test_half_the_digits_are_enough(likelihood):
    rng = np.random.default_rng(5)
    real = likelihood in ("gaussian", "multinomial", "complement", "poisson")
    X, y = rng.gamma(2.0, 3.0, (60, 5)) if real else rng.integers(0, 4, (60, 5)), rng.integers(0, 3, 60)
    whole, half = (NaiveBayes(likelihood).fit(X.astype(t), y) for t in (np.float64, np.float32))
    told = half.predict_proba(X.astype(np.float32))
    assert_allclose(told, whole.predict_proba(X), atol=1e-4)


@over(ONE_KIND)
@drawn
def test_features_and_labels_have_no_order(case, draws):
    data = draws.draw(case.data())
    columns = draws.draw(st.permutations(range(data.X.shape[1])))
    classes = np.array(draws.draw(st.permutations(range(3))))
    family = case.family
    model = NaiveBayes(family).fit(data.X, data.y)
    if getattr(family, "sizes", None) is not None:
        family = replace(family, sizes=tuple(family.sizes[j] for j in columns))
    turned = NaiveBayes(family).fit(data.X[:, columns], classes[data.y])
    place = np.searchsorted(turned.classes_, classes[model.classes_])
    mine, theirs = model.predict_log_proba(data.X), turned.predict_log_proba(data.X[:, columns])
    assert_allclose(theirs[:, place], mine, rtol=1e-9, atol=1e-10)


@over_likelihoods
@drawn
def test_by_name_is_by_object(likelihood, draws):
    data = draws.draw(BY_NAME[likelihood].data())
    named = NaiveBayes(likelihood, alpha=0.7, binarize=None).fit(data.X, data.y)
    given = NaiveBayes(by_name(likelihood).symmetric(0.7)).fit(data.X, data.y)
    assert same(named, given)
    assert named.likelihoods_ == dict.fromkeys(range(data.X.shape[1]), by_name(likelihood).symmetric(0.7))


@pytest.mark.each_once
@pytest.mark.parametrize(
    "labels",
    [
        np.array(["ham", "spam", "스팸"]),
        np.array(["ham", "spam", "x"], dtype=object),
        np.array([-5, 0, 7]),
        np.array([-1.0, 0.0, 2.0]),
        np.array([False, True]),
    ],
    ids=lambda labels: labels.dtype.name,
)
@over_likelihoods
def test_labels_of_any_type_come_back(likelihood, labels):
    X = np.eye(len(labels), dtype=int) * 3
    model = NaiveBayes(likelihood).fit(X, labels)
    assert model.predict(X).dtype == labels.dtype
    assert_array_equal(model.predict(X), labels)
    assert [why.label for why in model.explain(X)] == labels.tolist()
    for x, label in zip(X, labels, strict=True):
        assert same(clone(model).fit(X, labels).forget([x], [label]).partial_fit([x], [label]), model)


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame], ids=["pandas", "polars"])
@over_likelihoods
def test_the_names_of_a_data_frame_are_the_names_of_the_evidence(likelihood, frame):
    X = frame({"offer": [2, 1, 0], "meeting": [0, 0, 3]})
    model = NaiveBayes(likelihood).fit(X, ["spam", "spam", "ham"])
    assert model.feature_names_in_.tolist() == list(model.likelihoods_) == ["offer", "meeting"]
    told = {str(term.feature).partition(" = ")[0] for why in model.explain(X) for term in why.terms}
    assert told == {"offer", "meeting"}
    merged = model + model
    assert merged.feature_names_in_.tolist() == ["offer", "meeting"]
    assert merged.n_features_in_ == 2


@over_likelihoods
def test_a_declared_class_waits_with_probability_zero_and_is_never_dropped(likelihood):
    model = NaiveBayes(likelihood).partial_fit([[1, 0]], ["ham"], classes=["ham", "spam"])
    assert model.classes_.tolist() == ["ham", "spam"]
    assert model.predict_proba([[1, 0]]).tolist() == [[1.0, 0.0]]
    smoothed = clone(model).set_params(class_prior="smoothed").partial_fit([[1, 0]], ["ham"], ["ham", "spam"])
    assert 0.0 < smoothed.predict_proba([[1, 0]])[0, 1] <= 0.5
    model.partial_fit([[0, 1]], ["spam"]).forget([[0, 1]], ["spam"])
    assert model.classes_.tolist() == ["ham", "spam"]


@over_likelihoods
def test_what_is_wholly_forgotten_can_learn_again(likelihood):
    model = NaiveBayes(likelihood).fit([[1, 0], [0, 1]], ["ham", "spam"])
    model.forget([[1, 0], [0, 1]], ["ham", "spam"])
    assert model.classes_.tolist() == []
    assert same(model.partial_fit([[1, 0]], [3]), NaiveBayes(likelihood).fit([[1, 0]], [3]))


@over(EVERY)
@drawn
def test_forgotten_in_another_order_with_fractional_weights_a_class_is_gone(case, draws):
    data = draws.draw(case.data(classes=2))
    weight, back = data.weight / 10, slice(None, None, -1)
    model = NaiveBayes(case.family).fit(data.X, WORDS[data.y], weight)
    goes = data.y == 0
    model.forget(data.X[goes][back], WORDS[data.y[goes]][back], weight[goes][back])
    never = clone(model).fit(data.X[~goes], WORDS[data.y[~goes]], weight[~goes])
    assert_array_equal(model.classes_, never.classes_)
    assert_allclose(model.predict_proba(data.X), never.predict_proba(data.X), rtol=1e-9, atol=1e-9)


@over_estimates(EVERY)
@drawn
def test_a_certificate_is_a_function_of_the_counts(case, estimate, draws):
    data = draws.draw(case.data(classes=2)).grounded()
    model = NaiveBayes(case.family, estimate=estimate).fit(data.X, WORDS[data.y])
    backwards = clone(model).fit(data.X[::-1], WORDS[data.y[::-1]])
    proof, stored = model.certificate_, model.certificate_.to_json()
    assert json.loads(json.dumps(stored)) == stored == backwards.certificate_.to_json()
    assert "seconds" not in stored
    assert 0.0 <= proof.relative_gap <= 1e-12
    assert proof.relative_gap == relative_gap(proof.primal, proof.dual)
    assert proof.kkt_violation <= 1e-11
    assert proof.class_counts == dict(zip(model.classes_, model.class_count_, strict=True))
    assert (proof.n, proof.d, proof.iterations, proof.seed) == (len(data.y), data.X.shape[1], 0, None)
    more = model.partial_fit(data.X[[0]], WORDS[data.y[[0]]]).certificate_
    assert more.digest != stored["digest"]
    assert proof.seconds > 0.0
    assert "\n" not in str(more)
    assert more.digest[:12] in str(more)


# scikit-learn draws fractions, which are no codes of categories; its own CategoricalNB cuts them off.
NO_CODES = dict.fromkeys(
    [
        "check_positive_only_tag_during_fit",
        "check_sample_weight_equivalence_on_dense_data",
        "check_sample_weight_equivalence_on_sparse_data",
        "check_classifiers_one_label_sample_weights",
    ],
    "a category is coded 0, 1, 2, …",
)
CHECKS = {"bernoulli": 62, "categorical": 63, "multinomial": 64, "complement": 64, "poisson": 63, "gaussian": 62}


@pytest.mark.deep
@pytest.mark.parametrize(
    ("likelihood", "checks"),
    [*((name, CHECKS.get(name, 62)) for name in LIKELIHOODS), ("auto", 62), (Gaussian(shared=True), 62)],
    ids=[*LIKELIHOODS, "auto", "gaussian-shared"],
)
def test_scikit_learn_finds_nothing_to_complain_about(likelihood, checks):
    expected = NO_CODES if by_name_or_none(likelihood) is Categorical else {}
    results = check_estimator(NaiveBayes(likelihood), on_skip=None, on_fail="raise", expected_failed_checks=expected)
    failed = {result["check_name"]: str(result["exception"]) for result in results if result["status"] == "xfail"}
    assert set(failed) == set(expected)
    skipped = {result["check_name"] for result in results if result["status"] == "skipped"}
    assert skipped <= {"check_array_api_input"}  # asks for an environment variable set at start-up
    assert len(results) >= checks


def by_name_or_none(likelihood):
    return by_name(likelihood) if likelihood in LIKELIHOODS else None

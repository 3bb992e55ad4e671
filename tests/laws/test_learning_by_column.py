"""Laws of naive Bayes models whose columns have distributions of their own, learnt from data frames and tables."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from labelled import forms
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.base import clone

from deciban.conventions import DECIBANS_PER_NAT
from deciban.distributions import Bernoulli, Categorical, Gaussian, Multinomial, Poisson
from deciban.models.naive_bayes import NaiveBayes
from oracle import naive_bayes as oracle
from tiers import examples

SCHEMA = {"age": pl.Float64, "job": pl.String, "member": pl.Boolean, "visits": pl.Int64}
NAMES = list(SCHEMA)
CELLS = {
    "age": st.integers(-40, 40).map(lambda k: k / 4),
    "job": st.sampled_from(["clerk", "nurse", "judge", "교사"]),
    "member": st.booleans(),
    "visits": st.integers(0, 6),
}
BY_NAME = {"age": "gaussian", "job": "categorical", "member": "bernoulli", "visits": "poisson"}
BY_OBJECT = {
    "age": Gaussian(mean=0.0, variance=9.0),
    "job": Categorical(0.5),
    "member": None,
    "visits": Gaussian(shared=True),
}
over_likelihoods = pytest.mark.parametrize("likelihood", ["auto", BY_NAME, BY_OBJECT], ids=["auto", "names", "objects"])
drawn = given(draws=st.data())
few = examples(5)


@st.composite
def people(draw, most=7):
    """Rows of the columns, None where a cell is missing, the first row complete; their labels; whole weights."""
    cells = [st.tuples(*CELLS.values()), st.tuples(*(st.none() | cell for cell in CELLS.values()))]
    rows = [draw(cells[0]), *draw(st.lists(cells[1], max_size=most - 1))]
    labels = draw(st.lists(st.sampled_from(["a", "b"]), min_size=len(rows), max_size=len(rows)))
    return rows, labels, draw(st.lists(st.integers(1, 3).map(float), min_size=len(rows), max_size=len(rows)))


def table(rows):
    return pl.DataFrame(rows, schema=SCHEMA, orient="row")


def pandas(rows):
    return pd.DataFrame(table(rows).to_dict(as_series=False)).astype(
        {"age": "float64", "member": "boolean", "visits": "Int64"}
    )


def same(one, other):
    """To the last bit, the description of the columns included."""
    assert_array_equal(one.classes_, other.classes_)
    assert one.columns_ == other.columns_
    assert one.counts_ == other.counts_
    assert one.likelihoods_ == other.likelihoods_
    return one.certificate_.to_json() == other.certificate_.to_json()


@over_likelihoods
@few
@drawn
def test_learnt_in_parts_is_learnt_at_once(likelihood, draws):
    parts = [draws.draw(people()) for _ in range(3)]
    rows, labels, weight = ([item for own in lists for item in own] for lists in zip(*parts, strict=True))
    whole = NaiveBayes(likelihood).fit(table(rows), labels, weight)
    models = [clone(whole).fit(table(r), y, w) for r, y, w in parts]
    assert same(models[0] + models[1] + models[2], whole)
    assert same(models[0] + (models[2] + models[1]), whole)
    for r, y, w in parts[1:]:
        models[0].partial_fit(table(r), y, sample_weight=w)
    assert same(models[0], whole)
    single = clone(whole)
    for row, label, w in zip(rows, labels, weight, strict=True):
        single.partial_fit(table([row]), [label], sample_weight=[w])
    assert same(single, whole)


@over_likelihoods
@few
@drawn
def test_forgotten_was_never_learnt_the_categories_too(likelihood, draws):
    (rows, labels, weight), (more, others, heavy) = draws.draw(people()), draws.draw(people())
    never = NaiveBayes(likelihood).fit(table(rows), labels, weight)
    learnt = clone(never).fit(table(rows + more), labels + others, weight + heavy)
    assert same(learnt.forget(table(more), others, heavy), never)
    added = clone(never).fit(table(more), others, heavy) + never
    assert same(added.forget(table(more), others, heavy), never)


@over_likelihoods
@few
@drawn
def test_weight_means_repetition_and_none_means_absence(likelihood, draws):
    (rows, labels, weight), (more, others, _) = draws.draw(people()), draws.draw(people())
    weighted = NaiveBayes(likelihood).fit(table(rows), labels, weight)
    again = np.repeat(np.arange(len(rows)), np.array(weight, dtype=int))
    assert same(weighted, clone(weighted).fit(table([rows[i] for i in again]), [labels[i] for i in again]))
    nobody = weight + [0.0] * len(more)
    assert same(weighted, clone(weighted).fit(table(rows + more), labels + others, nobody))


@few
@drawn
def test_any_container_of_the_same_table_is_learnt_alike(draws):
    rows, labels, _ = draws.draw(people())
    asked, _, _ = draws.draw(people())
    model = NaiveBayes(BY_NAME).fit(table(rows), labels)
    told = model.predict_joint_log_proba(table(asked))
    other = clone(model).fit(pandas(rows), labels)
    assert other.counts_ == model.counts_
    assert_array_equal(other.predict_joint_log_proba(pandas(asked)), told)
    by_place = NaiveBayes(dict(enumerate(BY_NAME.values()))).fit([list(row) for row in rows], labels)
    assert by_place.counts_ == model.counts_
    assert_array_equal(by_place.predict_joint_log_proba([list(row) for row in asked]), told)


@few
@drawn
def test_posteriors_are_those_of_the_book(draws):
    rows, labels, weight = draws.draw(people())
    asked, _, _ = draws.draw(people())
    kinds = {"age": "gaussian", "member": "bernoulli", "visits": "poisson", "job": "categorical"}
    model = NaiveBayes(kinds, class_prior="smoothed").fit(table(rows), labels, weight)
    jobs = sorted({row[1] for row in rows} - {None})
    code = {None: np.nan} | {job: k for k, job in enumerate(jobs)}

    def numbers(rows):
        coded = [(row[0], code.get(row[1], len(jobs)), row[2], row[3]) for row in rows]
        return [[np.nan if cell is None else float(cell) for cell in row] for row in coded]

    parts = [((0,), "gaussian", {}), ((1,), "categorical", {}), ((2,), "bernoulli", {}), ((3,), "poisson", {})]
    classes = sorted(set(labels))
    index = [classes.index(label) for label in labels]
    book = oracle.joint(parts, numbers(rows), index, weight, len(classes), numbers(asked), prior="smoothed")
    assert_allclose(model.predict_log_proba(table(asked)), [oracle.posterior(b) for b in book], rtol=1e-9, atol=1e-9)


@few
@drawn
def test_the_log_likelihoods_of_the_columns_add(draws):
    rows, labels, _ = draws.draw(people())
    model = NaiveBayes(BY_NAME).fit(table(rows), labels)
    prior = np.log(model.class_count_ / model.class_count_.sum())
    alone = 0.0
    for name, kind in BY_NAME.items():
        one = NaiveBayes({name: kind}).fit(table(rows).select(name), labels)
        alone = alone + one.predict_joint_log_proba(table(rows).select(name)) - prior
    assert_allclose(model.predict_joint_log_proba(table(rows)) - prior, alone, rtol=1e-9, atol=1e-9)


@over_likelihoods
@few
@drawn
def test_columns_and_labels_have_no_order(likelihood, draws):
    rows, labels, _ = draws.draw(people())
    names = draws.draw(st.permutations(NAMES))
    model = NaiveBayes(likelihood).fit(table(rows), labels)
    turned = clone(model).fit(table(rows).select(names), [{"a": "z", "b": "b"}[label] for label in labels])
    told = turned.predict_proba(table(rows).select(names))
    expected = model.predict_proba(table(rows))
    assert_allclose(told, expected[:, ::-1] if len(model.classes_) == 2 else expected, rtol=1e-9)


@few
@drawn
def test_a_missing_cell_is_judged_as_if_its_column_were_left_out(draws):
    rows, labels, _ = draws.draw(people())
    gone = draws.draw(st.sets(st.sampled_from(NAMES), min_size=1, max_size=3))
    model = NaiveBayes(BY_NAME).fit(table(rows), labels)
    less = NaiveBayes({name: None if name in gone else kind for name, kind in BY_NAME.items()}).fit(table(rows), labels)
    blank = table([[None if name in gone else cell for name, cell in zip(NAMES, rows[0], strict=True)]])
    assert_allclose(model.predict_joint_log_proba(blank), less.predict_joint_log_proba(blank), rtol=1e-10, atol=1e-10)
    assert_allclose(less.predict_joint_log_proba(table(rows[:1])), less.predict_joint_log_proba(blank))
    assert not gone & set(less.likelihoods_)
    for why, other in zip(model.explain(blank), less.explain(table(rows[:1])), strict=True):
        mine, theirs = ({term.feature: term.decibans for term in told.terms} for told in (why, other))
        assert mine.keys() == theirs.keys()
        if why.label == other.label:
            assert mine == pytest.approx(theirs, rel=1e-9, abs=1e-9)


@over_likelihoods
@few
@drawn
def test_evidence_adds_up_and_goes_by_the_names_of_columns_and_labels(likelihood, draws):
    rows, labels, _ = draws.draw(people())
    asked, _, _ = draws.draw(people())
    model = NaiveBayes(likelihood).fit(table(rows), labels)
    joint = model.predict_joint_log_proba(table(asked))
    for why, b, row in zip(model.explain(table(asked)), joint, asked, strict=True):
        best, *others = sorted(b, reverse=True)
        expected = (best - others[0]) * DECIBANS_PER_NAT if others else 0.0
        told = why.prior_decibans + sum(term.decibans for term in why.terms)
        assert told == pytest.approx(expected, rel=1e-9, abs=1e-9)
        named = {term.feature for term in why.terms}
        if len(b) > 1:
            known = set(model.columns_.categories[1])
            job = {None: set()}.get(row[1], {f"job = {row[1] if row[1] in known else '(unseen)'}"})
            there = {name for name, cell in zip(NAMES, row, strict=True) if cell is not None} - {"job"}
            assert named == (there & set(model.likelihoods_)) | job


@few
@drawn
def test_auto_is_what_the_types_of_the_columns_say(draws):
    rows, labels, _ = draws.draw(people())
    kinds = {"age": "gaussian", "job": "categorical", "member": "bernoulli", "visits": "gaussian"}
    auto, given = (NaiveBayes(likelihood).fit(table(rows), labels) for likelihood in ("auto", kinds))
    assert same(auto, given)
    assert [type(family) for family in auto.likelihoods_.values()] == [Gaussian, Categorical, Bernoulli, Gaussian]
    assert auto.columns_.kinds == ("number", "category", "truth", "whole")


@few
@drawn
def test_text_is_categories_by_another_name(draws):
    rows, labels, _ = draws.draw(people())
    jobs = [[row[1] or "nurse", "yes" if row[2] else "no"] for row in rows]
    coded = np.column_stack([np.unique(column, return_inverse=True)[1] for column in np.array(jobs).T])
    model = NaiveBayes("categorical").fit(coded, labels)
    for text in (jobs, np.array(jobs), np.array(jobs, dtype=object), pl.DataFrame(jobs, orient="row")):
        other = clone(model).fit(text, labels)
        assert_allclose(other.predict_joint_log_proba(text), model.predict_joint_log_proba(coded), rtol=1e-14)


def test_a_category_never_seen_gets_its_smoothed_share():
    frame = pl.DataFrame({"job": ["clerk", "clerk", "nurse", "clerk"]})
    model = NaiveBayes("auto", alpha=0.5, class_prior="uniform").fit(frame, ["a", "a", "a", "b"])
    told = model.predict_proba(pl.DataFrame({"job": ["judge", None]}))
    share = np.array([0.5 / (3 + 0.5 * 2), 0.5 / (1 + 0.5 * 2)])
    assert_allclose(told, [share / share.sum(), [0.5, 0.5]], rtol=1e-12)
    assert model.explain(pl.DataFrame({"job": ["judge"]}))[0].terms[0].feature == "job = (unseen)"


def test_categories_that_a_type_declares_are_known_from_the_start_and_stay():
    kind = pd.CategoricalDtype(["clerk", "judge", "nurse"])
    frame = pd.DataFrame({"job": pd.Series(["clerk", "nurse", "clerk", "judge"], dtype=kind)})
    model = NaiveBayes("auto").fit(frame[:3], ["a", "b", "b"])
    assert model.columns_.categories == (("clerk", "judge", "nurse"),)
    learnt = clone(model).fit(frame, ["a", "b", "b", "b"])
    assert same(learnt.forget(frame[3:], ["b"]), model)


PARTS = {0: "bernoulli", 1: Poisson(2.0, 0.5), 2: "gaussian", 3: "categorical", 4: None, 5: Gaussian(shared=True)}


def test_sparse_tables_by_place_are_learnt_like_dense_ones():
    rng = np.random.default_rng(6)
    X, y = rng.integers(0, 4, (40, 6)).astype(float), rng.integers(0, 3, 40)
    likelihood = PARTS | {3: Multinomial(0.5)}
    model = NaiveBayes(likelihood).fit(X, y)
    told = model.predict_joint_log_proba(X)
    for form in forms(X):
        other = NaiveBayes(likelihood).fit(form, y)
        assert other.counts_ == model.counts_
        assert_allclose(other.predict_joint_log_proba(form), told, rtol=1e-10)
    why = model.explain(sparse.csr_array(X[:1]))[0]
    assert why.prior_decibans + sum(term.decibans for term in why.terms) == pytest.approx(why.decibans, rel=1e-9)
    assert 4 not in {term.feature for term in why.terms}

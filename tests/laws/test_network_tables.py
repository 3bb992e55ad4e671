"""Laws of multilayer perceptrons over typed columns: they are the network of the coded rows, and files keep them."""

import contextlib

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import deciban
from deciban import MLPClassifier, store
from deciban.errors import DataError
from deciban.table_models.recipes import ESTIMATORS, FEWEST, PENALTY, recipe, restore
from deciban.table_models.served import ServedTable
from deciban.table_models.table_model import Rows
from laws.stored import altered
from laws.test_kernel_tables import table

# Classes, labels of the category, rows.
FORMS = {"two": (2, 3, 60), "many": (3, 3, FEWEST), "sparse": (2, 40, 60)}
over_forms = pytest.mark.parametrize("form", FORMS)
LEARNT = {}


def learnt(form):
    if form not in LEARNT:
        C, categories, n = FORMS[form]
        rows = table(C, n, categories)
        LEARNT[form] = recipe("mlp", {}, seed=3).learn(rows), rows
    return LEARNT[form]


@over_forms
def test_it_is_the_network_of_the_coded_rows(form):
    model, rows = learnt(form)
    order, few = rows.order(), len(rows) < FEWEST
    more = {"early_stopping": not few, "weight_decay": PENALTY / len(rows), "random_state": 3}
    alone = MLPClassifier(**ESTIMATORS["mlp"].given, **more).fit(model.features(rows.X[order]), rows.labels[order])
    told = model.joint(rows.X)
    assert_allclose(told, alone.scorer_(model.features(rows.X)), rtol=1e-4, atol=1e-5)
    assert_allclose(told, model.scorer(model.features(rows.X)), rtol=1e-12, atol=1e-12)
    assert model.certificate().primal == alone.certificate_.primal
    assert model.certificate().status in (("settled", "exhausted") if few else ("stopped early", "exhausted"))
    assert (model.fitted.history_[0].validation_error is None) == few
    assert [model.certificate().dual, model.certificate().seed] == [None, 3]
    gone = np.full((1, 4), np.nan)
    assert_allclose(model.joint(gone)[0], model.scorer.prior, atol=1e-12)
    for i in (0, 7):
        assert_array_equal(model.joint(rows.X[[i]])[0], told[i])


@pytest.mark.parametrize("form", ["two", "sparse"])
def test_the_order_of_the_rows_makes_no_difference_and_the_seed_does(form):
    model, rows = learnt(form)
    back = Rows(X=rows.X[::-1], y=rows.y[::-1], classes=rows.classes, keys=rows.keys[::-1], columns=rows.columns)
    content = store.to_bytes(model.header(), model.arrays())
    again = recipe("mlp", {}, seed=3).learn(back)
    assert store.to_bytes(again.header(), again.arrays()) == content
    other = recipe("mlp", {}, seed=4).learn(rows)
    assert store.to_bytes(other.header(), other.arrays()) != content


def test_time_runs_out_between_two_batches():
    model = recipe("mlp", {}).learn(learnt("many")[1], time_limit=1e-9)
    assert (model.certificate().status, model.certificate().iterations) == ("out of time", 1)
    assert np.isfinite(model.scores(learnt("many")[1].X)).all()


def test_each_epoch_is_told():
    seen = []
    model = recipe("mlp", {}).learn(learnt("many")[1], watch=lambda epoch, most: seen.append((epoch, most)))
    assert [epoch.epoch for epoch, _ in seen] == list(range(1, model.certificate().iterations + 1))
    assert {most for _, most in seen} == {model.fitted.max_iter}
    assert all(0.0 <= epoch.validation_error <= 1.0 for epoch, _ in seen)


@over_forms
def test_evidence_is_of_what_is_there_and_sums(form):
    model, rows = learnt(form)
    for row in rows.X[:8]:
        why = model.scorer.explain(model.features(row[None, :]), model.classes)
        assert sum(term.decibans for term in why.terms) + why.prior_decibans == pytest.approx(why.decibans, abs=1e-9)
        told = [model.column(term.feature) for term in why.terms]
        assert len(set(told)) == len(told)
        assert not np.isnan(row[told]).any()


@over_forms
def test_a_file_judges_as_the_model_did(form, tmp_path):
    model, rows = learnt(form)
    model.save(tmp_path / "t.deciban")
    again = deciban.load(tmp_path / "t.deciban")
    assert type(again) is type(model)
    assert_array_equal(again.scores(rows.X), model.scores(rows.X))
    row = model.features(rows.X[:1])
    assert again.scorer.explain(row, again.classes) == model.scorer.explain(row, model.classes)
    again.save(tmp_path / "again.deciban")
    assert (tmp_path / "again.deciban").read_bytes() == (tmp_path / "t.deciban").read_bytes()


def test_no_row_leaves_the_range():
    model, _ = learnt("two")
    far = np.array([[1e308, -1e308, 1.0, 0.0], [-1e308, 1e300, 0.0, np.nan]])
    assert np.isfinite(model.scores(far)).all()
    for row in far:
        why = model.scorer.explain(model.features(row[None, :]), model.classes)
        assert np.isfinite([term.decibans for term in why.terms]).all()


def refused_or_judges(content):
    with contextlib.suppress(DataError):
        known = restore(store.parse(content, "some.deciban", tables=True))
        assert not np.isnan(known.scores(table().X[:3])).any()


def values(array):
    return [np.nan, np.inf, -1.0, 1e38] if array.dtype == np.float32 else [np.nan, np.inf, -1.0, 1e300]


def test_a_file_of_another_form_is_refused_or_judges():
    model, _ = learnt("two")
    header, arrays = model.header(), model.arrays()
    for _, _, content in altered(header, arrays, values, kinds=(np.float64,)):
        refused_or_judges(content)
    for name in arrays:
        less = store.to_bytes(header, {key: values for key, values in arrays.items() if key != name})
        with pytest.raises(DataError, match=r"^some\.deciban: its model is damaged: .*\. Train again\.$"):
            restore(store.parse(less, "some.deciban", tables=True))
    for name in ("activation", "output", "error"):
        for value in (None, 0.0, "a", "logistic", "tanh", "squared", [], {}, True):
            refused_or_judges(store.to_bytes({**header, "coded": {**header["coded"], name: value}}, arrays))
        less = {key: value for key, value in header["coded"].items() if key != name}
        with pytest.raises(DataError):
            restore(store.parse(store.to_bytes({**header, "coded": less}, arrays), "some.deciban", tables=True))


def test_a_bare_network_knows_no_columns(tmp_path):
    path = tmp_path / "bare.deciban"
    MLPClassifier(max_iter=1).fit([[0.0], [1.0]], ["a", "b"]).save(path)
    with pytest.raises(DataError) as caught:
        ServedTable.from_stored(store.read(path, tables=True))
    assert str(caught.value) == (
        f"{path}: expected a model of texts or of typed columns; this is a network of bare rows. "
        "Load it in Python: deciban.load."
    )

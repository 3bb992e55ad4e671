"""Laws of kernel machines over typed columns: they are the machine of the coded rows, and files keep them."""

import contextlib

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import deciban
from deciban import SVM, store
from deciban.data.columns import Columns
from deciban.errors import DataError
from deciban.table_models.recipes import recipe, restore
from deciban.table_models.served import ServedTable
from deciban.table_models.table_model import Rows
from laws.stored import altered

LABELS = {2: ("no", "yes"), 3: ("no", "perhaps", "yes")}


def table(C=2, n=60, categories=3):
    """Rows of two numbers, a truth value and a category, with gaps."""
    r = np.random.default_rng(C)
    names = tuple(f"c{k:02}" for k in range(categories))
    columns = Columns(("age", "size", "here", "job"), ("whole", "number", "truth", "category"), (None,) * 3 + (names,))
    truth, job = r.integers(0, 2, n), r.integers(0, categories, n)
    matrix = np.column_stack([r.integers(18, 80, n), r.normal(size=n), truth, job])
    matrix[r.random(matrix.shape) < 0.1] = np.nan
    y = np.minimum((np.nan_to_num(matrix[:, 1]) ** 2 + r.random(n)).astype(int), C - 1)
    y[:C] = np.arange(C)
    keys = np.array([row.tobytes()[:16] + k.to_bytes(2, "big") for k, row in enumerate(matrix)], dtype="S18")
    return Rows(X=matrix, y=y, classes=LABELS[C], keys=keys, columns=columns)


FORMS = {"two": (2, 3), "many": (3, 3), "sparse": (2, 40)}
over_forms = pytest.mark.parametrize("form", FORMS)


def learnt(form):
    C, categories = FORMS[form]
    rows = table(C, categories=categories)
    return recipe("kernel-svm", {}).learn(rows), rows


@over_forms
def test_it_is_the_machine_of_the_coded_rows(form):
    model, rows = learnt(form)
    order = rows.order()
    alone = SVM(C=3.0, multi_class="ovr", random_state=0).fit(model.features(rows.X[order]), rows.labels[order])
    p = alone.predict_proba(model.features(rows.X))
    told = model.joint(rows.X)
    assert_allclose(np.exp(told - np.logaddexp.reduce(told, axis=1)[:, None]), p, atol=1e-8)
    assert model.certificate().primal == alone.certificate_.primal
    gone = np.full((1, 4), np.nan)
    assert_allclose(model.joint(gone)[0], model.scorer.prior, atol=1e-12)
    assert_array_equal(model.joint(rows.X[[7]])[0], told[7])


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
    again.save(tmp_path / "again.deciban")
    assert (tmp_path / "again.deciban").read_bytes() == (tmp_path / "t.deciban").read_bytes()


def refused_or_judges(content):
    with contextlib.suppress(DataError):
        known = restore(store.parse(content, "some.deciban", tables=True))
        assert not np.isnan(known.scores(table().X[:3])).any()


def values(array):
    return [-1, 1 << 40] if array.dtype.kind == "i" else [np.nan, np.inf, -1.0, 1e300]


@pytest.mark.parametrize("form", ["two", "sparse"])
def test_a_file_of_another_form_is_refused_or_judges(form):
    model, _ = learnt(form)
    header, arrays = model.header(), model.arrays()
    for _, _, content in altered(header, arrays, values):
        refused_or_judges(content)
    for name in arrays:
        less = store.to_bytes(header, {key: values for key, values in arrays.items() if key != name})
        with pytest.raises(DataError, match=r"^some\.deciban: "):
            restore(store.parse(less, "some.deciban", tables=True))
    for gamma in (None, 0.0, -1.0, "a", [], 1e149, True):
        refused_or_judges(store.to_bytes({**header, "coded": {"C": 1.0, "gamma": gamma}}, arrays))
    refused_or_judges(store.to_bytes({**header, "coded": {"C": 1.0}}, arrays))


def test_a_bare_machine_knows_no_columns(tmp_path):
    path = tmp_path / "bare.deciban"
    SVM(calibration=None).fit([[0.0], [1.0]], ["a", "b"]).save(path)
    with pytest.raises(DataError) as caught:
        ServedTable.from_stored(store.read(path, tables=True))
    assert str(caught.value) == (
        f"{path}: expected a model of texts or of typed columns; this is a kernel machine of bare rows. "
        "Load it in Python: deciban.load."
    )

"""Laws of what a model goes by: means of its own explanations, and bits that are those of a brute count."""

import json
from collections import defaultdict

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import deciban
from deciban import NaiveBayes, TextClassifier, store
from deciban.data.text_layout import LINEAR, MODELS
from deciban.evaluation.importance import ABSENT
from deciban.features.column_information import bin_numbers, information_of, information_of_counts
from deciban.features.information import BITS_PER_NAT, entropy
from deciban.report.table_inventory import TableInventory, table_inventory
from deciban.report.terminal import Screen
from deciban.table_models.recipes import MODELS as OF_TABLES
from laws.explained import explained, over_three, people, table, texts
from oracle import mutual_information as oracle
from oracle.tokens import tokens


def bits(pairs):
    """Mutual information of pairs (value, class), by the definition."""
    values, labels = zip(*pairs, strict=True)
    return oracle.information(values, labels, [1] * len(pairs)) * BITS_PER_NAT


@over_three
def test_it_is_the_mean_of_the_models_explanations(name, C):
    model, items = explained(name, C)
    y = model.predict(items)
    found = deciban.evidence_importance(model, items, y, top=None)
    sums, sides = defaultdict(float), defaultdict(lambda: defaultdict(float))
    for why in model.explain(items):
        for term in why.terms:
            feature = ABSENT if name.startswith(("text", "mail")) and term.count == 0 else term.feature
            decibans = term.decibans / getattr(why, "claimed", 1.0)
            sums[feature] += abs(decibans) / len(y)
            sides[feature][why.label if decibans > 0.0 else why.against] += abs(decibans)
    assert {each.feature: each.decibans for each in found} == pytest.approx(dict(sums), rel=1e-9, abs=1e-12)
    assert found.total == pytest.approx(sum(sums.values()), rel=1e-9)
    sizes = [each.decibans for each in found]
    assert sizes == sorted(sizes, reverse=True)
    for each in found:
        assert sides[each.feature][each.label] == max(sides[each.feature].values())
        assert 0.0 <= each.bits <= found.class_bits + 1e-12
    few = deciban.evidence_importance(model, items, top=3)
    assert [each[:3] for each in few] == [each[:3] for each in found[:3]]
    assert {each.bits for each in few} <= {None}
    assert (few.n, few.total, few.class_bits) == (4.0, found.total, None)
    assert json.loads(json.dumps(found.to_json()))["n"] == 4.0
    assert str(found).splitlines()[-1].endswith("in the class")


@pytest.mark.parametrize("model", MODELS)
def test_the_bits_of_a_word_are_whether_it_is_there(model):
    X, y = texts(2)
    more = {"epochs": 2, "hidden_layer_sizes": (3,)} if model == "mlp" else {}
    known = TextClassifier(model, words=(1, 1), **more).fit(X, y)
    found = deciban.evidence_importance(known, X, y, top=None)
    assert len(found) > 10
    for each in found:
        there = [(each.feature in tokens(text), label) for text, label in zip(X, y, strict=True)]
        assert each.bits == pytest.approx(bits(there), abs=1e-12)
    assert found.class_bits == pytest.approx(1.0)


@pytest.mark.parametrize("model", ["naive-bayes", *LINEAR])
@pytest.mark.parametrize("how", [{}, {"binary": False}, {"hashed_bits": 20}], ids=str)
def test_without_examples_it_is_about_those_that_were_learnt(model, how):
    X, y = texts(2)
    known = TextClassifier(model, words=(1, 1), **how).fit(X, y)
    asked, kept = deciban.evidence_importance(known, X, y, top=None), deciban.evidence_importance(known, top=None)
    assert sorted(each.decibans for each in kept) == pytest.approx(
        sorted(each.decibans for each in asked if each.decibans > 0.0), rel=1e-9, abs=1e-12
    )
    assert (kept.n, kept.total, kept.class_bits) == pytest.approx((len(X), asked.total, asked.class_bits), rel=1e-9)
    if not how:
        expected = {each.feature: (each.label, each.bits) for each in asked}
        for each in kept:
            assert each.label == expected[each.feature][0]
            assert each.bits == pytest.approx(expected[each.feature][1], abs=1e-12)


@pytest.mark.parametrize("C", [2, 3])
@pytest.mark.parametrize("model", MODELS)
def test_every_text_model_tells_of_what_it_learnt(model, C):
    known, _ = explained(f"text {model}", C)
    found = deciban.evidence_importance(known, top=5)
    assert len(found) == 5
    assert {each.label for each in found} <= set(known.classes_)
    assert all(each.decibans > 0.0 and 0.0 <= each.bits <= found.class_bits for each in found)


# --- columns -----------------------------------------------------------------------------------------------

ROWS = st.lists(st.tuples(st.sampled_from([0.0, 1.0, 2.5, np.nan]), st.integers(0, 2)), min_size=1, max_size=30)


@given(ROWS)
def test_what_labels_tell_is_counted(rows):
    x, y = np.array([x for x, _ in rows]), np.array([c for _, c in rows])
    known = [(value, c) for value, c in rows if not np.isnan(value)]
    told = information_of(x, y, 3) * BITS_PER_NAT
    assert told == pytest.approx(bits(known) if known else 0.0, abs=1e-9)


@pytest.mark.parametrize("n", [11, 39, 60, 200, 1000])
def test_bins_are_equally_full_and_keep_the_order(n):
    x = np.random.default_rng(n).normal(size=n)
    place = bin_numbers(x)
    full = np.bincount(place)
    assert len(full) == min(10, max(2, n // 20))
    assert full.max() - full.min() <= len(full)
    assert (np.diff(place[np.argsort(x)]) >= 0).all()
    assert (bin_numbers(np.exp(3.0 * x)) == place).all()


@pytest.mark.parametrize("estimate", ["ml", "bayes"])
def test_what_numbers_tell_by_their_densities_is_what_many_draws_tell(estimate):
    random, n = np.random.default_rng(0), 20_000
    y = (random.random(n) < 0.3).astype(int)
    X = np.column_stack([random.normal(size=n) + 1.5 * y, random.normal(size=n) * (1 + 2 * y), random.normal(size=n)])
    known = NaiveBayes("gaussian", estimate=estimate).fit(X, y)
    found = np.array(information_of_counts(known))
    drawn = []
    for j in range(3):
        alone = np.full(X.shape, np.nan)
        alone[:, j] = X[:, j]
        gain = known.predict_log_proba(alone) - np.log(known.class_count_ / n)
        drawn.append(gain[np.arange(n), y].mean())
    assert found == pytest.approx(drawn, abs=0.006)
    assert found[2] < 1e-3
    far = NaiveBayes("gaussian", estimate=estimate).fit(X * 1e-6 + 10.0 * y[:, None], y)
    assert information_of_counts(far) == pytest.approx([entropy(np.bincount(y))] * 3, rel=1e-9)


def test_what_was_counted_of_labels_is_what_the_rows_tell():
    frame, y = people(3)
    place = np.unique(y, return_inverse=True)[1]
    known = NaiveBayes("auto").fit(frame, y)
    told = dict(zip(frame.columns, information_of_counts(known), strict=True))
    for own in ("here", "job"):
        there = [(value, c) for value, c in zip(frame[own], place, strict=True) if value is not None]
        assert told[own] * BITS_PER_NAT == pytest.approx(bits(there), rel=1e-9)
    assert NaiveBayes({"나이": "poisson"}).fit(frame[["나이"]], y).n_features_in_ == 1
    assert information_of_counts(NaiveBayes({"나이": "poisson"}).fit(frame[["나이"]], y)) == [None]


def told_of(model, path, top=3):
    model.save(path)
    return TableInventory.of(store.read(path, tables=True), path, top)


@pytest.mark.parametrize("C", [2, 3])
@pytest.mark.parametrize("model", OF_TABLES)
def test_inspect_tells_the_bits_of_every_column(model, C, tmp_path):
    known = table(model, C)
    found = told_of(known, tmp_path / "t.deciban")
    frame, y = people(C)
    matrix, place = known.columns.matrix(frame), np.unique(y, return_inverse=True)[1]
    assert found.class_bits == pytest.approx(np.log2(C))
    assert found.to_json()["class_bits"] == found.class_bits
    for j, each in enumerate(found.columns):
        expected = information_of(matrix[:, j], place, C, each.categories is not None) * BITS_PER_NAT
        if model == "naive-bayes" and each.kind in ("number", "whole"):
            assert 0.0 < each.bits < found.class_bits
        else:
            assert each.bits == pytest.approx(expected, rel=1e-9, abs=1e-12)
    lines = [line.plain for line in table_inventory(found, Screen(80))]
    start = next(i for i, line in enumerate(lines) if line.startswith("column"))
    shown = [float(line.split()[-1]) for line in lines[start + 1 : start + 5]]
    assert shown == sorted(shown, reverse=True)
    assert lines[start + 5] == f"of {found.class_bits:.4f} bits in the class; what columns tell overlaps"


def test_files_without_it_are_read_and_say_so(tmp_path):
    known = table("logistic", 2)
    header = known.header()
    del header["information"]
    store.write(tmp_path / "old.deciban", header, known.arrays())
    found = TableInventory.of(store.read(tmp_path / "old.deciban", tables=True), str(tmp_path / "old.deciban"), 3)
    assert [each.bits for each in found.columns] == [None] * 4
    lines = [line.plain for line in table_inventory(found, Screen(80))]
    assert "what columns tell is not kept in this file; train again to see it, in bits" in lines
    again = deciban.load(tmp_path / "old.deciban")
    assert store.to_bytes(again.header(), again.arrays()) == (tmp_path / "old.deciban").read_bytes()


@pytest.mark.parametrize("value", [None, [], [1.0], [0.1, 0.2, 0.3, -1.0], [0.1, 0.2, 0.3, "x"], "0.1", [1, 2, 3, 4]])
def test_a_file_with_other_numbers_there_is_refused(value):
    known = table("logistic", 2)
    content = store.to_bytes({**known.header(), "information": value}, known.arrays())
    with pytest.raises(deciban.errors.DataError) as caught:
        TableInventory.of(store.parse(content, "some.deciban", tables=True), __file__, 3)
    assert str(caught.value) == (
        "some.deciban: expected 'information' in its header to be a number a column. The file is not one that this "
        "program wrote; train again."
    )


def test_numbers_of_a_data_frame_go_by_name():
    frame, y = people(2)
    found = deciban.evidence_importance(NaiveBayes("auto").fit(frame, y), frame, y)
    assert {each.feature for each in found} >= {"나이", "size", "job = 교사"}
    same = deciban.evidence_importance(NaiveBayes("auto").fit(frame, y), frame[::-1], y[::-1])
    assert [each[0] for each in same] == [each[0] for each in found]
    assert isinstance(frame, pl.DataFrame)
